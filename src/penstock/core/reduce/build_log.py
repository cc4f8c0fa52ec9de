"""Build and CI logs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from penstock.core.content import Content, Span
from penstock.core.reduce.alarms import find_alarms
from penstock.core.reduce.contract import Ask, Choice, Plan, Reducer, Room, Sample
from penstock.core.reduce.lines import Lines
from penstock.core.reduce.pick import pick
from penstock.core.reduce.templates import Templates
from penstock.core.reduce.worth import worths


def fit(sample: Sample) -> float:
    return 0.5


class _Units(Sequence[Span]):
    def __init__(self, lines, most, at):
        self.lines, self.most, self.at = lines, most, at
    def __len__(self): return len(self.lines)
    def __getitem__(self, i):
        if i < 0: i += len(self.lines)
        return self.lines.unit(i, self.at.get(i, 0), self.most)


def reduce(content: Content, ask: Ask) -> Plan:
    lines = Lines(content)
    ask.effort.spend(len(lines))
    templates = Templates(content.data)
    alarms = find_alarms(templates, ask.effort)
    worth = worths(templates, alarms)
    at = {a.line: max(0, lines.texts[a.line].find(a.word)) for a in alarms if len(lines.texts[a.line]) > 200}
    order = sorted(worth, key=lambda i: (-worth[i], -i))
    common = templates.common

    def choose(room: Room) -> Choice:
        most = max(300, min(4000, room.least // 8))
        units = _Units(lines, most, at)
        back = range(len(lines) - 1, -1, -1)
        rest = chain((i for i in back if common[i] < 32), back)
        return Choice(pick(content, units, chain(order, rest), room))

    return Plan(choose)


BUILD_LOG = Reducer("build_log", fit, reduce)
