from __future__ import annotations

import json
import logging
import re
import time
from pathlib import Path
from typing import Any

import pytest

from penstock.core.limits import Limits
from penstock.errors import ArgumentError, ContinuationError, StoreError, UpstreamError
from penstock.search.code_search import CodeSearch
from penstock.search.contract import Batch, Chunk, FileState, IndexedFile
from penstock.search.embedder import Vector

from .conftest import Workshop
from .models import ByWords

BODY = "".join(f"    step_{number} = charge({number})\n" for number in range(20))
SHOP = {
    "pay/charge.py": "".join(
        f"def charge_{n}(card):\n    '''Take money from a card.'''\n{BODY}\n\n" for n in range(30)
    ),
    "pay/refund.ts": "export function refund(card: string) { return card }\n",
    "ship/label.py": "def print_label(address):\n    return address\n",
}


@pytest.fixture
def shop(workshop: Workshop) -> Workshop:
    workshop.lay(SHOP)
    workshop.index()
    return workshop


def test_result_has_every_field_and_the_lines_around_it(shop: Workshop) -> None:
    page = shop.ask("charge_7")
    first = page["results"][0]
    assert set(first) == {
        "chunk_id", "repository_id", "file_path", "language", "start_line", "end_line", "similarity_score", "content",
        "context_before", "context_after",
    }  # fmt: skip
    lines = SHOP["pay/charge.py"].splitlines(keepends=True)
    start, end = first["start_line"], first["end_line"]
    assert first["content"] == "".join(lines[start - 1 : end]) and "def charge_7(" in first["content"]
    assert first["context_before"] == "".join(lines[start - 11 : start - 1])
    assert first["context_after"] == "".join(lines[end : end + 10])
    assert (first["repository_id"], first["file_path"], first["language"]) == ("code", "pay/charge.py", "python")


def test_response_tells_what_search_code_promises(shop: Workshop) -> None:
    page = shop.ask("charge a card")
    assert page["project_id"] == "shop" and page["database_name"] == "shop.sqlite"
    assert page["latency_ms"] >= 0
    assert page["total_count"] == page["returned_count"] == len(page["results"]) == 10
    assert page["truncated"] is False and page["truncation_info"]["reason"] is None


def test_first_result_of_a_file_has_no_line_before_it(shop: Workshop) -> None:
    [result] = shop.ask("print_label", file_type="py", directory="ship")["results"]
    assert (result["context_before"], result["context_after"], result["start_line"]) == ("", "", 1)


def test_chunk_keeps_its_id_from_run_to_run(shop: Workshop) -> None:
    def ids() -> list[str]:
        return [result["chunk_id"] for result in shop.ask("card", limit=50)["results"]]

    before = ids()
    shop.index()
    assert ids() == before and len(set(before)) == len(before)


@pytest.mark.parametrize(
    ("arguments", "paths"),
    [
        ({"file_type": "ts"}, {"pay/refund.ts"}),
        ({"file_type": ".ts"}, {"pay/refund.ts"}),
        ({"file_type": "typescript"}, {"pay/refund.ts"}),
        ({"directory": "pay/"}, {"pay/refund.ts", "pay/charge.py"}),
        ({"directory": "./pay"}, {"pay/refund.ts", "pay/charge.py"}),
        ({"directory": "."}, {"pay/refund.ts", "pay/charge.py"}),
        ({"directory": "ship"}, set()),
        ({"repository_id": "code"}, {"pay/refund.ts", "pay/charge.py"}),
    ],
)
def test_search_is_narrowed(shop: Workshop, arguments: dict[str, Any], paths: set[str]) -> None:
    assert set(shop.found("card", **arguments)) == paths


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            {"directory": "nope"},
            "directory = 'nope' is not allowed: it must be a folder that has indexed files, such as pay",
        ),
        ({"directory": "pay/charge"}, "directory = 'pay/charge' is not allowed"),
        ({"file_type": "rs"}, "file_type = 'rs' is not allowed: it must be that of indexed files, such as py, ts"),
        ({"file_type": "rs", "directory": "ship"}, "file_type = 'rs' is not allowed"),
    ],
)
def test_filter_that_nothing_can_pass_is_named_with_what_there_is(
    shop: Workshop, arguments: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ArgumentError, match=re.escape(sentence)):
        shop.ask("card", **arguments)
    assert shop.found("nothing_of_this_name", file_type="ts", repository_id="code") == []


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"query": ""}, "query = '' is not allowed: it must be a text that is not empty"),
        ({"query": "x" * 10_001}, "of at most 10,000 characters"),
        ({"query": 7}, "query = 7 is not allowed"),
        ({"query": "card \ud800"}, r"query = 'card \\ud800' is not allowed"),
        ({"limit": 0}, "limit = 0 is not allowed: it must be a whole number from 1 to 50"),
        ({"limit": 51}, "limit = 51 is not allowed"),
        ({"limit": True}, "limit = True is not allowed"),
        ({"limit": "10"}, "limit = '10' is not allowed"),
        ({"project_id": "none"}, "project_id = 'none' is not allowed: it must be one of those that are indexed: shop"),
        ({"project_id": "../shop"}, "project_id = '../shop' is not allowed: it must be 1 to 100 of A-Z"),
        ({"project_id": ""}, "project_id = ''"),
        ({"repository_id": "none"}, "repository_id = 'none' is not allowed: it must be one of this project: code"),
        ({"file_type": "*.py"}, r"file_type = '\*.py' is not allowed: it must be an extension"),
        ({"directory": "../pay"}, "directory = '../pay' is not allowed: it must be a folder of the repository"),
        ({"directory": "/pay"}, "directory = '/pay' is not allowed"),
        ({"directory": 3}, "directory = 3 is not allowed"),
        ({"directory": "\udcff"}, r"directory = '\\udcff' is not allowed"),
    ],
)
def test_wrong_argument_is_named_with_what_is_allowed(shop: Workshop, arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ArgumentError, match=sentence):
        shop.search.search_code(**{"query": "card", "project_id": "shop", **arguments})


def test_first_project_is_told_how_to_make(tmp_path: Path) -> None:
    with CodeSearch(tmp_path / "none") as search, pytest.raises(ArgumentError, match="penstock index PATH --project"):
        search.search_code("x", "shop")


def test_results_over_the_limits_go_on_with_a_token(shop: Workshop, caplog: pytest.LogCaptureFixture) -> None:
    narrow = CodeSearch(shop.folder, limits=Limits(chars=8_000))
    seen: list[str] = []
    token = None
    with caplog.at_level(logging.INFO, logger="penstock.search"):
        while True:
            text = narrow.search_code("charge card", "shop", limit=15, continuation=token).text
            assert len(text) <= 6_400
            page = json.loads(text)
            seen += [result["chunk_id"] for result in page["results"]]
            assert page["total_count"] == 15
            token = page.get("continuation")
            if token is None:
                break
            assert page["truncated"] and page["truncation_info"]["reason"] == "character_limit"
    assert len(seen) == len(set(seen)) == 15
    assert any(record.levelno == logging.WARNING and "truncated" in record.message for record in caplog.records)
    narrow.close()


def test_token_of_another_search_is_refused(shop: Workshop) -> None:
    narrow = CodeSearch(shop.folder, limits=Limits(chars=8_000))
    token = narrow.search_code("charge card", "shop", limit=15).continuation
    for other in ({"query": "refund"}, {"limit": 14}, {"directory": "pay"}):
        arguments: dict[str, Any] = {"query": "charge card", "project_id": "shop", "limit": 15, **other}
        with pytest.raises(ContinuationError):
            narrow.search_code(**arguments, continuation=token)
    narrow.close()


def test_index_that_was_replaced_is_opened_anew(shop: Workshop) -> None:
    assert shop.found("refund")[0] == "pay/refund.ts"
    for path in shop.folder.iterdir():
        path.unlink()
    with pytest.raises(ArgumentError, match="there is none yet"):
        shop.ask("refund")
    shop.lay({"new.py": "def refund(): ...\n"})
    shop.index()
    assert "new.py" in shop.found("refund")


def test_projects_do_not_see_one_another(shop: Workshop) -> None:
    shop.lay({"secret.py": "def hidden(): ...\n"})
    shop.index(project="other")
    assert shop.found("hidden") == []
    assert shop.found("hidden", project="other") == ["secret.py"]
    assert shop.search.projects.names() == ["other", "shop"]


def test_other_files_in_the_folder_are_no_projects(shop: Workshop) -> None:
    (shop.folder / "notes.txt").write_text("x")
    (shop.folder / "broken.sqlite").write_text("x" * 2_000)
    assert shop.search.projects.names() == ["broken", "shop"]
    with pytest.raises(StoreError, match="damaged"):
        shop.ask("x", project="broken")


@pytest.mark.parametrize(
    "query", ["???", "how does it", "AND OR NOT", 'a" OR "b', "charge*", "^charge", "日本語", "\x00"]
)
def test_any_text_is_a_query(shop: Workshop, query: str) -> None:
    assert shop.ask(query)["total_count"] >= 0


def test_query_in_chinese_finds_chinese(workshop: Workshop) -> None:
    workshop.lay({"a.py": "# 打开数据库连接池\ndef f(): ...\n", "b.py": "# 关闭文件\ndef g(): ...\n"})
    workshop.index()
    assert workshop.found("数据库连接")[0] == "a.py"


@pytest.mark.parametrize(
    "line", ['"\\"' * 30, "é\t" * 40, "\U0001f600" * 40, "x = 1"], ids=["quotes", "accents", "emoji", "plain"]
)
def test_response_is_never_over_its_limit_and_the_best_are_in_it(workshop: Workshop, line: str) -> None:
    body = "".join(f"    # alpha {line}\n" for _ in range(40))
    workshop.lay({f"f{number}.py": f"def alpha{number}():\n{body}" for number in range(60)})
    workshop.index()
    page = workshop.search.search_code("alpha", "shop", limit=50)
    told = json.loads(page.text)
    assert len(page.text) <= 100_000
    assert told["total_count"] == 50 and told["returned_count"] >= 3
    assert told["truncated"] == (told["returned_count"] < 50) == (told["truncation_info"]["reason"] is not None)
    scores = [result["similarity_score"] for result in told["results"]]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.slow
def test_search_stays_fast_as_an_index_grows(tmp_path: Path) -> None:
    """Of words that every chunk has, too: 30,000 chunks take not ten times as long as 3,000."""

    def seconds(chunks: int) -> float:
        with CodeSearch(tmp_path) as search:
            index = search.projects.made(f"p{chunks}")
            index.begin("code", "/code")
            for start in range(0, chunks, 1_000):
                files = [
                    IndexedFile(
                        f"d{number % 50}/f{number}.py",
                        "python",
                        FileState(1, 1, b""),
                        [Chunk(1, 2, f"common words everywhere in it\nterm{number % 977}\n", (f"name{number}",), ())],
                    )
                    for number in range(start, start + 1_000)
                ]
                index.write("code", Batch(files))
            index.close()
            queries = ["common words everywhere", "name77 common", "term5 words", "everywhere"]
            for query in queries:
                search.search_code(query, f"p{chunks}")
            began = time.process_time()
            for query in queries * 3:
                search.search_code(query, f"p{chunks}")
            return time.process_time() - began

    small = seconds(3_000)
    assert seconds(30_000) < 14 * small + 0.5


# -- by meaning --------------------------------------------------------------------------------------------------------

PLANT = {
    "a.py": "def release():\n    valve = open_it\n    valve.turn()\n",
    "b.py": "def sing():\n    song = 1\n",
    "c.py": "def close():\n    gate = shut\n",
}


@pytest.fixture
def plant(workshop: Workshop) -> Workshop:
    workshop.lay(PLANT)
    return workshop


def test_vectors_find_what_says_it_in_other_words(plant: Workshop) -> None:
    model = ByWords()
    plant.index(embedder=model)
    assert plant.found("steam vents") == []
    by_meaning = CodeSearch(plant.folder, embedder=model)
    page = json.loads(by_meaning.search_code("steam vents", "shop").text)
    assert page["results"][0]["file_path"] == "a.py"
    assert page["results"][0]["similarity_score"] > page["results"][1]["similarity_score"]
    with pytest.raises(ArgumentError, match="directory = 'b' is not allowed"):
        by_meaning.search_code("steam vents", "shop", directory="b")
    by_meaning.close()


def test_name_is_looked_up_without_the_model(plant: Workshop) -> None:
    model = ByWords()
    plant.index(embedder=model)
    model.asked.clear()
    by_meaning = CodeSearch(plant.folder, embedder=model)
    by_meaning.search_code("release", "shop")
    assert model.asked == []
    by_meaning.close()


def test_search_goes_on_by_words_where_the_model_does_not_answer(plant: Workshop) -> None:
    class Gone(ByWords):
        def query(self, text: str) -> Vector:
            raise UpstreamError("http://127.0.0.1:1/v1", "connection refused")

    plant.index(embedder=ByWords())
    search = CodeSearch(plant.folder, embedder=Gone())
    page = search.search_code("turn the valve", "shop")
    assert [result["file_path"] for result in page.results] == ["a.py"]
    (note,) = page.notes
    assert note.level == "warning"
    assert note.text.startswith("searched by words alone: http://127.0.0.1:1/v1 gave no answer")
    (warning,) = json.loads(page.text)["warnings"]  # for the model, which sees no log
    assert warning.startswith("Searched by words alone")
    search.close()


def test_search_goes_on_by_words_where_the_model_has_become_another(plant: Workshop) -> None:
    plant.index(embedder=ByWords(size=3))
    search = CodeSearch(plant.folder, embedder=ByWords(size=4), language="zh")
    page = search.search_code("turn the valve", "shop")
    assert [result["file_path"] for result in page.results] == ["a.py"]
    (note,) = page.notes
    assert note.text.endswith("its vector has 4 numbers, and those of the index have 3")
    assert "仅按词语检索" in page.warnings[0]
    search.close()


def test_question_that_means_nothing_to_the_model_brings_nothing_near(plant: Workshop) -> None:
    plant.index(embedder=ByWords())
    search = CodeSearch(plant.folder, embedder=ByWords())
    assert search.search_code("what else", "shop").results == ()
    search.close()


def test_next_page_is_right_or_refused_where_the_model_answers_no_more(plant: Workshop) -> None:
    class Once(ByWords):
        gone = False

        def query(self, text: str) -> Vector:
            if self.gone:
                raise UpstreamError("http://127.0.0.1:1/v1", "connection refused")
            return super().query(text)

    model = Once()
    plant.index(embedder=model)
    search = CodeSearch(plant.folder, embedder=model, limits=Limits(chars=1_000))
    first = search.search_code("turn the valve or shut the gate", "shop")
    assert len(first.results) == 1
    second = search.search_code("turn the valve or shut the gate", "shop", continuation=first.continuation)
    assert first.results != second.results
    model.gone = True
    with pytest.raises(ContinuationError, match="the results have changed since"):
        search.search_code("turn the valve or shut the gate", "shop", continuation=first.continuation)
    search.close()


def test_project_without_vectors_of_the_model_is_told_to_be_indexed_again(plant: Workshop) -> None:
    plant.index(embedder=ByWords("old"))
    search = CodeSearch(plant.folder, embedder=ByWords("new"))
    page = search.search_code("turn the valve", "shop")
    assert [note.text for note in page.notes] == [
        "searched by words alone: the project has no vectors of new; index it again"
    ]
    assert [result["file_path"] for result in page.results] == ["a.py"]
    search.close()
