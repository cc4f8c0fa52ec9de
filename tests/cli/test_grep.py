from __future__ import annotations

import pytest

from .conftest import LONG, call


def test_found_lines_are_printed_as_grep_does(kept: str) -> None:
    done = call("grep", kept, "^line 500$", "-C", "1")
    assert (done.code, done.text) == (0, "499-line 499\n500:line 500\n501-line 501\n")
    assert done.err == "penstock: 1 matching line\n"


def test_nothing_found_is_exit_code_1(kept: str) -> None:
    done = call("grep", kept, "nowhere")
    assert (done.code, done.out, done.err) == (1, b"", "penstock: 0 matching lines\n")


@pytest.mark.parametrize(
    "args", [["("], [""], ["x", "-m", "0"], ["x", "-C", "-1"], ["x", "--seconds", "0"], ["x", "--seconds", "nan"], []]
)
def test_misuse_is_exit_code_2(args: list[str], kept: str) -> None:
    done = call("grep", kept, *args)
    assert (done.code, done.out) == (2, b"")
    assert done.err.startswith("penstock: ")


def test_unknown_handle_is_exit_code_2_since_1_would_mean_not_found() -> None:
    assert call("grep", "ps-aaaaaaaaaaaaaaaa", "x").code == 2
    assert call("grep", "nonsense", "x").code == 2


def test_options_are_those_of_grep(kept: str) -> None:
    assert call("grep", kept, "LINE 77$").code == 1
    assert call("grep", "-i", kept, "LINE 77$", "-C0").text == "77:line 77\n"
    assert call("grep", "-F", kept, "line 77$").code == 1
    assert call("grep", kept, "line 9[0-9]$", "-C0", "-m2").text == "90:line 90\n91:line 91\n".replace(
        "\n9", "\n--\n9", 0
    )
    assert call("grep", kept, "--", "-x").code == 1


def test_note_says_how_to_go_on(kept: str) -> None:
    done = call("grep", kept, "00$", "-C0", "-m", "2")
    assert done.text == "100:line 100\n--\n200:line 200\n"
    assert "go on with --start " in done.err
    start = done.err.rsplit(" ", 1)[1].strip()
    assert call("grep", kept, "00$", "-C0", "-m", "1", "--start", start).text == "300:line 300\n"


def test_hits_that_have_no_room_are_still_found(kept: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PENSTOCK_AGENT_GUARD_CHARS", "10")
    done = call("grep", kept, "line")
    assert done.code == 0


def test_search_that_is_given_up_is_no_answer() -> None:
    call("pipe", stdin=LONG * 100)
    handle = call("ls", "--json").jsons[0]["handle"]
    done = call("grep", handle, "n[o]thing like this", "--seconds", "0.0000001")
    assert done.code == 2
    assert "--seconds gives it longer" in done.err


def test_json_has_the_place_of_each_match(kept: str) -> None:
    found = call("grep", kept, "^line 3$", "--json").json
    assert found["matches"] == [{"line": 3, "start": 14, "stop": 20}]
    assert found["complete"] is True
    assert "3:line 3" in found["text"]


def test_undecodable_pattern_is_refused_in_a_sentence(kept: str) -> None:
    done = call("grep", kept, "\udcff")
    assert done.code == 2
    assert "UTF-8" in done.err
