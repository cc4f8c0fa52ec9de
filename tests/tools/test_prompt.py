from __future__ import annotations

from penstock.search.words import stem
from penstock.tools.prompt import Prompt


def test_words_and_names_are_those_of_the_query() -> None:
    prompt = Prompt("where are retries of open_gate configured")
    assert {stem("retry"), stem("gate"), stem("configured"), "cfg"} <= set(prompt.words)
    assert prompt.names == {"open_gate"}
    assert "where" not in prompt.words


def test_path_in_a_query_makes_its_file_count_most() -> None:
    prompt = Prompt("fix src/flow/valve.py, please")
    assert prompt.likes("src/flow/valve.py") > prompt.likes("src/other/valve.py") > prompt.likes("src/other/weir.py")
    assert Prompt("see valve.py").likes("src/flow/valve.py") == prompt.likes("src/flow/valve.py")
    assert Prompt("all of src/flow").likes("src/flow/gate.py") == prompt.likes("src/flow/valve.py")
    assert Prompt("the end. of it").likes("src/end") < prompt.likes("src/flow/valve.py")


def test_file_that_is_called_after_the_query_counts_more() -> None:
    prompt = Prompt("retry policy")
    assert prompt.likes("net/retry_policy.py") > prompt.likes("net/retry.py") > prompt.likes("policy/retries/x.py") > 0
    assert prompt.likes("net/gate.py") == 0


def test_no_prompt_likes_nothing_and_has_what_it_was_given() -> None:
    prompt = Prompt("", ["a.py"])
    assert prompt.likes("a.py") == 0
    assert prompt.has("a.py") and not prompt.has("b.py")
    assert not prompt.words and not prompt.names


def test_very_long_prompt_takes_no_time() -> None:
    assert Prompt("gate/valve.py " * 100_000).likes("gate/valve.py") > 0
