"""The one place where words to the model are written.

A notice has four steps, from full to nothing; it gives way where the limit is too small for it. It names only what its
reader can use: a path for those that open files, a handle for those that have Penstock's tools or its command line,
nothing for the rest. Where the whole could not be kept it says so and gives no hint at all.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Final

from penstock.core.census import Census
from penstock.core.measure import Size, utf8_length
from penstock.core.policy import Language, Reader
from penstock.core.reduce.contract import Layout, Noun, Tally


class Step(IntEnum):
    FULL = 0
    SHORT = 1
    BARE = 2
    NOTHING = 3


@dataclass(frozen=True, slots=True)
class Facts:
    """What a notice can tell."""

    total: Size
    shown: Size
    hidden: Census
    reader: Reader
    language: Language
    handle: str | None = None
    path: str | None = None
    kept: bool = True  # False: keeping failed
    first_hidden_line: int | None = None
    first_hidden_byte: int = 0
    remark: str = ""  # what else must be said: why a strategy was not followed, ...
    tallies: tuple[Tally, ...] = ()  # what else is hidden
    layout: Layout = "verbatim"
    unseen: bool = False  # gaps hide what has been shown before as well: to read on is not to read from the first gap


@dataclass(frozen=True, slots=True)
class _Words:
    """The sentences of one language. Braces are filled by name."""

    truncated: str
    one_line: str
    hidden: str
    at_least: str
    errors: tuple[str, str]
    warnings: tuple[str, str]
    nouns: dict[Noun, tuple[str, str]]
    layouts: dict[Layout, str]
    comma: str
    not_kept: str
    short: str
    short_not_kept: str
    short_layout: str
    bare: str
    stop: str
    hints: dict[str, str]
    hints_by_bytes: dict[str, str]
    hints_unseen: dict[str, str]
    bytes_gap: str


_ENGLISH = _Words(
    truncated="Truncated: {lines} of {all_lines} lines shown, {bytes} of {all_bytes} bytes",
    one_line="Truncated: {bytes} of {all_bytes} bytes shown",
    hidden="; hidden: {what}",
    at_least="at least {n}",
    errors=("{n} error", "{n} errors"),
    warnings=("{n} warning", "{n} warnings"),
    nouns={
        "repeats": ("{n} repeat", "{n} repeats"),
        "failures": ("{n} failed test", "{n} failed tests"),
        "records": ("{n} record", "{n} records"),
        "files": ("{n} file", "{n} files"),
        "matches": ("{n} match", "{n} matches"),
        "hunks": ("{n} hunk", "{n} hunks"),
        "rows": ("{n} row", "{n} rows"),
        "entries": ("{n} entry", "{n} entries"),
        "definitions": ("{n} definition", "{n} definitions"),
    },
    layouts={
        "keys": " Layout changed: keys that repeat are shown once, white space is left out, values are verbatim.",
        "paths": " Layout changed: paths are shown once, the rest is verbatim.",
        "prefixes": " Layout changed: what lines begin with alike is shown once, the rest is verbatim.",
    },
    comma=", ",
    not_kept=" The rest was not kept.",
    short="Truncated: {bytes} of {all_bytes} bytes shown; {where}",
    short_not_kept="Truncated: {bytes} of {all_bytes} bytes shown; the rest was not kept",
    short_layout="; layout changed",
    bare="[truncated]",
    stop=".",
    hints={
        "penstock": ' The whole is kept: call read_output(handle="{handle}", start={line}) for more lines,'
        ' or grep_output(handle="{handle}", pattern="...") to search it.',
        "files": " The whole is in {path}: use Read with offset {line} and a limit, or Grep, on that file.",
        "task": " The whole is in {path}: use Task to have a subagent process that file instead of reading it here.",
        "cli": " The whole is kept: penstock read {handle} --start {line} shows more lines,"
        " penstock grep {handle} PATTERN searches it.",
    },
    hints_by_bytes={
        "penstock": ' The whole is kept: call read_output(handle="{handle}", unit="bytes", offset={byte}) for more,'
        ' or grep_output(handle="{handle}", pattern="...") to search it.',
        "files": " The whole is in {path}: use Grep on that file for the part that you need (its lines are long).",
        "cli": " The whole is kept: penstock read {handle} --unit bytes --offset {byte} shows more,"
        " penstock grep {handle} PATTERN searches it.",
    },
    hints_unseen={
        "penstock": ' The whole is kept: call read_output(handle="{handle}", unseen=true) for what is not shown yet,'
        ' or grep_output(handle="{handle}", pattern="...") to search it.',
        "cli": " The whole is kept: penstock unseen {handle} shows what is not shown yet,"
        " penstock grep {handle} PATTERN searches it.",
    },
    bytes_gap="bytes {where}",
)

_CHINESE = _Words(
    truncated="已截断：共 {all_lines} 行，显示 {lines} 行；共 {all_bytes} 字节，显示 {bytes} 字节",
    one_line="已截断：共 {all_bytes} 字节，显示 {bytes} 字节",
    hidden="；隐藏部分含 {what}",
    at_least="至少 {n}",
    errors=("{n} 处错误", "{n} 处错误"),
    warnings=("{n} 处警告", "{n} 处警告"),
    nouns={
        "repeats": ("重复 {n} 次", "重复 {n} 次"),
        "failures": ("{n} 个失败的测试", "{n} 个失败的测试"),
        "records": ("{n} 条记录", "{n} 条记录"),
        "files": ("{n} 个文件", "{n} 个文件"),
        "matches": ("{n} 处匹配", "{n} 处匹配"),
        "hunks": ("{n} 处改动", "{n} 处改动"),
        "rows": ("{n} 行数据", "{n} 行数据"),
        "entries": ("{n} 个条目", "{n} 个条目"),
        "definitions": ("{n} 处定义", "{n} 处定义"),
    },
    layouts={
        "keys": "排版已变：重复的键只显示一次，空白已省略，值保持原样。",
        "paths": "排版已变：路径只显示一次，其余保持原样。",
        "prefixes": "排版已变：各行相同的开头只显示一次，其余保持原样。",
    },
    comma="、",
    not_kept="其余部分未保存。",
    short="已截断：共 {all_bytes} 字节，显示 {bytes} 字节；{where}",
    short_not_kept="已截断：共 {all_bytes} 字节，显示 {bytes} 字节；其余未保存",
    short_layout="；排版已变",
    bare="[已截断]",
    stop="。",
    hints={
        "penstock": '完整内容已保存：用 read_output(handle="{handle}", start={line}) 继续读取，'
        '或用 grep_output(handle="{handle}", pattern="...") 搜索。',
        "files": "完整内容在 {path}：请用 Read 从第 {line} 行分页读取，或用 Grep 搜索该文件。",
        "task": "完整内容在 {path}：请用 Task 让子代理处理该文件，不要在此全部读入。",
        "cli": "完整内容已保存：penstock read {handle} --start {line} 继续读取，penstock grep {handle} PATTERN 搜索。",
    },
    hints_by_bytes={
        "penstock": '完整内容已保存：用 read_output(handle="{handle}", unit="bytes", offset={byte}) 继续读取，'
        '或用 grep_output(handle="{handle}", pattern="...") 搜索。',
        "files": "完整内容在 {path}：请用 Grep 在该文件中搜索所需部分（行很长）。",
        "cli": "完整内容已保存：penstock read {handle} --unit bytes --offset {byte} 继续读取，"
        "penstock grep {handle} PATTERN 搜索。",
    },
    hints_unseen={
        "penstock": '完整内容已保存：用 read_output(handle="{handle}", unseen=true) 读取尚未显示的部分，'
        '或用 grep_output(handle="{handle}", pattern="...") 搜索。',
        "cli": "完整内容已保存：penstock unseen {handle} 显示尚未显示的部分，penstock grep {handle} PATTERN 搜索。",
    },
    bytes_gap="字节 {where}",
)

# What is said besides, where something was not done as asked.
SUMMARY_MISSING: Final[dict[Language, str]] = {
    "en": "No summary could be made; parts are shown instead.",
    "zh": "无法生成摘要，改为显示部分内容。",
}
TOO_MUCH_EFFORT: Final[dict[Language, str]] = {
    "en": "Too many parts to choose among; the start and the end are shown instead.",
    "zh": "内容过于零碎，无法逐项选择，改为显示开头和结尾。",
}
SHOWN_UNKNOWN: Final[dict[Language, str]] = {
    "en": "What was shown before cannot be told now, so this begins anew.",
    "zh": "目前无法得知此前已显示的内容，因此从头显示。",
}
READ_LESS: Final[dict[Language, str]] = {
    "en": "Ask for a smaller range to see the rest of it.",
    "zh": "请用更小的范围读取其余内容。",
}

# What is said of a search result that is over the limit by itself, by its place in the ranking.
RESULT_IN_PART: Final[dict[Language, str]] = {
    "en": "Result {rank} alone is over the limit: its long fields are shown in part, with a mark for what is left out.",
    "zh": "第 {rank} 条结果本身已超出限制：其较长字段仅显示部分内容，省略处有标记。",
}
RESULT_LEFT_OUT: Final[dict[Language, str]] = {
    "en": "Result {rank} is over the limit even with its long fields cut, and is left out.",
    "zh": "第 {rank} 条结果即使截短字段仍超出限制，已略去。",
}

# What is said of a search that was to find code by its meaning, too.
BY_WORDS_ALONE: Final[dict[Language, str]] = {
    "en": "Searched by words alone, as there are no vectors now: code that says it in other words may be missing.",
    "zh": "当前没有可用的向量，仅按词语检索：用其他措辞表达的代码可能未列出。",
}

_WORDS: Final[dict[Language, _Words]] = {"en": _ENGLISH, "zh": _CHINESE}

# What any count can grow to while the text is being chosen: the notice is given room for these digits beforehand.
_MOST: Final = Census(9_999, 9_999, complete=False)


def write(facts: Facts, step: Step) -> str:
    words = _WORDS[facts.language]
    if step is Step.FULL:
        return _full(facts, words)
    if step is Step.SHORT:
        return _short(facts, words)
    return words.bare if step is Step.BARE else ""


def widest(facts: Facts, step: Step) -> str:
    """The longest notice that these facts can come to, before it is known what is shown."""
    most = replace(facts, shown=facts.total, hidden=_MOST, first_hidden_byte=facts.total.bytes)
    by_bytes = write(replace(most, first_hidden_line=None), step)
    by_lines = write(replace(most, first_hidden_line=facts.total.lines), step)
    return max(by_bytes, by_lines, key=utf8_length)


def gap_mark(
    language: Language, first: int, last: int, census: Census, *, by_bytes: bool, tally: Tally | None = None
) -> str:
    """What stands for a gap: its lines, or its bytes where it begins or ends inside a line, and what is in it."""
    words = _WORDS[language]
    where = f"{first}" if first == last else f"{first}-{last}"
    if by_bytes:
        where = words.bytes_gap.format(where=where)
    if census.errors:
        where += words.comma + _count(words, words.errors, census.errors, census.complete)
    if tally is not None:
        where += words.comma + _count(words, words.nouns[tally.noun], tally.many, complete=True)
    return f"[... {where}]"


def widest_mark(language: Language, total: Size) -> str:
    most = max(total.bytes, total.lines)
    return gap_mark(language, most, most + 1, _MOST, by_bytes=True)


def usual_mark(language: Language, total: Size) -> str:
    """A mark as most are: between whole lines where there are lines, with nothing in it that must be told."""
    if total.lines > 1:
        return gap_mark(language, total.lines, total.lines + 1, Census(), by_bytes=False)
    return gap_mark(language, total.bytes, total.bytes + 1, Census(), by_bytes=True)


def _full(facts: Facts, words: _Words) -> str:
    numbers = _numbers(facts)
    # "1 of 1 lines" would hide that a line was cut, so lines are told only where they tell something.
    told = words.truncated if facts.total.lines > 1 else words.one_line
    counts = [
        _count(words, forms, count, facts.hidden.complete)
        for forms, count in ((words.errors, facts.hidden.errors), (words.warnings, facts.hidden.warnings))
        if count
    ]
    counts += [_count(words, words.nouns[noun], count, complete=True) for noun, count in facts.tallies if count]
    hidden = words.hidden.format(what=words.comma.join(counts)) if counts else ""
    sentence = told.format(**numbers) + hidden + words.stop + words.layouts.get(facts.layout, "")
    return f"[{sentence}{facts.remark and ' ' + facts.remark}{_hint(facts, words)}]"


def _short(facts: Facts, words: _Words) -> str:
    where = _place(facts)
    told = words.one_line if where is None else words.short
    if not facts.kept:
        told = words.short_not_kept
    layout = "" if facts.layout == "verbatim" else words.short_layout
    return f"[{told.format(where=where, **_numbers(facts))}{layout}]"


def _hint(facts: Facts, words: _Words) -> str:
    if not facts.kept:
        return words.not_kept
    if _place(facts) is None:
        return ""
    hint = words.hints[facts.reader]
    if facts.first_hidden_line is None:
        hint = words.hints_by_bytes.get(facts.reader, hint)
    if facts.unseen:
        hint = words.hints_unseen.get(facts.reader, hint)
    return hint.format(handle=facts.handle, path=facts.path, line=facts.first_hidden_line, byte=facts.first_hidden_byte)


def _place(facts: Facts) -> str | None:
    """Where this reader finds the whole: what it cannot use is not named."""
    if facts.reader in ("files", "task"):
        return facts.path
    return facts.handle if facts.reader in ("penstock", "cli") else None


def _numbers(facts: Facts) -> dict[str, str]:
    return {
        "lines": f"{facts.shown.lines:,}",
        "all_lines": f"{facts.total.lines:,}",
        "bytes": f"{facts.shown.bytes:,}",
        "all_bytes": f"{facts.total.bytes:,}",
    }


def _count(words: _Words, forms: tuple[str, str], count: int, complete: bool) -> str:
    told = forms[count != 1].format(n=f"{count:,}")
    return told if complete else words.at_least.format(n=told)
