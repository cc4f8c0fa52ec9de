from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.tokens import MOST_BYTES_PER_TOKEN
from penstock.counters import bpe, counter_named
from penstock.counters.bpe import ENCODINGS, BpeCounter
from penstock.errors import MissingExtra

exact = pytest.mark.skipif(bpe.find_spec("bpe_openai") is None, reason="the extra `tokens` is not installed")
TEXT = st.text(max_size=80) | st.text(st.sampled_from(" \n-a1é你😀\ud800\udfff\0"), max_size=80)


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


@exact
@pytest.mark.parametrize(
    ("encoding", "text", "count"),
    [
        ("o200k_base", "hello world", 2),
        ("cl100k_base", "hello world", 2),
        ("o200k_base", "안녕하세요", 2),
        ("cl100k_base", "안녕하세요", 5),
        ("o200k_base", "", 0),
        ("o200k_base", "a\0b", 3),
        ("o200k_base", "1234567", 3),
    ],
)
def test_count_is_that_of_the_encoding(encoding: str, text: str, count: int) -> None:
    assert BpeCounter(encoding).count(text) == count


@exact
def test_marks_of_special_tokens_in_a_text_are_ordinary_text() -> None:
    assert BpeCounter().count("<|endoftext|>") == 7


@exact
@pytest.mark.parametrize("encoding", ENCODINGS)
@given(text=TEXT)
def test_counts_keep_the_bounds_that_limits_rely_on(encoding: str, text: str) -> None:
    size = len(text.encode("utf-8", "surrogatepass"))
    assert size / MOST_BYTES_PER_TOKEN <= BpeCounter(encoding).count(text) <= size


@exact
@given(TEXT, st.integers(-1, 100))
def test_count_up_to_is_the_count_or_none_above_the_limit(text: str, limit: int) -> None:
    count = BpeCounter().count(text)
    assert BpeCounter().count_up_to(text, limit) == (count if count <= limit else None)


@exact
def test_a_lone_surrogate_counts_as_what_is_sent_in_its_place() -> None:
    counter = BpeCounter()
    assert counter.count("a\ud800b\udc00") == counter.count("a\ufffdb\ufffd")
    assert counter.count_up_to("a\ud800b", 100) == counter.count("a\ufffdb")


@exact
def test_a_text_far_over_the_limit_is_not_tokenized(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bpe, "_tokenizer", lambda encoding: pytest.fail("tokenized"))
    assert BpeCounter().count_up_to("x" * 1_281, 10) is None


@exact
def test_a_counter_says_that_it_is_exact_and_of_which_encoding() -> None:
    assert [(BpeCounter(name).name, BpeCounter(name).exact) for name in ENCODINGS] == [
        (name, True) for name in ENCODINGS
    ]


def test_an_unknown_encoding_is_refused_with_what_is_allowed() -> None:
    with pytest.raises(ValueError, match="'gpt2' is not an encoding: allowed is o200k_base, cl100k_base"):
        BpeCounter("gpt2")


def test_without_the_extra_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "bpe_openai", None)
    with pytest.raises(MissingExtra, match=r"counting tokens of o200k_base .*penstock\[tokens\]") as caught:
        BpeCounter()
    assert caught.value.extra == "tokens"


@exact
def test_the_vocabulary_is_loaded_at_the_first_count_and_not_before() -> None:
    assert run(
        "import sys; from penstock.counters import counter_named; counter = counter_named('o200k_base');"
        "print([name for name in sys.modules if name.startswith('bpe_openai')]);"
        "counter.count('a'); print([name for name in sys.modules if name.startswith('bpe_openai')])"
    ).splitlines() == ["[]", "['bpe_openai._bindings']"]


@exact
@pytest.mark.parametrize(
    "first", ["import bpe_openai", "from penstock.counters.bpe import BpeCounter; BpeCounter().count('a')"]
)
def test_the_package_can_be_imported_before_and_after_a_count(first: str) -> None:
    assert (
        run(
            f"{first}\nimport bpe_openai\nfrom penstock.counters.bpe import BpeCounter\n"
            "print(BpeCounter().count('hello world'), len(bpe_openai.get_encoding('o200k_base').encode('hello world')))"
        )
        == "2 2"
    )


@exact
def test_threads_that_count_first_at_once_all_get_the_count() -> None:
    assert (
        run(
            "from concurrent.futures import ThreadPoolExecutor; from penstock.counters.bpe import BpeCounter;"
            "print(set(ThreadPoolExecutor(8).map(lambda _: BpeCounter().count('hello world'), range(64))))"
        )
        == "{2}"
    )


def test_a_counter_is_found_by_its_name() -> None:
    assert counter_named("estimate").exact is False


@exact
@pytest.mark.parametrize("name", ENCODINGS)
def test_an_exact_counter_is_found_by_the_name_of_its_encoding(name: str) -> None:
    assert (counter_named(name).name, counter_named(name).exact) == (name, True)


def test_an_unknown_counter_is_refused_with_what_is_allowed() -> None:
    with pytest.raises(
        ValueError, match="'gpt-4' is not a token counter: allowed is estimate, o200k_base, cl100k_base"
    ):
        counter_named("gpt-4")
