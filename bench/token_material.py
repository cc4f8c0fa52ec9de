"""What the weights of the token estimate learn from: files of this machine, output of commands, generated text."""

from __future__ import annotations

import base64
import gettext
import gzip
import json
import os
import random
import string
import subprocess
import sysconfig
import unicodedata
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

LANGUAGES = [
    "de", "fr", "es", "it", "pt_BR", "nl", "sv", "pl", "cs", "hu", "fi", "tr", "vi", "id", "ro", "uk", "ru", "bg", "sr",
    "el", "he", "ar", "fa", "hi", "bn", "ta", "th", "ka", "ja", "ko", "zh_CN", "zh_TW",
]  # fmt: skip
STDLIB = sysconfig.get_path("stdlib")
FILES: Mapping[str, Sequence[str]] = {
    "python": (f"{STDLIB}/*.py", f"{STDLIB}/test/*.py", f"{STDLIB}/site-packages/*/*.py"),
    "c": ("/usr/include/*.h", "/usr/include/*/*.h"),
    "perl": ("/usr/share/perl5/**/*.pm", "/usr/share/perl/5*/**/*.pm"),
    "shell": ("/usr/bin/*.sh", "/var/lib/dpkg/info/*.postinst", "/etc/init.d/*"),
    "config": ("/etc/*.conf", "/etc/**/*.conf", "/etc/**/*.cfg", "/usr/lib/systemd/system/*"),
    "javascript": ("/usr/share/**/*.js", "~/.rustup/toolchains/*/share/doc/rust/html/*/book-*.js"),
    "minified": ("/usr/share/**/*.min.js", "~/.rustup/toolchains/*/share/doc/rust/html/rustdoc/*.js"),
    "vim script": ("/usr/share/vim/vim*/syntax/*.vim",),
    "rust": ("~/.cargo/registry/src/**/*.rs", "~/.rustup/toolchains/*/lib/rustlib/src/**/*.rs"),
    "html": ("/usr/share/doc/**/*.html", "~/.rustup/toolchains/*/share/doc/rust/html/book/*.html"),
    "xml": ("/usr/share/mime/**/*.xml", "/usr/share/**/*.svg", "/usr/share/xml/**/*.xml"),
    "man pages": ("/usr/share/man/man[1578]/*.gz",),
    "man de": ("/usr/share/man/de/**/*.gz", "/usr/share/vim/vim*/tutor/tutor.de.utf-8"),
    "man fr": ("/usr/share/man/fr/**/*.gz", "/usr/share/vim/vim*/tutor/tutor.fr.utf-8"),
    "man ja": ("/usr/share/man/ja/**/*.gz", "/usr/share/vim/vim*/tutor/tutor.ja.utf-8"),
    "man ko": ("/usr/share/man/ko/**/*.gz", "/usr/share/vim/vim*/tutor/tutor.ko.utf-8"),
    "man zh": ("/usr/share/man/zh_*/**/*.gz", "/usr/share/vim/vim*/tutor/tutor.zh_*.utf-8"),
    "man ru": ("/usr/share/man/ru/**/*.gz", "/usr/share/vim/vim*/tutor/tutor.ru.utf-8"),
    "man pl": ("/usr/share/man/pl/**/*.gz", "/usr/share/vim/vim*/tutor/tutor.pl.utf-8"),
    "man tr": ("/usr/share/man/tr/**/*.gz",),
    "text": ("/usr/share/vim/vim*/doc/*.txt", "/usr/share/perl/5*/pod/*.pod", "/usr/share/common-licenses/*"),
    "changelog": ("/usr/share/doc/*/changelog*.gz",),
    "copyright": ("/usr/share/doc/*/copyright",),
    "dpkg": ("/var/lib/dpkg/status", "/var/lib/dpkg/available"),
    "dpkg log": ("/var/log/dpkg.log", "/var/log/alternatives.log"),
    "file lists": ("/var/lib/dpkg/info/*.list",),
    "md5 sums": ("/var/lib/dpkg/info/*.md5sums",),
    "json": ("/usr/share/**/*.json", f"{STDLIB}/site-packages/**/*.json", "/usr/lib/node_modules/**/*.json"),
    "csv": ("/usr/share/**/*.csv", f"{STDLIB}/site-packages/**/*.csv"),
    "tables of numbers": (f"{STDLIB}/test/*.txt", f"{STDLIB}/site-packages/scipy/**/*.txt"),
    "time zones": (
        "/usr/share/zoneinfo/*.tab",
        "/usr/share/zoneinfo/leap-seconds.list",
        "/usr/share/i18n/locales/*",
    ),
    "certificates": ("/etc/ssl/certs/*.pem", "/usr/share/ca-certificates/**/*.crt"),
}
COMMANDS: Mapping[str, Sequence[str]] = {
    "ls": ("ls", "-laR", "/usr/lib/python3"),
    "ls bin": ("ls", "-la", "/usr/bin"),
    "find": ("find", "/usr/share/doc", "-name", "*.gz"),
    "processes": ("ps", "auxww"),
    "symbols": ("nm", "-D", "/usr/lib/x86_64-linux-gnu/libc.so.6"),
    "assembly": ("objdump", "-d", "--stop-address=0x40000", "/usr/lib/x86_64-linux-gnu/libc.so.6"),
    "xxd": ("xxd", "-l", "200000", "/usr/bin/perl"),
    "strings": ("strings", "-n", "6", "/usr/bin/perl"),
    "packages": ("dpkg", "-l"),
    "mounts": ("cat", "/proc/self/mountinfo", "/proc/meminfo", "/proc/cpuinfo", "/proc/self/maps"),
}
CLASS_BYTES = 1_200_000
SEED = 20


def seeded(kind: str) -> random.Random:
    """A class has its own sequence, so that a change to one leaves the others as they were."""
    return random.Random(f"{SEED} {kind}")


def read_files(patterns: Sequence[str], rng: random.Random) -> Iterator[bytes]:
    at_root = [os.path.expanduser(pattern).lstrip("/") for pattern in patterns]  # noqa: PTH111  # a pattern is no path
    paths = sorted({path for pattern in at_root for path in Path("/").glob(pattern)})
    rng.shuffle(paths)
    left = CLASS_BYTES
    for path in paths:
        if left <= 0:
            return
        if not path.is_file():
            continue
        raw = path.read_bytes()
        data = gzip.decompress(raw) if path.suffix == ".gz" else raw
        if is_utf8(data):
            start = rng.randrange(max(1, len(data) - 120_000))
            left -= len(data[start : start + 120_000])
            yield data[start : start + 120_000]


def is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def read_catalogues(language: str) -> Iterator[bytes]:
    # The catalogues of ISO codes are thousands of names of places and languages: no prose.
    for path in sorted(Path("/usr/share/locale", language, "LC_MESSAGES").glob("[!i]*.mo")):
        try:
            with path.open("rb") as file:
                # gettext has no public way to list what a catalogue holds.
                catalogue: dict[object, str] = vars(gettext.GNUTranslations(file))["_catalog"]
        except UnicodeDecodeError:
            continue
        yield "\n".join(text for key, text in catalogue.items() if key).encode()


def output_of(command: Sequence[str]) -> Iterator[bytes]:
    try:
        done = subprocess.run(command, capture_output=True, timeout=60, check=False)
    except FileNotFoundError:
        return
    yield done.stdout[:400_000]


def words_of_this_machine() -> list[str]:
    text = b" ".join(read_files(FILES["text"], seeded("words"))).decode("utf-8", "replace")
    return [word for word in text.split() if word.isalpha()][:200_000]


class Generator:
    """One public method a class of content; each gives a document of some kilobytes."""

    def __init__(self, kind: str, words: list[str]) -> None:
        self._rng = seeded(kind)
        self._words = words
        any_emoji = [
            chr(code)
            for first, last in ((0x1F300, 0x1F650), (0x1F680, 0x1F6C6), (0x1F900, 0x1FA00), (0x2600, 0x27BF))
            for code in range(first, last)
            if unicodedata.category(chr(code)) == "So"
        ]
        common = "😂❤😍🤣😊🙏💕😭😘👍😅👏😁🔥💔💖💙😢🤔😆🙄💪😉👌🤗💜😔😎😇🎉😱✨✅❌🚀📦🐛⚡🔒📝💡🔧🎯📊🌍"
        self._emoji = [*common * (2 * len(any_emoji) // len(common)), *any_emoji]  # two of three are common ones

    def _below(self, limit: int) -> int:
        return self._rng.randrange(limit)

    def _of(self, *choices: str) -> str:
        return self._rng.choice(choices)

    def _some(self, alphabet: str, length: int) -> str:
        return "".join(self._rng.choices(alphabet, k=length))

    def _word(self) -> str:
        return self._rng.choice(self._words)

    def _phrase(self, least: int = 3, most: int = 12) -> str:
        return " ".join(self._rng.choices(self._words, k=self._rng.randint(least, most)))

    def _name(self, joint: str = "") -> str:
        parts = [word.lower() for word in self._rng.choices(self._words, k=self._rng.randint(1, 3))]
        return (joint or self._of("_", "-", ".", "/")).join(parts)

    def _time(self) -> str:
        form = self._of("{}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", "{}/{:02}/{:02} {:02}:{:02}:{:02},{:03}")
        return form.format(2020 + self._below(7), *(1 + self._below(n) for n in (12, 28, 23, 59, 59, 999)))

    def _hexits(self, length: int) -> str:
        return self._rng.randbytes((length + 1) // 2).hex()[:length]

    def _ip(self) -> str:
        return ".".join(str(self._below(256)) for _ in range(4))

    def _base64(self, size: int) -> str:
        return base64.urlsafe_b64encode(self._rng.randbytes(size)).decode().rstrip("=")

    def _lines(self, make: Callable[[], str], size: int = 40_000) -> str:
        out: list[str] = []
        while size > 0:
            out.append(make())
            size -= len(out[-1]) + 1
        return "\n".join(out) + "\n"

    def _record(self) -> dict[str, object]:
        return {
            "id": self._below(10**6), "uuid": str(uuid.UUID(bytes=self._rng.randbytes(16))), "name": self._phrase(1, 3),
            "created_at": self._time(), "score": self._rng.random(), "active": self._below(2) == 1, "owner": None,
            "tags": [self._word() for _ in range(self._below(4))],
            "meta": {"path": self._name(), "size": self._below(10**5)},
        }  # fmt: skip

    def _records(self) -> list[dict[str, object]]:
        return [self._record() for _ in range(110)]

    def base64(self) -> str:
        return base64.b64encode(self._rng.randbytes(30_000)).decode()

    def base64_lines(self) -> str:
        return base64.encodebytes(self._rng.randbytes(30_000)).decode()

    def base32(self) -> str:
        return self._lines(lambda: "ps-" + base64.b32encode(self._rng.randbytes(10)).decode().lower())

    def web_tokens(self) -> str:
        return self._lines(lambda: f"Authorization: Bearer eyJhbGciOiJIUzI1NiJ9.{self._base64(60)}.{self._base64(32)}")

    def hex(self) -> str:
        text = self._rng.randbytes(20_000).hex()
        return text.upper() if self._below(10) < 3 else text

    def hex_sums(self) -> str:
        return self._lines(lambda: f"{self._hexits(64)}  {self._name()}")

    def commits(self) -> str:
        return self._lines(lambda: f"{self._hexits(self._rng.choice((7, 10, 40)))} {self._phrase()}")

    def uuids(self) -> str:
        return self._lines(lambda: str(uuid.UUID(bytes=self._rng.randbytes(16))))

    def emoji_runs(self) -> str:
        return "".join(self._rng.choices(self._emoji, k=6_000))

    def emoji_joined(self) -> str:
        people = ("👩‍💻", "👨‍👩‍👧‍👦", "🏳️‍🌈", "🇩🇪", "🇯🇵", "👍🏽", "🤷🏿‍♀️", "❤️", "✔️", "1️⃣")
        return "".join(self._rng.choice(people) for _ in range(3_000))

    def emoji_text(self) -> str:
        return self._lines(lambda: f"{self._rng.choice(self._emoji)} {self._phrase()} {self._rng.choice(self._emoji)}")

    def emoji_status(self) -> str:
        return self._lines(lambda: f"{self._rng.choice('✅❌🚀🔥📦⚡✨🐛🎉👍😀🔒')} {self._phrase(1, 5)}")

    def symbols_rows(self) -> str:
        rows = ["★★★★☆", "▲▼", "①②③", "∑∫√", "░▒▓█", "⣿⣷⣾⡿", "«»", "─" * 40, "━" * 12, *"→•✓│…≤≥≠⇒⇐°"]
        return self._lines(lambda: f"{self._of(*rows)} {self._of('', self._word())}")

    def spinner(self) -> str:
        return "".join(f"\r\x1b[2K{frame} {self._phrase(1, 3)}" for frame in "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏" * 150)

    def spaces(self) -> str:
        return self._lines(lambda: " " * self._below(200) + self._of("", "x", "}", "end"))

    def blank_lines(self) -> str:
        run = (" ", "\n", "\t", "  ", "\n\n", "\r\n")
        return "".join(self._of(*run) * (1 + self._below(8)) for _ in range(4_000))

    def rules(self) -> str:
        return self._lines(lambda: self._of(*"-=*#_~.+") * (10 + self._below(110)))

    def punctuation(self) -> str:
        def line() -> str:
            length = 1 + self._below(self._rng.choice((4, 8, 40)))
            return self._some(string.punctuation, length) + self._of("", self._word())

        return self._lines(line)

    def padded_columns(self) -> str:
        def cell() -> str:
            return f"{self._of(self._name(), str(self._below(10**6)), self._word()):<{self._rng.choice((12, 20, 28))}}"

        return self._lines(lambda: "".join(cell() for _ in range(5)))

    def drawn_table(self) -> str:
        def row() -> str:
            return "│ " + " │ ".join(f"{self._word():<14}" for _ in range(4)) + " │"

        return self._lines(lambda: row() if self._below(4) else "├" + "─" * 60 + "┤")

    def markdown(self) -> str:
        def row() -> str:
            return "| " + " | ".join(self._phrase(1, 3) for _ in range(4)) + " |"

        return self._lines(
            lambda: self._of(row(), f"## {self._phrase(2, 5)}", f"- `{self._name()}`: {self._phrase()}", self._phrase())
        )

    def integers(self) -> str:
        return self._lines(lambda: ",".join(str(self._below(10 ** (1 + self._below(8)))) for _ in range(8)))

    def floats(self) -> str:
        places = (2, 4, 9)
        return self._lines(
            lambda: " ".join(f"{self._rng.gauss(0, 100):.{self._rng.choice(places)}f}" for _ in range(6))
        )

    def long_numbers(self) -> str:
        return self._some(string.digits, 30_000)

    def addresses(self) -> str:
        return self._lines(lambda: f"{self._ip()}:{self._below(65536)} {self._rng.randbytes(6).hex(':')}")

    def urls(self) -> str:
        return self._lines(
            lambda: (
                f"https://{self._name('-')}.{self._of('com', 'org', 'io')}/{self._name('/')}"
                f"?id={self._below(10**7)}&t={self._hexits(8)}"
            )
        )

    def plain_log(self) -> str:
        return self._lines(
            lambda: (
                f"{self._time()} {self._of('INFO', 'INFO', 'DEBUG', 'WARN', 'ERROR')} [{self._name()}] "
                f"{self._phrase()} id={self._below(10**6)} took={self._rng.random() * 100:.2f}ms"
            )
        )

    def traced_log(self) -> str:
        return self._lines(
            lambda: (
                f"{self._time()} INFO {self._name()} trace={self._hexits(16)} span={self._hexits(8)} {self._phrase()}"
            )
        )

    def access_log(self) -> str:
        return self._lines(
            lambda: (
                f'{self._ip()} - - [{self._time()}] "GET /{self._name()} HTTP/1.1" {self._of("200", "304", "404")} '
                f'{self._below(99999)} "-" "Mozilla/5.0 (X11; Linux x86_64; rv:{90 + self._below(50)}.0)"'
            )
        )

    def coloured_log(self) -> str:
        return self._lines(
            lambda: f"\x1b[2m{self._time()}\x1b[0m \x1b[{31 + self._below(6)}m{self._word()}\x1b[0m {self._phrase()}"
        )

    def progress(self) -> str:
        return "".join(f"\rDownloading {n % 101:3}% |{'█' * (n % 40):<40}| {n * 1.7:.1f}/170.0 MB" for n in range(600))

    def json_pretty(self) -> str:
        return json.dumps(self._records(), indent=2)

    def json_tight(self) -> str:
        return json.dumps(self._records(), separators=(",", ":"))

    def json_lines(self) -> str:
        return self._lines(lambda: json.dumps(self._record()))

    def json_escaped(self) -> str:
        return json.dumps(json.dumps(self._records(), indent=1))

    def json_numbers(self) -> str:
        return json.dumps([[round(self._rng.gauss(0, 1), 6) for _ in range(16)] for _ in range(200)])

    def random_letters(self) -> str:
        return self._lines(lambda: self._some(string.ascii_lowercase, 4 + self._below(36)))

    def random_printable(self) -> str:
        return self._some(string.printable[:95], 30_000)

    def proteins(self) -> str:
        return self._lines(lambda: self._some("ACDEFGHIKLMNPQRSTVWY", 60))

    def dna(self) -> str:
        return self._lines(lambda: self._some("ACGT", 70))

    def upper_text(self) -> str:
        return self._lines(lambda: self._phrase().upper())

    def camel_names(self) -> str:
        return self._lines(lambda: "".join(word.title() for word in self._rng.choices(self._words, k=3)) + "()")

    def snake_names(self) -> str:
        return self._lines(lambda: self._name("_") + " = None")

    def constants(self) -> str:
        return self._lines(lambda: f"{self._name('_').upper()}={self._below(100)}")

    def word_list(self) -> str:
        return self._lines(self._word)

    def sql(self) -> str:
        return self._lines(
            lambda: (
                f"INSERT INTO {self._word().lower()} VALUES ({self._below(10**5)}, '{self._phrase(1, 4)}', "
                f"{self._rng.random():.4f}, '{self._time()}', NULL);"
            )
        )

    def trace(self) -> str:
        return self._lines(
            lambda: (
                f'  File "/usr/lib/python3/{self._name()}.py", line {self._below(2000)}, in {self._name("_")}\n'
                f"    {self._word()}.{self._word()}({self._phrase(1, 2)})"
            )
        )


def generated() -> Iterator[tuple[str, list[bytes]]]:
    words = words_of_this_machine()
    for name, make in vars(Generator).items():
        if not name.startswith("_"):
            generator = Generator(name, words)
            yield name.replace("_", " "), [make(generator).encode() for _ in range(6)]


def folder_classes(folder: Path) -> Iterator[tuple[str, list[bytes]]]:
    for child in sorted(folder.iterdir()):
        if child.is_dir():
            yield child.name, list(read_files([f"{child}/**/*"], seeded(child.name)))


def material(corpus: Path | None) -> dict[str, list[bytes]]:
    classes = {kind: list(read_files(patterns, seeded(kind))) for kind, patterns in FILES.items()}
    classes |= {f"messages {language}": list(read_catalogues(language)) for language in LANGUAGES}
    classes |= {kind: list(output_of(command)) for kind, command in COMMANDS.items()}
    classes |= dict(generated())
    if corpus is not None:
        classes |= {f"corpus {kind}": documents for kind, documents in folder_classes(corpus)}
    return {kind: documents for kind, documents in classes.items() if sum(map(len, documents)) > 4_000}
