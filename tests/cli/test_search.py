from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("semble_grammars", reason="the code index needs penstock[search]")

from .conftest import call


@pytest.fixture(autouse=True)
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PENSTOCK_SEARCH_DIR", str(tmp_path / "indexes"))
    root = tmp_path / "code"
    (root / "pay").mkdir(parents=True)
    (root / "pay" / "card.py").write_text("def charge(card):\n    return card\n")
    for number in range(30):
        (root / f"step{number}.ts").write_text(f"// charge a card, step {number}\n" + "export const x = 1\n" * 70)
    assert call("index", str(root), "--project", "shop").code == 0


def test_results_are_printed_with_their_places(tmp_path: Path) -> None:
    done = call("search", "charge", "--project", "shop", "-n", "1")
    head, *body = done.text.splitlines()
    assert head.startswith("code/pay/card.py:1-2  0.")
    assert body == ["def charge(card):", "    return card"]


def test_json_is_what_a_model_gets() -> None:
    page = call("search", "charge", "--project", "shop", "--json", "--type", "py").json
    assert page["project_id"] == "shop"
    assert [result["file_path"] for result in page["results"]] == ["pay/card.py"]
    assert call("search", "charge", "--project", "shop", "--json", "--in", "pay").json["total_count"] == 1
    assert call("search", "charge", "--project", "shop", "--json", "--repository", "code").json["total_count"] == 10


def test_answer_within_the_limits_goes_on_with_a_token(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    settings = tmp_path / "narrow.yaml"
    settings.write_text("tool_output_limits: {tools: {search_code: {max_chars: 6000}}}\n")
    arguments = ("--config", str(settings), "search", "charge", "--project", "shop")
    first = call(*arguments)
    assert "there are more: go on with --continue " in first.err
    token = first.err.split()[-1]
    second = call(*arguments, "--continue", token)
    assert second.code == 0 and second.text and second.text != first.text


def test_nothing_found_is_said() -> None:
    done = call("search", "zebra", "--project", "shop")
    assert (done.code, done.out, done.err) == (0, b"", "penstock: nothing found\n")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("x", "--project", "none"), "one of those that are indexed: shop"),
        (("x", "--project", "shop", "-n", "51"), "limit = 51 is not allowed: it must be a whole number from 1 to 50"),
        (("", "--project", "shop"), "query = ''"),
        (("x", "--project", "shop", "--continue", "nonsense"), "continues nothing"),
    ],
)
def test_wrong_call_is_told(arguments: tuple[str, ...], sentence: str) -> None:
    done = call("search", *arguments)
    assert done.code == 2 and sentence in done.err
