from __future__ import annotations

import time
from collections.abc import Mapping

from penstock.search.languages import Language
from penstock.search.walk import Source
from penstock.tools.prompt import Prompt
from penstock.tools.references import References
from penstock.tools.tags import tags_of


def graph(files: Mapping[str, str]) -> References:
    return References(
        [(path, tags_of(Source(Language("python"), text), time.monotonic() + 60)) for path, text in files.items()]
    )


def best(files: Mapping[str, str], query: str = "", given: tuple[str, ...] = ()) -> list[str]:
    references = graph(files)
    return [
        references.files[one.file][1].definitions[one.number].name
        for one in references.best(Prompt(query, given), 1_000)
    ]


TREE = {
    "gate.py": "class SluiceGate: ...\nclass WeirGate: ...\n",
    "a.py": "def first_user(): return SluiceGate()\n",
    "b.py": "def second_user(): return SluiceGate()\n",
    "c.py": "def third_user(): return WeirGate()\n",
}


def test_what_more_files_use_comes_first() -> None:
    assert best(TREE)[:2] == ["SluiceGate", "WeirGate"]


def test_what_files_use_that_are_used_comes_before_what_leaves_use() -> None:
    files = {
        "deep.py": "def deep_helper(): ...\n",
        "leaf.py": "def leaf_helper(): ...\n",
        "hub.py": "def hub_helper(): return deep_helper()\n",
        "lone.py": "def lone_user(): return leaf_helper()\n",
        **{f"u{n}.py": "hub_helper()\n" for n in range(5)},
    }
    found = best(files)
    assert found.index("deep_helper") < found.index("leaf_helper")


def test_definition_that_is_named_comes_first() -> None:
    assert best(TREE, "third_user")[0] == "third_user"
    assert best(TREE, "what does the weir do")[0] == "WeirGate"


def test_files_that_the_reader_has_are_left_out_and_what_they_use_comes_first() -> None:
    found = best(TREE, given=("c.py",))
    assert found[0] == "WeirGate"
    assert "third_user" not in found


def test_private_and_local_definitions_and_values_come_behind_others() -> None:
    found = best({"a.py": "def _hidden(): ...\nLIMIT = 1\ndef shown():\n    def inner(): ...\n"})
    assert found[0] == "shown"
    assert found.index("LIMIT") < found.index("_hidden")
    assert found[-1] == "inner"


def test_tests_come_behind_what_they_test() -> None:
    files = {"tests/test_gate.py": "def test_helper(): return turn_gate()\n", "gate.py": "def turn_gate(): ...\n"}
    files |= {f"tests/test_{n}.py": "test_helper()\n" for n in range(3)}
    assert best(files) == ["turn_gate", "test_helper"]


def test_name_that_everybody_defines_counts_less_than_one_that_a_single_file_does() -> None:
    files = {f"m{n}.py": "def make_common(): ...\n" for n in range(10)}
    files |= {"rare.py": "def make_special(): ...\n", "user.py": "def user(): return make_special(make_common())\n"}
    assert best(files)[0] == "make_special"


def test_file_refers_to_nobody_by_a_name_of_its_own() -> None:
    references = graph({"a.py": "def open_gate(): ...\n", "b.py": "def open_gate(): ...\nopen_gate()\n"})
    assert references._links == [{}, {}]


def test_graph_of_a_name_that_all_use_and_many_define_grows_with_the_files_alone() -> None:
    count = 300
    files = {f"d{n:03}.py": "def run_it(): ...\n" for n in range(count)}
    files |= {f"u{n:03}.py": "run_it()\n" for n in range(count)}
    references = graph(files)
    assert sum(map(len, references._links)) == 2 * count


def test_same_files_and_prompt_give_the_same_order() -> None:
    assert best(TREE, "gate user") == best(dict(TREE), "gate user")


def test_names_that_a_prompt_asks_for_change_nothing_for_the_next_one() -> None:
    references = graph(TREE)
    before = references.best(Prompt(), 100)
    references.best(Prompt("WeirGate"), 100)
    assert references.best(Prompt(), 100) == before


def test_no_files_and_files_without_definitions_have_nothing() -> None:
    assert best({}) == []
    assert best({"a.py": "print(1)\n"}) == []


def test_time_that_is_over_leaves_a_ranking() -> None:
    references = References(graph(TREE).files, lambda: True)
    assert len(references.best(Prompt("gate"), 100, lambda: True)) == 5


def test_time_grows_with_the_files_and_not_with_their_square() -> None:
    def seconds(count: int) -> float:
        files = {
            f"m{n}.py": f"class Valve{n}: ...\nuse(Valve{n * 7 % count}(), Valve{n * 13 % count}())\n"
            for n in range(count)
        }
        tagged = graph(files).files
        began = time.process_time()
        References(tagged).best(Prompt("valve"), 100)
        return time.process_time() - began

    seconds(100)
    assert seconds(3_000) < 30 * max(seconds(300), 0.01)
