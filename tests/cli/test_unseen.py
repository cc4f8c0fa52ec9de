from __future__ import annotations

from .conftest import LONG, call


def test_unseen_shows_what_no_view_has_shown_until_all_was(kept: str) -> None:
    shown = {line for line in call("pipe", "--tool", "build", stdin=LONG).text.splitlines() if line.startswith("line ")}
    for _ in range(60):
        done = call("unseen", kept)
        assert done.code == 0
        assert len(done.text) <= 8_000
        if "all of it" in done.text:
            break
        fresh = {line for line in done.text.splitlines() if line.startswith("line ")}
        assert fresh and not fresh & shown
        shown |= fresh
    assert len(shown) == 9_000
    assert call("unseen", kept, "--json").json["all_shown"] is True


def test_json_has_what_is_shown_and_hidden(kept: str) -> None:
    told = call("unseen", kept, "--json").json
    assert told["handle"] == kept
    assert told["all_shown"] is False
    assert sum(stop - start for start, stop in [*told["shown"], *told["hidden"]]) == len(LONG)
