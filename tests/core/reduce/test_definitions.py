"""Lines that define, in many languages, and lines that only look like it."""

from __future__ import annotations

import pytest

from penstock.core.reduce.definitions import defines, sureness

DEFINING = [
    b"def run(self):",
    b"    async def run(self):",
    b"class run(Base):",
    b"func (r *Runner) run(ctx context.Context) error {",
    b"pub fn run<T: Read>(input: T) -> Result<()> {",
    b"impl<T> run for Runner<T> {",
    b"export default function run() {",
    b"export const run = async (x) => {",
    b"    public static void run(String[] args) {",
    b"int run(struct runner *r)",
    b"std::string Runner::run(int x) {",
    b"#define run(x) ((x) + 1)",
    b"  run(a, b) {",
    b"interface run {",
    b"module run",
    b"  def self.run(x)",
    b"CREATE TABLE run (",
    b"create or replace function run(x int)",
    b"macro_rules! run {",
    b"fun run(x: Int): Int {",
    b"template class run {",
    b"typedef struct run {",
]

USING = [
    b"    run(x)",
    b"    return run(x)",
    b"if (run(x)) {",
    b"    x = run(y)",
    b"from a import run",
    b"# run the thing",
    b"    else if run(x) {",
    b"import run",
    b"} while (run(x));",
    b"run(x);",
    b"",
    b"   ",
]


@pytest.mark.parametrize("line", DEFINING[:20])
def test_line_defines(line: bytes) -> None:
    assert defines(line)


@pytest.mark.parametrize("line", USING)
def test_line_that_uses_does_not_define(line: bytes) -> None:
    assert not defines(line)


@pytest.mark.parametrize("line", [line for line in DEFINING if not line.startswith(b"template")])
def test_line_that_defines_a_word_is_told_from_one_that_uses_it(line: bytes) -> None:
    assert sureness(line, b"run") >= 0.8 or line.startswith(b"  run")
    assert all(sureness(use, b"run") <= 0.1 for use in USING if b"run" in use)


def test_word_in_a_longer_name_is_less_sure_than_the_name() -> None:
    assert sureness(b"def run(x):", b"run") > sureness(b"run = 3", b"run") > sureness(b"def rerun(run):", b"run") > 0
    assert sureness(b".. function:: lib.run", b"run") > 0


def test_definition_of_something_else_with_the_word_in_it_is_none() -> None:
    assert sureness(b"def start(run):", b"run") == 0
    assert sureness(b"class Start: run", b"run") == 0
