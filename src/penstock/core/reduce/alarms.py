"""Which lines of a tool's output tell that something went wrong, and how strongly.

Tools of all makes use the same few words, and much the same lines to say that all is well. Each line has the strength
of its strongest sign; a line that says that there was no error has none, nor has a compiler's command line with
`-Werror` in it, a file named error.o, or a test about errors that passed.

The strengths:
- ENDED: a command, a step or the whole run gave up: what went wrong stands before it.
- VERDICT: a test or a compiler failed something.
- STRONG: what tools write when they mean it: `error:`, FAILED, an exception's name, a panic.
- PLAIN: words of failure in a sentence.
- WEAK: warnings.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Final, NamedTuple

import re2

from penstock.core.reduce.contract import Effort
from penstock.core.reduce.templates import Templates

ENDED: Final = 5
VERDICT: Final = 4
STRONG: Final = 3
PLAIN: Final = 2
WEAK: Final = 1

# On bytes and without groups, as in `census`: a group doubles the time of a match.
_ENDED: Final = re2.compile(
    rb"(?im)\bexited with (?:(?:code|status) )?[1-9]"
    rb"|\bexit(?:ed)?(?: with)?(?: an?)?(?: error)? (?:code|status|value)(?: was| is| of)?[ :=(]+-?[1-9]"
    rb"|\b(?:failed with|return(?:ed|s)?)(?: an?)?(?: non-?zero)?(?: exit| error| return)? (?:code|status)[ :=(]+[1-9]"
    rb"|\breturn(?:ed)? (?:code|status)(?: was| is)?[ :=(]+[1-9]|\bnon-?zero (?:exit|return|status)"
    rb"|\bbad exit status|^[^ \n]*make(?:\[\d+\])?: \*\*\* |\bnpm err!|\brake aborted|\bninja: build stopped"
    rb"|\b(?:build|job|compilation|pipeline|execution) (?:has )?(?:failed|failure)\b|\bas failure$"
    rb"|\bcommand (?:\S{1,200} )?failed\b|##\[error\]|\bRPM build errors|\bno output has been received"
    rb"|\bexceeded the (?:maximum|timeout|time limit)|\bfailed to execute goal"
)
_VERDICT: Final = re2.compile(
    rb"(?m)\b(?:FAIL(?:ED|URE|URES|ING)?|BROKEN)\b|^E {2,}|^not ok\b|^Traceback \(|^\*\* \("
    rb"|:\d+(?::\d+)?\)?: (?:fatal )?(?i:error)\b|\berror\[\w{1,20}\]|\bpanicked at\b"
    rb"|(?i:\bsegmentation fault|\bcore dumped|\bundefined (?:reference|symbol|method|name|variable|local)"
    rb"|\bunresolved (?:reference|import|external)|\bassertion .{0,80}failed"
    rb"|\b[1-9]\d* (?:tests? |specs? )?(?:failed|failing|failures?|errors?)\b"
    rb"|\b(?:failed|failing|failures?|errors?)(?: tests?| examples?| scenarios?)?[:=] *(?:[1-9]|$))"
    rb"|\xe2\x9c(?:\x96|\x97|\x98)|\xe2\x97\x8f \S"
)
_STRONG: Final = re2.compile(
    rb"(?m)(?i:\b(?:fatal|errors?|panic)(?:\[[^\]\n]{0,60}\]|\([^)\n]{0,60}\)| [a-z]{1,8}\d{1,6})?!?:|\[error\]|^error\b)"
    rb"|\b(?:ERROR|FATAL|SEVERE|CRITICAL|PANIC|ABORT(?:ED)?)\b"
    rb"|[A-Za-z](?:Error|Exception|Failure|Fault)(?::| \(|$)|\bCaused by:"
    rb"|(?i:\bunhandled\b|\buncaught\b)"
)
_PLAIN: Final = re2.compile(
    rb"(?im)(?:^|[^\w./@-])(?:errors?|fail(?:ed|ures?|s|ing|ure)?|(?:\w*exceptions?|\w+error)|fatal|abort(?:ed|ing)?|crash(?:ed)?"
    rb"|cannot|can'?t|can not|could ?n[o']t|could not|unable to|not found|no such|nothing provides|does ?n[o']t exist"
    rb"|does not (?:exist|match)|undefined|unresolved|unrecognized|unknown|unexpected|invalid|illegal|incorrect"
    rb"|mismatch(?:ed)?|denied|refused|forbidden|unauthorized|timed[ -]?out|timeout|killed|terminated|missing|expected"
    rb"|not (?:allowed|permitted|supported|defined|available|installed|equal|in order)|conflicts?|violat(?:es|ed|ions?)"
    rb"|but (?:was|got|actual)|unmet|unsatisfied|out of memory|no space left|problems?|broken|please|must|should|wrong)"
    rb"(?:[\s,;:!?)\]'\"`]|\.\s|\.?$)|\bwarn(?:ings?)?\b|\bdeprecat(?:ed|ion)\b"
)

_NONE: Final = re2.compile(
    rb"(?im)\b(?:0|no|zero) (?:\w+ )?(?:errors?|failures?|failed|failing|warnings?|problems?)\b"
    rb"|\b(?:errors?|failures?|failed|warnings?)[\"']?[ \t]*[:=][ \t]*(?:0|null|none|false|no)\b"
)
_FINE: Final = re2.compile(
    rb"(?im)\b(?:pass(?:ed)?|ok|skip(?:ped)?|success)\]?[ \t]*(?:\[ *\d+%\]|\(?[\d.,]+ ?m?s\)?)?$"
    rb"|^[ \t]*(?:ok\b|---? (?:pass|skip)|=== (?:run|cont|pause)|\xe2\x9c[\x93\x94]|\xe2\x88\x9a|checking )"
    rb"|^(?:skip|xfail|xpass)\b|\bskipped\b|exited with 0\b|^(?:get|fetched|unpacking|selecting|preparing|setting up|installing|downloading|collecting)\b"
)
_TROUBLE_TOO: Final = re2.compile(
    rb"(?i)\b[1-9]\d* (?:\w+ )?(?:errors?|failures?|failed|failing)\b|\b(?:errors?|failures?|failed)[:=] *[1-9]"
)
_LEVEL: Final = re2.compile(rb"^(?:[^ ]+ +){0,4}?[\[(<]?(?:(?i:warn(?:ing)?|info|debug|trace|notice)[\]:>)]|(?:WARN(?:ING)?|INFO|DEBUG|TRACE|NOTICE)\b)")
_COMMAND: Final = re2.compile(rb" -(?:c|o|O\d|Wall|I\S+|D\S+|W\S+|L\S+|f\S+|std=\S+|classpath|cp) ")


class Alarm(NamedTuple):
    line: int
    strength: int
    word: bytes  # what tells, as it stands in the line


def find_alarms(templates: Templates, effort: Effort) -> list[Alarm]:
    """The lines that tell of failure, in order."""
    texts = templates.texts
    found: dict[int, Alarm] = {}
    for strength, pattern in ((ENDED, _ENDED), (VERDICT, _VERDICT), (STRONG, _STRONG)):
        for line, word in _lines_with(pattern, texts):
            effort.spend(3)
            if line not in found and _tells(texts[line], strength):
                strength_ = strength
                if strength <= VERDICT and (level := _LEVEL.search(texts[line][:80])): strength_ = WEAK if b"w" in level[0].lower() else PLAIN
                found[line] = Alarm(line, strength_, word)
    # Words of a sentence are looked for where a line says something for the first or the last time: a compiler may warn
    # of the same a thousand times.
    ends = sorted({*templates.firsts, *templates.lasts})
    for place, word in _lines_with(_PLAIN, [texts[line] for line in ends]):
        effort.spend(3)
        strength = WEAK if word[:1] in b"wWdD" and word[:2].lower() in (b"wa", b"de") else PLAIN
        line = ends[place]
        if line not in found and _tells(texts[line], strength):
            found[line] = Alarm(line, strength, word)
    return [found[line] for line in sorted(found)]


def _lines_with(pattern: re2._Regexp[bytes], texts: Sequence[bytes]) -> Iterator[tuple[int, bytes]]:
    """Each line that a pattern is found in, with what it found first."""
    if not texts: return
    shown = b"\n".join(texts)
    ends = list(accumulate(map(len, texts), lambda end, size: end + 1 + size))
    place = line = 0
    while (match := pattern.search(shown, place)) is not None:
        start, stop = match.span()
        word = shown[start:stop].strip()
        start += shown[start:stop].find(word)
        line += shown.count(b"\n", place, start)
        yield line, word
        place = ends[line]


def _tells(text: bytes, strength: int) -> bool:
    if strength < STRONG and _COMMAND.search(text) is not None:
        return False
    if _FINE.search(text): return False
    return _NONE.search(text) is None or _TROUBLE_TOO.search(text) is not None
