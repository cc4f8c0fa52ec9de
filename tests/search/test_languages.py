from __future__ import annotations

import pytest

from penstock.search.languages import (
    is_extension,
    is_language,
    language_of,
    language_of_header,
    language_of_script,
    may_be_script,
)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("a/b.py", "python"),
        ("B.CS", "csharp"),
        ("x.tsx", "tsx"),
        ("Makefile", "make"),
        ("docker/Dockerfile.dev", "dockerfile"),
        ("CMakeLists.txt", "cmake"),
        ("notes.txt", "text"),
        ("lib/x.kt", "kotlin"),
    ],
)
def test_name_tells_the_language(path: str, name: str) -> None:
    found = language_of(path)
    assert found is not None and found.name == name


@pytest.mark.parametrize("path", ["a.png", "a", ".gitignore", ".py", "x.unheard"])
def test_name_that_tells_nothing_has_no_language(path: str) -> None:
    assert language_of(path) is None


@pytest.mark.parametrize(
    ("line", "name"),
    [
        (b"#!/bin/sh\n", "bash"),
        (b"#!/usr/bin/env python3\n", "python"),
        (b"#!/usr/bin/env -S deno run\n", "typescript"),
        (b"#!/usr/bin/awk -f\n", None),
        (b"echo\n", None),
        (b"", None),
    ],
)
def test_first_line_tells_the_language_of_a_script(line: bytes, name: str | None) -> None:
    found = language_of_script(line)
    assert (found.name if found else None) == name
    assert may_be_script("bin/run") and not may_be_script("bin/run.x")


def test_prose_and_data_miss_no_grammar() -> None:
    for path in ("README.md", "a.json", "b.yaml", "c.txt"):
        language = language_of(path)
        assert language is not None and not language.wants_grammar
    code = language_of("a.go")
    assert code is not None and code.wants_grammar and not code.is_prose and not code.is_data


def test_kinds_of_files_are_named_by_extension_and_by_language() -> None:
    assert is_extension("py") and not is_extension("python")
    assert is_language("python") and is_language("dockerfile") and not is_language("py")


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (b"#ifndef A_H\nint f(void); // a template <class> of C++\n/* namespace x */\n", "c"),
        (b'#ifdef __cplusplus\nextern "C" {\n#endif\nstruct a { int public; };\n', "c"),
        (b"template <typename T> class A {};\n", "cpp"),
        (b"namespace a::b {\n", "cpp"),
        (b"class A {\n  public:\n", "cpp"),
        (b"using A = int;\n", "cpp"),
        (b"#import <A.h>\n@interface A : NSObject\n@end\n", "objc"),
        (b"", "c"),
    ],
)
def test_header_is_of_the_language_whose_words_it_has(head: bytes, name: str) -> None:
    assert language_of_header(head).name == name
