"""What a view shows of some text, for tests of what kinds choose."""

from __future__ import annotations

from penstock.core.content import content_of_text
from penstock.core.flow import Case, bound
from penstock.core.limits import Limits
from penstock.core.policy import Policy
from penstock.core.view import View


def view_of(text: str, chars: int = 4_000, query: str = "", *, compact: bool = True) -> View:
    policy = Policy(Limits(chars=chars), layout="auto" if compact else "verbatim")
    return bound(Case(content_of_text(text), policy, "chars", query=query))
