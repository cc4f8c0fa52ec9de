"""Which lines of a tool's output tell that something went wrong, and how strongly.

Tools of all makes use the same few words, and much the same lines to say that all is well. Each line has the strength
of its strongest sign; a line that says that there was no error has none, nor has a compiler's command line with
`-Werror` in it, a file named error.o, or a test about errors that passed.

The strengths:
- RESULT: a test that failed, where the output is read as that of a test run. It is not given here.
- ENDED: a command, a step or the whole run gave up. What went wrong stands before it.
- VERDICT: a test, a compiler or a program says that it failed.
- STRONG: `error:` and the like, an exception's name, a level of a log.
- PLAIN: words of failure in a sentence, or a verdict that is told at the level of a note.
- WEAK: warnings.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence
from typing import Final, NamedTuple

from penstock.core.patterns import re2_pattern
from penstock.core.reduce.contract import Effort
from penstock.core.reduce.scan import lines_with
from penstock.core.reduce.templates import Templates

RESULT: Final = 6
ENDED: Final = 5
VERDICT: Final = 4
STRONG: Final = 3
PLAIN: Final = 2
WEAK: Final = 1

# On bytes and without groups, as in `census`: a group doubles the time of a match.
_OF_ENDS: Final = (
    rb"(?im:\bexited with (?:(?:code|status) )?'?[1-9]"
    rb"|\bexit(?:ed)?(?: with)?(?: an?)?(?: error)? (?:code|status|value)(?: was| is| of)?[ :=(]+-?[1-9]"
    rb"|\b(?:failed with|return(?:ed|s)?)(?: an?)?(?: non-?zero)?(?: exit| error| return)? (?:code|status)[ :=(]+[1-9]"
    rb"|\breturn(?:ed)? (?:code|status)(?: was| is)?[ :=(]+[1-9]|\bnon-?zero (?:exit|return|status)"
    rb"|\bbad exit status|^[^ \n]*make(?:\[\d+\])?: \*\*\* |\bnpm err!|^npm error\b|\*\*\* error code [1-9]"
    rb"|\brake aborted|\bninja: build stopped"
    rb"|\b(?:build|job|compilation|pipeline|execution) (?:has )?(?:failed|failure)\b|\bas failure$"
    rb"|\bcommand (?:\S{1,200} )?failed\b|##\[error\]|\brpm build errors|\bno output has been received"
    rb"|\bexceeded the (?:maximum|timeout|time limit)|\bfailed to execute goal)"
)
_OF_VERDICTS: Final = (
    rb"(?m:\b(?:FAIL(?:ED|URE|URES|ING)?|BROKEN|DATA RACE)\b|^E {2,}|^not ok\b|^Traceback \(|^\*\* \("
    rb"|[:(]\d+(?:[:,] ?\d+)?\)?:?(?: -)? (?:fatal )?(?i:error)\b|^ +\d+:\d+ +error |\berror\[\w{1,20}\]"
    rb"|\bpanicked at\b|^panic: |\*\*\*(?:Failed|Exception|Timeout)\b|\bfailed \([\d.]+ (?:seconds|m?s)\)"
    rb"|(?i:\bsegmentation fault|\bcore dumped|\bundefined(?::| (?:reference|symbol|method|name|variable|local))"
    rb"|\bunresolved (?:reference|import|external)|\bassertion .{0,80}failed"
    rb"|\b[1-9]\d* (?:tests? |specs? )?(?:failed|failing|failures?|errors?)\b"
    rb"|\b(?:failed|failing|failures?|errors?)(?: tests?| examples?| scenarios?)?[:=] *(?:[1-9]|$))"
    rb"|[\x{2715}-\x{2718}]|\x{25CF} \S)"
)
_OF_LEVELS: Final = (
    rb"(?m:(?i:\b(?:fatal|errors?|panic)(?:\[[^\]\n]{0,60}\]|\([^)\n]{0,60}\)| [a-z]{1,8}\d{1,6})?!?:)"
    rb"|(?i:\[error\]|^error\b)"
    rb"|\b(?:ERROR|FATAL|SEVERE|CRITICAL|PANIC|ABORT(?:ED)?)\b"
    rb"|[A-Za-z](?:Error|Exception|Failure|Fault)(?: \[\w+\])?(?::| \(|$)|\b[A-Z]\w+ Error\b|\bCaused by:"
    rb"|^Bail out!|(?i:\bunhandled|\buncaught))"
)
# One pass over all lines, and then a look at those that have any of them.
_ANY: Final = re2_pattern(b"|".join((_OF_ENDS, _OF_VERDICTS, _OF_LEVELS)))
_ENDED: Final = re2_pattern(_OF_ENDS)
_VERDICT: Final = re2_pattern(_OF_VERDICTS)
_OF_LEVEL: Final = re2_pattern(_OF_LEVELS)
_PLAIN: Final = re2_pattern(
    rb"(?im)(?:^|[^\w./@-])(?:errors?|fail(?:ed|ures?|s|ing|ure)?|(?:\w*exceptions?|\w+error)|fatal|abort(?:ed|ing)?"
    rb"|crash(?:ed)?|cannot|can'?t|can not|could ?n[o']t|could not|unable to|not found|no such|nothing provides"
    rb"|does ?n[o']t exist|does not (?:exist|match)|undefined|unresolved|unrecognized|unknown|unexpected|invalid"
    rb"|illegal|incorrect|mismatch(?:ed)?|denied|refused|forbidden|unauthorized|timed[ -]?out|timeout|killed"
    rb"|terminated|missing|expected|not (?:allowed|permitted|supported|defined|available|installed|equal|in order)"
    rb"|conflicts?|violat(?:es|ed|ions?)|but (?:was|got|actual)|did not|didn'?t|would (?:be )?reformat(?:ted)?"
    rb"|unmet|unsatisfied|out of memory|no space left"
    rb"|problems?|broken|please|must|should|wrong)"
    rb"(?:[\s,;:!?)\]'\"`]|\.\s|\.?$)|warn(?:ings?)?\b|\bdeprecat(?:ed|ion)\b"
)

# The line is about something that went well, or that has not happened yet.
_FINE: Final = re2_pattern(
    rb"(?im)\b(?:pass(?:ed)?|ok|skip(?:ped)?|success)\]?[ \t]*(?:\[ *\d+%\]|\(?[\d.,]+ ?m?s\)?)?$"
    rb"|^[ \t]*(?:ok\b|---? (?:pass|skip)|=== (?:run|cont|pause)|[\x{2713}\x{2714}\x{221A}]|checking )"
    rb"|^(?:skip|xfail|xpass|get|fetched|unpacking|selecting|preparing|setting up|installing|downloading|collecting)\b"
    rb"|^-- (?:looking for|performing test|check)|\bskipped\b|exited with 0\b|\(ignored\)$"
)
_NONE: Final = re2_pattern(
    rb"(?im)^# (?:fail(?:ed)?|errors?) +0$|\berror count: 0\b"
    rb"|\b(?:0|no|zero) (?:\w+ )?(?:errors?|failures?|failed|failing|warnings?|problems?)\b"
    rb"|\b(?:errors?|failures?|failed|warnings?)[\"']?[ \t]*[:=][ \t]*(?:0\b|(?:null|none|false)[ \t]*(?:[,;)\]}]|$))"
)
_SOME_TOO: Final = re2_pattern(
    rb"(?i)\b[1-9]\d* (?:\w+ )?(?:errors?|failures?|failed|failing)\b|\b(?:errors?|failures?|failed)[:=] *[1-9]"
)
# A compiler's command line: its options and files are named after all sorts of things.
_COMMAND: Final = re2_pattern(rb" -(?:c|o|O\d|Wall|I\S+|D\S+|W\S+|L\S+|f\S+|std=\S+|classpath|cp) ")

# A line that says itself how little it matters.
_WARNS: Final = re2_pattern(rb"(?m)^(?:[^ \n]{1,40} {1,9}){0,4}?[\[(<]?(?:(?i:warn(?:ing)?)[\]:>)]|WARN(?:ING)?\b)")
_INFORMS: Final = re2_pattern(
    rb"(?m)^(?:[^ \n]{1,40} {1,9}){0,4}?[\[(<]?(?:(?i:info|debug|trace|notice)[\]:>)]|(?:INFO|DEBUG|TRACE|NOTICE)\b)"
)
# What is told at such a level and yet is a verdict.
_INSISTS: Final = re2_pattern(rb"\*\*\* (?:\d+ TESTS? )?FAILED|\bDATA RACE\b|\[(?:INFO|info)\] .*\bFAIL(?:ED|URE)\b")


class Alarm(NamedTuple):
    line: int
    strength: int
    word: bytes  # what tells, as it stands in the line


def find_alarms(templates: Templates, effort: Effort, sentences: int | None = None) -> list[Alarm]:
    """The lines that tell of failure, in order; of those that tell by words in a sentence only the last ones."""
    texts = templates.texts
    ends: Sequence[int]
    found = dict(lines_with(_ANY, templates.shown))
    # Words of a sentence are looked for where a line says something for the first or the last time: a compiler may warn
    # of the same a thousand times. Where nearly every line says something new, it is quicker to look at all.
    if 2 * len(templates.first_of) > len(texts):
        ends, shown = range(len(texts)), templates.shown
    else:
        ends = sorted({*templates.firsts, *templates.lasts})
        shown = b"\n".join(texts[line] for line in ends)
    for place, word in deque(lines_with(_PLAIN, shown), sentences):
        found.setdefault(ends[place], word)
    effort.spend(3 * len(found))
    return _judged(texts, sorted(found.items()))


def _judged(texts: Sequence[bytes], found: list[tuple[int, bytes]]) -> list[Alarm]:
    """Those lines that do tell, with their strength. `found` are lines in order, with the word that was found."""
    looked = b"\n".join(texts[line] for line, _ in found)

    def having(pattern: re.Pattern[bytes]) -> set[int]:
        return {place for place, _ in lines_with(pattern, looked)}

    calm = having(_FINE) | (having(_NONE) - having(_SOME_TOO))
    commands, ended, verdict, level = having(_COMMAND), having(_ENDED), having(_VERDICT), having(_OF_LEVEL)
    insists = having(_INSISTS)
    warns, informs = having(_WARNS) - insists, having(_INFORMS) - insists
    alarms: list[Alarm] = []
    for place, (line, word) in enumerate(found):
        strong = place in verdict or place in level
        if place in calm or (place in commands and not (strong or place in ended)):
            continue
        if place in ended:
            strength = ENDED
        elif place in warns or (not strong and word[:4].lower() in (b"warn", b"depr")):
            strength = WEAK
        elif place in informs or not strong:
            strength = PLAIN
        else:
            strength = VERDICT if place in verdict else STRONG
        alarms.append(Alarm(line, strength, word))
    return alarms
