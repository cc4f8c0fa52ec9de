from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.search.chunks import LONGEST_LINE, MOST, chunked
from penstock.search.contract import Chunk
from penstock.search.grammars import parse


def cut(source: str, language: str = "python", most: int = MOST) -> list[Chunk]:
    return chunked(source.splitlines(keepends=True), parse(language, source.encode()), most)


def function(name: str, lines: int) -> str:
    return f"def {name}(value):\n" + "".join(f"    value = value + {number}\n" for number in range(lines)) + "\n\n"


def whole(chunks: list[Chunk]) -> str:
    return "".join(chunk.content for chunk in chunks)


def test_chunks_together_are_the_file_without_a_gap() -> None:
    source = "".join(function(f"f{number}", number) for number in range(60))
    chunks = cut(source)
    assert whole(chunks) == source
    assert chunks[0].start_line == 1
    assert all(one.end_line + 1 == other.start_line for one, other in pairwise(chunks))
    assert chunks[-1].end_line == source.count("\n")


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.sampled_from(["def f():", "    x = 1", "", "class A:", "# word", "}", "((", "  '''", "é\t"]), max_size=80
    ),
    st.sampled_from(["python", "javascript", "c", "bash", "haskell", "elixir"]),
    st.integers(5, 120),
)
def test_any_source_is_cut_without_loss(lines: list[str], language: str, most: int) -> None:
    source = "".join(line + "\n" for line in lines)
    assert whole(cut(source, language, most)) == (source if source.strip() else "")


def test_function_that_fits_is_whole() -> None:
    source = "".join(function(f"f{number}", 30) for number in range(20))
    for number in range(20):
        [holder] = [chunk for chunk in cut(source) if f"def f{number}(" in chunk.content]
        assert function(f"f{number}", 30).strip() in holder.content


def test_small_neighbours_share_a_chunk() -> None:
    assert len(cut("".join(function(f"f{number}", 1) for number in range(10)))) == 1


def test_chunk_is_no_longer_than_it_may_be_unless_a_line_is() -> None:
    source = "class A:\n" + "".join("    " + line + "\n" for line in function("f", 400).splitlines())
    assert all(len(chunk.content) <= MOST for chunk in cut(source))
    [alone] = [chunk for chunk in cut("x = 1\n" * 400 + "y = '" + "z" * 1_800 + "'\n") if "zzz" in chunk.content]
    assert alone.content.count("\n") == 1


def test_comment_and_decorator_go_with_what_they_stand_before() -> None:
    source = function("f", 60) + "# tells of g\n@cached\n" + function("g", 60)
    [holder] = [chunk for chunk in cut(source) if "def g" in chunk.content]
    assert "# tells of g\n@cached\ndef g" in holder.content


def test_chunk_knows_what_it_defines_and_what_it_is_inside_of() -> None:
    source = "class Box:\n" + "".join(
        "    " + line + "\n" for n in range(9) for line in function(f"f{n}", 30).split("\n")
    )
    chunks = cut(source)
    assert "Box" in chunks[0].symbols
    [inner] = [chunk for chunk in chunks if "def f8" in chunk.content]
    assert inner.scope == ("Box",) and "f8" in inner.symbols and "Box" not in inner.symbols


def test_file_without_a_tree_is_cut_at_its_least_indented_lines() -> None:
    lines = ["head\n", *["    body of the text\n"] * 60] * 3
    chunks = chunked(lines, None)
    assert all(len(chunk.content) <= MOST for chunk in chunks)
    assert sum(chunk.content.startswith("head") for chunk in chunks) == 3


def test_longest_lines_are_shown_by_their_beginning_with_a_mark() -> None:
    [chunk] = chunked(["a" * (LONGEST_LINE + 7) + "\r\n"], None)
    assert chunk.content == "a" * LONGEST_LINE + "[... 7 characters]\r\n"


@pytest.mark.parametrize("source", ["", "\n", "   \n\n"])
def test_file_of_white_space_has_no_chunk(source: str) -> None:
    assert cut(source) == []


def test_cutting_takes_time_as_the_file_grows() -> None:
    import time

    def seconds(count: int) -> float:
        source = "".join(function(f"f{number}", 5) for number in range(count))
        lines, parsed = source.splitlines(keepends=True), parse("python", source.encode())
        began = time.process_time()
        chunked(lines, parsed)
        return time.process_time() - began

    seconds(100)
    small = min(seconds(300) for _ in range(3))
    assert seconds(3_000) < 30 * small + 0.2


def test_code_nested_deeper_than_any_is_cut_all_the_same() -> None:
    source = "".join("  " * depth + f"if x{depth}:\n" for depth in range(90)) + "  " * 90 + "pass\n"
    chunks = cut(source, most=300)
    assert whole(chunks) == source
    assert all(len(chunk.content) <= 300 for chunk in chunks)


def test_several_statements_on_one_line_are_not_cut_apart() -> None:
    source = "x = 1; " * 40 + "\n" + "y = 1\n" * 300
    assert cut(source)[0].content.startswith("x = 1; " * 40 + "\n")


def test_name_with_a_dot_is_known_by_its_end_too() -> None:
    [chunk] = cut("defmodule Store.Box do\n  def open, do: 1\nend\n", "elixir")
    assert chunk.symbols == ("Store.Box", "Box", "open")


@pytest.mark.parametrize(
    ("language", "source"),
    [
        ("rust", "impl Lid for Box {\n    fn open(&self) {}\n}\n%s\npub struct Box {}\n"),
        ("swift", "extension Box: Lid {\n    func open() {}\n}\n%s\npublic class Box {}\n"),
    ],
)
def test_what_adds_to_a_type_is_inside_of_it_and_does_not_define_it(language: str, source: str) -> None:
    more, *_, own = cut(source % ("// apart\n" * 200), language)
    assert (more.symbols[0], more.scope[0]) == ("open", "Box")
    assert "Box" not in more.symbols
    assert own.symbols == ("Box",)
