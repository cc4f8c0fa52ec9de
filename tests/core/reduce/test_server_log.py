"""Logs of services: what is out of the ordinary, whatever makes it so, within the times that the log is of."""

from __future__ import annotations

import pytest

from core.reduce.materials import MATERIALS
from penstock.core.content import content_of_bytes
from penstock.core.flow import Case, bound
from penstock.core.limits import Limits
from penstock.core.measure import Size
from penstock.core.policy import Policy
from penstock.core.reduce import sample_of
from penstock.core.reduce.contract import Ask, Room
from penstock.core.reduce.server_log import SERVER_LOG
from penstock.core.view import View


def view(text: str, chars: int, query: str = "") -> View:
    found = bound(Case(content_of_bytes(text.encode()), Policy(Limits(chars=chars)), "chars", query=query))
    assert found.kind == "server_log"
    return found


def at(n: int) -> str:
    return f"2026-03-01 {n // 3600:02d}:{n // 60 % 60:02d}:{n % 60:02d},{n % 997:03d}"


def log(many: int = 20_000, **odd: str) -> str:
    """A service that says the same few things all day, with odd lines by their number."""
    said = (
        "opened gate {0} in {1} ms",
        "closed gate {0}",
        "request 7f{0}a{1} took {1} ms",
        "level of basin {0} is {1}",
    )
    usual = (f"INFO  [worker-{n % 9}] gate: {said[n % 4].format(n % 77, n * 7 % 990)}" for n in range(many))
    return "".join(f"{at(n)} {odd.get(f'at_{n}', line)}\n" for n, line in enumerate(usual))


@pytest.mark.parametrize("query", ["", "Which unusual events happened?", "What is odd here?"])
def test_rare_lines_are_shown_wherever_they_are(query: str) -> None:
    odd = {
        "at_4711": "INFO  [worker-3] gate: hinge was oiled by the keeper",
        "at_9000": "ERROR [worker-1] gate: could not open: no water",
        "at_15003": "WARN  [worker-4] pump: slower than it was",
    }
    shown = view(log(**odd), 2_500, query).text
    assert all(line in shown for line in odd.values())


def test_first_and_last_lines_are_shown() -> None:
    text = log()
    shown = view(text, 1_500).text
    assert shown.startswith("2026-03-01 00:00:00,000 INFO")
    assert text.splitlines()[-1] in shown


def test_each_template_is_shown_before_many_of_one() -> None:
    shown = view(log(), 1_500).text
    assert all(said in shown for said in ("opened gate", "closed gate", "took", "level of basin"))


def test_error_is_shown_with_the_first_frames_below_it_and_other_frames_leave_room_for_rare_lines() -> None:
    frames = "\n".join(f"\tat river.Gate.step{'x' * n}(Gate.java:{n})" for n in range(40))
    quiet = "\n".join(f"\tat dry.Dam.{'y' * n}(D)" for n in range(40))
    odd = {f"at_{500 * n}": f"INFO  [worker-1] gate: {'q' * n} is new" for n in range(1, 13)}
    odd["at_7001"] = f"ERROR [worker-1] gate: could not open\njava.io.IOException: no water\n{frames}"
    odd["at_8001"] = f"INFO  [worker-1] gate: a trace, for nothing\n{quiet}"
    shown = view(log(**odd), 2_300).text
    assert "java.io.IOException: no water\n\tat river.Gate.step(" in shown
    assert all(f"{'q' * n} is new" in shown for n in range(1, 13))
    assert "a trace, for nothing" in shown
    assert "step" + "x" * 30 not in shown and shown.count("dry.Dam.") < 6


def test_frequent_error_leaves_room_for_what_is_rare() -> None:
    odd = {f"at_{n}": f"ERROR [worker-1] gate: could not open gate {n}" for n in range(0, 20_000, 7)}
    odd["at_13001"] = "INFO  [worker-3] gate: hinge was oiled by the keeper"
    shown = view(log(**odd), 2_000).text
    assert "hinge was oiled" in shown and "could not open gate" in shown


def test_request_that_is_asked_for_is_shown_and_errors_with_it() -> None:
    odd = {
        "at_501": "INFO  [worker-2] gate: accepted req-5f2b91c7",
        "at_12001": "INFO  [worker-2] gate: finished req-5f2b91c7",
        "at_700": "ERROR [worker-2] gate: hinge broke",
    }
    shown = view(log(**odd), 1_800, "What happened to request req-5f2b91c7?").text
    assert "accepted req-5f2b91c7" in shown and "finished req-5f2b91c7" in shown and "hinge broke" in shown


def test_log_without_dates_counts_only_indented_lines_as_below_others() -> None:
    text = "".join(f"E{'abcdefgh'[n % 8] * 3} gate says {'abcdefgh'[n % 8]}\n" for n in range(400))
    text += "panic: the dam broke\n  below the panic\n" + text
    content = content_of_bytes(text.encode())
    spans = SERVER_LOG.reduce(content, Ask()).choose(Room(300, None, None, Size(16, 1, 16))).spans
    assert "panic: the dam broke\n  below the panic\n" in "".join(content.text(span) for span in spans)


LINES = {
    "syslog": "Mar  1 12:00:07 valley gated[812]: opened\n",
    "nginx": '10.0.0.7 - - [01/Mar/2026:12:00:07 +0000] "GET / HTTP/1.1" 200 612 "-" "curl/8"\n',
    "nginx errors": "2026/03/01 12:00:07 [error] 812#812: *7 open() failed\n",
    "apache errors": "[Sun Mar 01 12:00:07 2026] [notice] gate is ready\n",
    "log4j": "2026-03-01 12:00:07,123 INFO  [main] river.Gate - opened\n",
    "python": "2026-03-01 12:00:07,123 - gate - WARNING - shut\n",
    "json": '{"time":"2026-03-01T12:00:07Z","level":"info","msg":"opened"}\n',
    "logfmt": 'time=2026-03-01T12:00:07Z level=info msg="opened"\n',
    "klog": "I0301 12:00:07.123456       1 gate.go:71] opened\n",
    "spark": "26/03/01 12:00:07 INFO river.Gate: opened\n",
    "hdfs": "260301 120007 71 INFO river.Gate: opened\n",
    "android": "03-01 12:00:07.123  1702  2395 D Gate: opened\n",
}


@pytest.mark.parametrize("name", LINES)
def test_log_is_told_by_the_times_of_its_lines(name: str) -> None:
    assert SERVER_LOG.fit(sample_of(content_of_bytes(LINES[name].encode() * 400), "text")) >= 0.6


@pytest.mark.parametrize(
    "text",
    [
        "",
        LINES["syslog"] * 2,
        "2026-03-01T12:00:07.1234567Z ##[group]Run make\n" * 40,
        "2026-03-01T12:00:07.1234567Z cc -c gate.c\n" * 40,
        "12:00:07 INFO opened\n" + "a plain line without any time\n" * 40,
        *(text for name, text in MATERIALS.items() if not name.startswith("server_log")),
    ],
)
def test_other_output_is_not_taken_for_a_log(text: str) -> None:
    assert SERVER_LOG.fit(sample_of(content_of_bytes(text.encode()), "text")) == 0
