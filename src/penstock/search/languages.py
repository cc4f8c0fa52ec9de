"""Which language a file is in, by its name. What is not named here is not indexed, and is counted as such.

A name is not enough for two: scripts without an ending, told by their first line, and headers, by their words.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Final, NamedTuple

# Prose is cut at its lines, and so is data; nobody misses a grammar for them.
_PLAIN: Final = frozenset({"markdown", "restructuredtext", "asciidoc", "text", "json", "yaml", "toml", "ini", "xml"})
PROSE: Final = frozenset({"markdown", "restructuredtext", "asciidoc", "text"})
DATA: Final = frozenset({"json", "yaml", "toml", "ini", "xml"})

_EXTENSIONS: Final = {
    "bash": "sh bash zsh bats ksh",
    "batch": "bat cmd",
    "c": "c h",
    "clojure": "clj cljs cljc edn",
    "cmake": "cmake",
    "cobol": "cbl cob cpy",
    "coffeescript": "coffee",
    "cpp": "cpp cc cxx c++ hpp hh hxx h++ ipp tpp inl cu cuh",
    "crystal": "cr",
    "csharp": "cs csx",
    "css": "css",
    "d": "d",
    "dart": "dart",
    "elixir": "ex exs",
    "elm": "elm",
    "erlang": "erl hrl",
    "fortran": "f f90 f95 f03 f08 for",
    "fsharp": "fs fsi fsx",
    "gleam": "gleam",
    "go": "go",
    "graphql": "graphql gql",
    "groovy": "groovy gradle",
    "haskell": "hs lhs",
    "hcl": "tf tfvars hcl",
    "html": "html htm xhtml",
    "java": "java",
    "javascript": "js mjs cjs jsx",
    "julia": "jl",
    "just": "just",
    "kotlin": "kt kts",
    "latex": "tex sty cls",
    "lisp": "lisp el cl",
    "lua": "lua",
    "make": "mk",
    "nim": "nim",
    "nix": "nix",
    "objc": "m mm",
    "ocaml": "ml mli",
    "pascal": "pas pp dpr",
    "perl": "pl pm t",
    "php": "php phtml",
    "powershell": "ps1 psm1 psd1",
    "proto": "proto",
    "python": "py pyi pyx pxd",
    "r": "r",
    "racket": "rkt",
    "ruby": "rb rake gemspec",
    "rust": "rs",
    "scala": "scala sc sbt",
    "scheme": "scm ss sld",
    "scss": "scss sass less",
    "solidity": "sol",
    "sql": "sql",
    "starlark": "bzl star",
    "svelte": "svelte",
    "swift": "swift",
    "tcl": "tcl",
    "tsx": "tsx",
    "typescript": "ts mts cts",
    "typst": "typ",
    "v": "v",
    "vhdl": "vhd vhdl",
    "vim": "vim",
    "vue": "vue",
    "wat": "wat wast",
    "zig": "zig",
    "markdown": "md mdx markdown",
    "restructuredtext": "rst",
    "asciidoc": "adoc asciidoc",
    "text": "txt",
    "json": "json jsonc json5",
    "yaml": "yaml yml",
    "toml": "toml",
    "ini": "ini cfg conf properties",
    "xml": "xml xsd xslt",
}

_NAMES: Final = {
    "makefile": "make",
    "gnumakefile": "make",
    "dockerfile": "dockerfile",
    "containerfile": "dockerfile",
    "justfile": "just",
    "rakefile": "ruby",
    "gemfile": "ruby",
    "podfile": "ruby",
    "jenkinsfile": "groovy",
    "cmakelists.txt": "cmake",
    "build": "starlark",
    "build.bazel": "starlark",
    "workspace": "starlark",
    "readme": "text",
    ".bashrc": "bash",
    ".zshrc": "bash",
    ".profile": "bash",
}

# Lines of a header that are none of C.
_CPP: Final = re.compile(
    rb"^[ \t]*(?:template ?<|namespace(?: [\w:]{1,99})? ?\{|using (?:namespace )?\w|(?:public|private|protected) ?:)",
    re.MULTILINE,
)
_OBJECTIVE_C: Final = re.compile(rb"^@(?:interface|protocol|class|import)\b", re.MULTILINE)

_INTERPRETERS: Final = {
    "sh": "bash",
    "bash": "bash",
    "zsh": "bash",
    "dash": "bash",
    "ksh": "bash",
    "python": "python",
    "python3": "python",
    "node": "javascript",
    "deno": "typescript",
    "ruby": "ruby",
    "perl": "perl",
    "php": "php",
    "lua": "lua",
    "bats": "bash",
    "Rscript": "r",
}

_OF_EXTENSION: Final = {ending: name for name, endings in _EXTENSIONS.items() for ending in endings.split()}


class Language(NamedTuple):
    name: str

    @property
    def wants_grammar(self) -> bool:
        return self.name not in _PLAIN

    @property
    def is_prose(self) -> bool:
        return self.name in PROSE

    @property
    def is_data(self) -> bool:
        return self.name in DATA


def language_of(path: str) -> Language | None:
    """By the file's name alone; None where it says nothing."""
    name = PurePosixPath(path).name.lower()
    found = _NAMES.get(name) or _OF_EXTENSION.get(name.rpartition(".")[2] if "." in name[1:] else "")
    if found is None and name.startswith(("dockerfile.", "makefile.")):
        found = _NAMES[name.partition(".")[0]]
    return Language(found) if found else None


def language_of_header(head: bytes) -> Language:
    """Of a file called `.h`, which is C unless it says something that C has no word for."""
    if _OBJECTIVE_C.search(head):
        return Language("objc")
    return Language("cpp" if _CPP.search(head) else "c")


def is_extension(text: str) -> bool:
    return text in _OF_EXTENSION


def is_language(text: str) -> bool:
    return text in _EXTENSIONS or text in _NAMES.values()


def may_be_script(path: str) -> bool:
    """Whether only the first line can tell: a file whose name has no ending."""
    return "." not in PurePosixPath(path).name


def language_of_script(head: bytes) -> Language | None:
    """By the line that begins with #!."""
    first = head[:200].partition(b"\n")[0]
    if not first.startswith(b"#!"):
        return None
    for word in reversed(first[2:].decode("ascii", "replace").split()):
        found = _INTERPRETERS.get(word.rpartition("/")[2])
        if found:
            return Language(found)
    return None
