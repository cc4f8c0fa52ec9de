"""`search_code`: code of an indexed project, found by what it does or by a name."""

from __future__ import annotations

from typing import Any, Final

from penstock.core.offers import Offer
from penstock.gate import BareGate
from penstock.search.code_search import MOST_RESULTS, RESULTS, CodeSearch
from penstock.tools.base import BareTool
from penstock.tools.toolset import Answer, Workshop

OFFER: Final = Offer(
    "search_code",
    "Find code in an indexed project by what it does, in words, or by the name of a function or class. Answers with"
    " JSON: results, the most similar first, each whole, with its file, lines, score and the lines around it. Where not"
    " all fit, truncated is true and continuation asks for the next ones.",
    {
        "query": {"type": "string", "description": "What is looked for: a question, a description, or a name."},
        "project_id": {"type": "string", "description": "The project, as it was indexed."},
        "repository_id": {"type": "string", "description": "Only this repository of the project."},
        "file_type": {"type": "string", "description": "Only files of this extension or language, such as py or go."},
        "directory": {"type": "string", "description": "Only below this folder of the repository."},
        "limit": {
            "type": "integer",
            "minimum": 1,
            "maximum": MOST_RESULTS,
            "description": f"How many results at most; {RESULTS} by default.",
        },
        "continuation": {
            "type": "string",
            "description": "What a truncated answer gave, with all other arguments as they were: the next results.",
        },
    },
    ("query", "project_id"),
)


class SearchCode(BareTool):
    name = OFFER.name
    offer = OFFER

    def __init__(self, gate: BareGate, search: CodeSearch) -> None:
        super().__init__(gate)
        self._search = search

    def execute(self, query: str, project_id: str, **options: Any) -> Answer:
        page = self._search.search_code(query, project_id, **options)
        return Answer(page.text, notes=tuple((note.level, note.text) for note in page.notes))

    def bound(self, output: Any, query: str) -> Any:
        """The response is packed within the limits, whole results only; this is the second safeguard."""
        view = self.admit(output.text, query)
        return output._replace(text=view.text) if view.truncated else output


def made(of: Workshop) -> SearchCode:
    return SearchCode(of.gate, of.search())
