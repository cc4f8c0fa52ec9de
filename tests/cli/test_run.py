from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from .conftest import COMMAND, call, kept_files, process, python

posix = pytest.mark.skipif(sys.platform == "win32", reason="signals and process groups of POSIX")

# Says that it runs, then waits for the signals that a test sends, and has last words.
PATIENT = """
import signal, sys, time
def last_words(number, _):
    print("last words", flush=True)
    sys.exit(7)
for name in ("SIGINT", "SIGTERM", "SIGHUP"):
    signal.signal(getattr(signal, name), last_words)
print("running", flush=True)
open("running", "w").close()
time.sleep(60)
"""


@contextlib.contextmanager
def running(*args: str, code: str = PATIENT) -> Iterator[subprocess.Popen[bytes]]:
    """`penstock run args` once its command has begun."""
    with subprocess.Popen(
        [*COMMAND, "run", *args, "--", *python(code)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as penstock:
        try:
            until = time.monotonic() + 20
            while not Path("running").exists():
                assert time.monotonic() < until and penstock.poll() is None
                time.sleep(0.01)
            yield penstock
        finally:
            penstock.kill()


def alive(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def test_output_that_fits_is_the_command_s_own_bytes(project: Path) -> None:
    done = call("run", "--", *python(r"import sys; sys.stdout.buffer.write(b'a\xff\x00\r\n\r b')"))
    assert (done.code, done.out, done.err) == (0, b"a\xff\x00\r\n\r b", "")
    assert not kept_files(project)


def test_options_after_the_command_are_the_command_s() -> None:
    assert call("run", *python("import sys; print(sys.argv[1:])"), "--json", "-h").text == "['--json', '-h']\n"


def test_command_has_our_stdin() -> None:
    done = process("run", "--", *python("import sys; print(sys.stdin.read().upper())"), stdin=b"hello")
    assert done.out == b"HELLO\n"


@pytest.mark.parametrize("code", [0, 1, 3, 255])
def test_exit_code_is_the_command_s(code: int) -> None:
    assert call("run", "--", *python(f"raise SystemExit({code})")).code == code


@posix
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV])
def test_command_ended_by_a_signal_gives_128_and_its_number(number: int) -> None:
    done = call("run", "--", *python(f"import os; print('a', flush=True); os.kill(os.getpid(), {number})"))
    assert (done.code, done.text) == (128 + number, "a\n")


@posix
def test_command_that_is_not_there_or_no_program_is_told_as_shells_do(project: Path) -> None:
    (project / "data").write_text("no program")
    (project / "script").write_text("echo no first line that says what runs it")
    (project / "script").chmod(0o755)
    (project / "wrong").write_text("#!/no/such/interpreter\n")
    (project / "wrong").chmod(0o755)
    codes = [call("run", name).code for name in ("no-such-command", "./data", "./script", "./wrong", ".")]
    assert codes == [127, 126, 126, 127, 126]
    done = call("run", "./\udcff\x1b[31m")
    assert (done.code, done.err) == (127, "penstock: ./\\udcff\\x1b[31m cannot be run: not found\n")
    assert call("run", "a\0b").code == 126


def test_stderr_is_taken_in_the_order_of_writing() -> None:
    code = "import os\nfor i in range(5): os.write(1, b'out '); os.write(2, b'err ')"
    done = call("run", "--", *python(code))
    assert (done.out, done.err) == (b"out err " * 5, "")


def test_separate_stderr_has_a_view_of_its_own() -> None:
    code = "import sys\nfor i in range(9000): print('out', i); print('err', i, file=sys.stderr)"
    done = call("run", "--stderr", "separate", "--max-lines", "10", "--", *python(code))
    assert b"err" not in done.out
    assert "out" not in done.err
    assert done.out.count(b"\n") <= 10
    assert done.err.count("\n") <= 10
    assert {record["tool"] for record in call("ls", "--json").jsons} == {Path(sys.executable).name}
    assert len(call("ls", "--json").jsons) == 2


def test_separate_stderr_without_a_word_prints_none() -> None:
    assert call("run", "--stderr", "separate", "--json", "--", *python("print(1)")).err == ""


def test_passed_stderr_is_not_touched(project: Path) -> None:
    code = "import sys; sys.stderr.write('e' * 60_000)"
    done = process("run", "--stderr", "pass", "--", *python(code))
    assert (done.out, done.err) == (b"", "e" * 60_000)
    assert not kept_files(project)


def test_view_of_a_long_output_is_within_the_limits_and_the_whole_is_kept(project: Path) -> None:
    done = call("run", "--max-lines", "20", "--", *python("for i in range(9000): print(i)"))
    assert done.out.count(b"\n") <= 20
    (file,) = kept_files(project)
    assert file.read_text() == "".join(f"{i}\n" for i in range(9_000))


def test_tool_is_the_name_of_the_command_unless_it_is_said() -> None:
    long = python("print('x' * 60_000)")
    call("run", "--", *long)
    call("run", "--tool", "mine", "--", sys.executable, "-c", "print('y' * 60_000)")
    assert [record["tool"] for record in call("ls", "--json").jsons] == ["mine", Path(sys.executable).name]


def test_envelope_has_command_exit_code_and_duration() -> None:
    command = python("print('half'); raise SystemExit(3)")
    done = call("run", "--json", "--", *command)
    envelope = done.json
    assert done.code == 3
    assert envelope["status"] == "error"
    assert envelope["text"] == "half\n"
    assert envelope["context"].pop("duration") >= 0
    assert envelope["context"] == {"command": command, "exit_code": 3}
    assert envelope["error"] == {"code": "EXIT_CODE", "message": "the command ended with exit code 3"}


def test_envelope_of_success_says_so() -> None:
    envelope = call("run", "--json", "--", *python("print('all')")).json
    assert (envelope["status"], envelope["data"], envelope["error"]) == ("success", {"truncated": False}, None)


def test_envelope_of_a_long_output_is_within_the_limits_with_its_context(project: Path) -> None:
    code = "for i in range(9000): print(i)\nraise SystemExit(4)"
    done = call("run", "--json", "--max-bytes", "4000", "--", *python(code))
    assert len(done.out) <= 4_000
    envelope = done.json
    assert envelope["status"] == "error"
    assert envelope["context"]["exit_code"] == 4
    assert envelope["data"]["truncation"]["full_output_path"] == str(kept_files(project)[0])
    assert envelope["data"]["preview"].startswith("0\n1\n")
    assert kept_files(project)[0].read_bytes() == b"".join(b"%d\n" % i for i in range(9_000))


def test_envelope_is_kept_whole_where_only_it_does_not_fit(project: Path) -> None:
    done = call("run", "--json", "--max-bytes", "900", "--", *python(r"print('\n' * 700, end='')"))
    assert len(done.out) <= 900
    assert done.json["status"] == "partial"
    assert kept_files(project)[0].read_bytes() == b"\n" * 700


def test_envelope_without_a_store_still_has_the_exit_code(project: Path) -> None:
    (project / "tool-output").write_text("a file, where a folder should be")
    code = "for i in range(9000): print(i)\nraise SystemExit(4)"
    envelope = call("run", "--json", "--max-bytes", "4000", "--", *python(code)).json
    assert envelope["status"] == "error"
    assert envelope["context"]["exit_code"] == 4
    assert envelope["data"]["truncation"]["handle"] is None


@posix
def test_timeout_ends_the_command_and_all_it_started() -> None:
    code = """
import subprocess, sys, time
inner = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
print(inner.pid, flush=True)
time.sleep(60)
"""
    began = time.monotonic()
    done = process("run", "--timeout", "1", "--json", "--", *python(code))
    assert time.monotonic() - began < 15
    assert done.code == 124
    assert done.json["context"]["timed_out"] is True
    assert done.json["context"]["exit_code"] == 124
    assert "ended after 1 second:" in done.err
    assert not alive(int(done.json["text"]))


@posix
def test_timeout_that_is_no_time_is_refused() -> None:
    for text in ("nan", "0", "-1", "soon"):
        done = call("run", "--timeout", text, "--", "true")
        assert (done.code, done.out) == (2, b"")
        assert "--timeout" in done.err


def test_timeout_kills_a_command_that_does_not_listen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penstock.cli.run.KILL_AFTER", 0.3)
    code = (
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('here', flush=True); time.sleep(60)"
    )
    done = call("run", "--timeout", "1", "--", *python(code))
    assert (done.code, done.text) == (124, "here\n")


@posix
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signal_is_handed_on_and_what_came_so_far_is_printed(number: int) -> None:
    with running() as penstock:
        penstock.send_signal(number)
        out, err = penstock.communicate(timeout=20)
    assert (penstock.returncode, out) == (7, b"running\nlast words\n")
    assert f"interrupted by {signal.Signals(number).name}".encode() in err


@posix
def test_interrupted_run_says_so_in_its_envelope() -> None:
    with running("--json", code=PATIENT.replace("signal.signal(", "(lambda *_: 0)(")) as penstock:
        penstock.send_signal(signal.SIGTERM)
        done = subprocess.CompletedProcess([], penstock.wait(20), *penstock.communicate(timeout=20))
    assert done.returncode == 128 + signal.SIGTERM
    assert b'"interrupted":"SIGTERM"' in done.stdout
    assert b'"status":"error"' in done.stdout


@posix
def test_signal_reaches_what_the_command_started() -> None:
    outer = f"import subprocess, sys; raise SystemExit(subprocess.call([sys.executable, '-c', {PATIENT!r}]))"
    with running(code=outer) as penstock:
        penstock.send_signal(signal.SIGTERM)
        out, _ = penstock.communicate(timeout=20)
    assert b"last words" in out


@posix
def test_ignored_signal_goes_on_being_ignored() -> None:
    code = "import signal; print(signal.getsignal(signal.SIGHUP) == signal.SIG_IGN)"
    done = subprocess.run(
        ["/bin/sh", "-c", 'trap "" HUP; exec "$@"', "sh", *COMMAND, "run", "--", *python(code)], capture_output=True
    )
    assert done.stdout == b"True\n"


@posix
def test_server_left_in_the_background_does_not_keep_us() -> None:
    code = """
import subprocess, sys
inner = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
print(inner.pid)
"""
    began = time.monotonic()
    done = process("run", "--", *python(code))
    assert time.monotonic() - began < 15
    assert done.code == 0
    assert "keeps its output open" in done.err
    inner = int(done.text)
    assert alive(inner)
    os.kill(inner, signal.SIGKILL)


def test_nothing_but_a_command_line_is_misuse() -> None:
    for args in ([], ["--"], ["--timeout", "0", "x"], ["--timeout", "soon", "x"], ["--max-lines", "0", "x"]):
        done = call("run", *args)
        assert (done.code, done.err.count("\n")) == (2, 1), args


def test_error_of_ours_leaves_no_command_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    from penstock.cli.taking import Taking

    def fail(self: Taking) -> None:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(Taking, "step", fail)
    code = "import os, time; open('pid', 'w').write(str(os.getpid())); time.sleep(60)"
    assert call("run", "--timeout", "50", "--", *python(code)).code == 1
    time.sleep(0.2)
    pid = Path("pid").read_text() if Path("pid").exists() else ""
    assert not pid or not alive(int(pid))
