"""Source code: the outline, and the body that the question is about."""

from __future__ import annotations

import pytest

from core.reduce.shown import view_of
from penstock.core.content import content_of_text
from penstock.core.reduce import sample_of
from penstock.core.reduce.source import fit


def python(functions: int = 60) -> str:
    parts = ['"""Pumps and valves."""\n\nimport os\n\n']
    for n in range(functions):
        parts.append(
            f"\n@cached\ndef step_{n}(\n    self,\n    pressure={n},\n):\n"
            f'    """Take step {n}."""\n    level = pressure + {n}\n'
            f"    for part in range({n}):\n        level += part * {n}\n\n    return level\n\n"
        )
    return "".join(parts)


def test_every_definition_is_shown_with_its_decorators_and_first_words() -> None:
    view = view_of(python(), 9_000)
    assert view.kind == "source"
    for n in range(60):
        assert f'@cached\ndef step_{n}(\n    self,\n    pressure={n},\n):\n    """Take step {n}."""\n' in view.text


def test_body_that_the_question_speaks_of_is_shown_with_its_definition() -> None:
    text = python()
    text = text.replace("        level += part * 41\n", "        level += viscosity(part)\n")
    shown = view_of(text, 1_500, "Where is the viscosity computed?").text
    assert "def step_41(\n" in shown
    assert "        level += viscosity(part)\n" in shown


def test_definition_that_the_question_names_is_shown_whole() -> None:
    shown = view_of(python(), 1_500, "step_37").text
    assert "def step_37(\n" in shown
    assert "    for part in range(37):\n        level += part * 37\n\n    return level\n" in shown


def test_method_is_shown_with_its_class() -> None:
    text = "".join(
        f"class Part{n}:\n" + "".join(f"    def do_{n}_{k}(self):\n        return {k}\n\n" for k in range(20))
        for n in range(20)
    )
    shown = view_of(text, 900, "do_13_7").text
    assert "class Part13:\n" in shown
    assert "    def do_13_7(self):\n        return 7\n" in shown


@pytest.mark.parametrize("number", ["{:>6}\t{}", "{:>5}→{}", "{}: {}", "{:4} | {}"])
def test_lines_may_have_their_numbers_in_front(number: str) -> None:
    text = "".join(number.format(n, line) + "\n" for n, line in enumerate(python().splitlines(), 1))
    view = view_of(text, 3_000, "step_37")
    assert view.kind == "source"
    assert "def step_37(\n" in view.text
    assert "return level\n" in view.text


CODE = {
    "go": 'package a\n\nimport "b"\n\n'
    + "".join(
        f"// Do{n} does.\nfunc (p *Pump) Do{n}(x int) error {{\n\ty := x + {n}\n\treturn p.do(y)\n}}\n\n"
        for n in range(60)
    ),
    "rust": "use a::b;\n\n"
    + "".join(f"/// Does.\npub fn do{n}(x: i32) -> i32 {{\n    let y = x + {n};\n    y\n}}\n\n" for n in range(60)),
    "java": "package a;\n\npublic class A {\n"
    + "".join(f"    @Override\n    public int do{n}(int x) {{\n        return x + {n};\n    }}\n\n" for n in range(60))
    + "}\n",
    "c": "#include <a.h>\n\n" + "".join(f"static int do{n}(int x)\n{{\n\treturn x + {n};\n}}\n\n" for n in range(60)),
    "typescript": 'import a from "a";\n\n'
    + "".join(f"export const do{n} = async (x: number) => {{\n  return x + {n};\n}};\n\n" for n in range(60)),
    "ruby": "require 'a'\n\nclass A\n"
    + "".join(f"  def do{n}(x)\n    go(x, {n})\n  end\n\n" for n in range(60))
    + "end\n",
    "sql": "".join(f"CREATE TABLE do{n} (\n  id INT,\n  size INT\n);\n\n" for n in range(60)),
    "shell": "#!/bin/sh\n\n" + "".join(f"function do{n}() {{\n  echo {n};\n  go {n};\n}}\n\n" for n in range(60)),
}


@pytest.mark.parametrize("language", CODE)
def test_outline_of_a_language_is_shown(language: str) -> None:
    view = view_of(CODE[language], 3_900)
    assert view.kind == "source"
    assert sum(f"do{n}" in view.text.lower() for n in range(60)) > 45


def test_settings_are_shown_by_their_keys() -> None:
    text = "".join(f"service{n}:\n  image: pump/{n}\n  ports:\n    - {n}\n  restart: always\n" for n in range(80))
    view = view_of(text, 2_500)
    assert view.kind == "source"
    assert sum(f"service{n}:\n" in view.text for n in range(80)) > 55


def test_long_line_is_shown_in_part() -> None:
    text = python(20) + "\ndef table():\n    a = 1\n    data = [" + "1, " * 4_000 + "]\n    return data\n"
    view = view_of(text, 3_000, "table data")
    assert "def table():\n" in view.text
    assert "    return data\n" in view.text


@pytest.mark.parametrize(
    "text",
    [
        '{\n  "a": 1,\n  "b": [\n    2\n  ]\n}\n' * 20,
        "<html>\n<body>\n" * 20,
        "2026-03-02 10:00:00 INFO opened (valve);\n" * 30,
        "The valve is open.\nNobody minds the noise.\n" * 20,
        "def a():\n    return 1\n",
        "",
    ],
)
def test_what_is_no_source_is_left_to_others(text: str) -> None:
    assert fit(sample_of(content_of_text(text), "text")) < 0.5


def test_definition_with_very_many_parameters_is_shown_by_its_first_line() -> None:
    text = "".join(
        f"def step_{n}(\n" + "".join(f"    p{k}: int,\n" for k in range(12)) + "):\n    return 1\n\n\n"
        for n in range(60)
    )
    view = view_of(text, 3_500)
    assert view.kind == "source"
    assert all(f"def step_{n}(\n" in view.text for n in range(60))
