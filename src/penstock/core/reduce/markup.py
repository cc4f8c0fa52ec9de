"""HTML as blocks of text: what stands in which paragraph, heading, row or listing, and how near to the main text.

No tree is built. The page is cut at every `<`; a stack holds the boxes (elements that hold paragraphs) that are open.
Whatever is wrong with the markup, every byte is looked at once.

Rules:
1. What scripts, styles and comments hold is no text. One that never ends reaches to the end of the page.
2. A box is worth what its paragraphs say: their length and their commas, less what of it is links. Its parents share
   in that, each a little less, so a text in several sections is found as one.
3. Navigation, footers, sidebars, banners and forms are told by their element or their class, and are never the main
   text; but a box with much of the page's text in it is none of them, whatever its class says.
"""

from __future__ import annotations

from itertools import islice
from typing import Final, Literal, NamedTuple

from penstock.core.patterns import re2_pattern, re_pattern
from penstock.core.reduce.contract import Effort

BlockKind = Literal["title", "heading", "text", "row", "code"]

# A row over this is shown by the paragraphs in it: it lays out the page rather than holds data.
LONGEST_ROW: Final = 3_000

# A box with this much of the page's text is the main text or holds it.
MUCH: Final = 0.4

_TAG: Final = re_pattern(rb"/?[a-z][a-z0-9]{0,11}")
_RAW: Final = frozenset([b"script", b"style", b"svg", b"template", b"textarea", b"iframe", b"noscript", b"select"])
_BOXES: Final = frozenset(
    b"html body div section article main aside nav header footer form figure fieldset table ul ol dl details dialog"
    b" center menu blockquote".split()
)
_AWAY_TAGS: Final = frozenset([b"nav", b"footer", b"aside", b"form", b"menu", b"dialog", b"fieldset"])
_MAIN_TAGS: Final = frozenset([b"article", b"main"])
_HEADINGS: Final = frozenset(b"h%d" % level for level in range(1, 7))
# Elements at whose start and end a paragraph ends.
_PARTING: Final = (
    _BOXES
    | _HEADINGS
    | frozenset(
        b"p li dt dd td th tr pre hr title head caption figcaption tbody thead tfoot summary address option button"
        b" label video audio object".split()
    )
)
_BREAKS: Final = _PARTING | frozenset(b"/" + name for name in _PARTING)
_INLINE: Final = frozenset(b"a b i u s em strong span small sub sup code cite q abbr time font mark img br".split())
# A name that is none of these, such as one with a newline behind it, is looked at more closely.
_KNOWN: Final = _BREAKS | _RAW | _INLINE | frozenset(b"/" + name for name in _INLINE)

_PLAIN: Final = _KNOWN - _RAW

# Those at which nothing else happens.
_ONLY_PARTING: Final = _BREAKS - (
    _BOXES | _HEADINGS | {b"/" + name for name in _BOXES} | {b"title", b"pre", b"tr", b"/tr", b"td", b"th"}
)

# The ends of such elements with nothing behind them, as many of a page's pieces are.
_BARE_ENDS: Final = frozenset(b"/" + name + b">" for name in _INLINE - {b"a"})

# A paragraph that is this long ends at a line break too.
LONG_ENOUGH: Final = 400

_AWAY: Final = re2_pattern(
    rb"\b(?:class|id|role|aria-label)\s*=\s*[\"']?[^\"'>]*(?:nav|menu|foot|side-?bar|side_|cookie|consent|gdpr|banner|"
    rb"breadcrumb|comment|disqus|respon[ds]|related|recommend|teaser|share|sharing|social|promo|advert|\bads?\b|ad-|"
    rb"sponsor|newsletter|subscri|popup|modal|overlay|widget|toolbar|pag(?:er|ination)|login|sign-?(?:in|up)|skip|"
    rb"hidden|masthead|tags?\b|byline|trending|popular|outbrain|taboola|most-?read|search|noprint|catlinks|reflist|"
    rb"references|shopping|rss|print-?only|complementary|contentinfo)"
)
_BODY: Final = re2_pattern(
    rb"\b(?:class|id|role|itemprop)\s*=\s*[\"']?[^\"'>]*(?:article|main|content|entry|post|body|story|text|page|column)"
)


class Block(NamedTuple):
    kind: BlockKind
    runs: list[tuple[int, int]]  # where its text stands, without the markup; of a row all of it
    letters: int  # bytes of text
    linked: int  # of these in links
    box: int
    level: int = 0  # of a heading
    head: bool = False  # a row of column names


class Page(NamedTuple):
    blocks: list[Block]
    nearness: list[float]  # by box: 1 for the main text, less for what is further from it


class _Boxes:
    """Every box of the page, in the order in which they begin; a parent comes before its children."""

    def __init__(self) -> None:
        self.parents = [0]
        self.own = [0.0]
        self.letters = [0]
        self.linked = [0]
        self.flags = [0]  # -1: away from the main text, 1: says that it is the main text
        self.names = [b""]  # of those that are open
        self.open = [0]
        self.counts: dict[bytes, int] = {}
        self.said: dict[bytes, int] = {}  # what attributes say, since boxes of the same class come many times

    def begin(self, name: bytes, attributes: bytes) -> None:
        flag = 0
        if name in _AWAY_TAGS:
            flag = -1
        elif name in _MAIN_TAGS:
            flag = 1
        elif len(attributes) > len(name) and name not in (b"body", b"html"):
            if attributes not in self.said:
                self.said[attributes] = _said(attributes)
            flag = self.said[attributes]
        self.parents.append(self.open[-1])
        self.own.append(0.0)
        self.letters.append(0)
        self.linked.append(0)
        self.flags.append(flag)
        self.open.append(len(self.parents) - 1)
        self.names.append(name)
        self.counts[name] = self.counts.get(name, 0) + 1

    def end(self, name: bytes) -> None:
        """Close the innermost box of that name with all that is open inside it; a stray end closes nothing."""
        if not self.counts.get(name):
            return
        while True:
            last = self.names.pop()
            self.open.pop()
            self.counts[last] -= 1
            if last == name:
                return

    def add(self, letters: int, linked: int, commas: int) -> int:
        """Note a paragraph in the innermost box, and say which that is."""
        box = self.open[-1]
        self.letters[box] += letters
        self.linked[box] += linked
        free = letters - linked
        if free >= 25 and linked * 2 < letters:
            self.own[box] += 1 + commas + min(free / 100, 20)
        return box


def _said(attributes: bytes) -> int:
    """What the class of a box says of it."""
    body = _BODY.search(attributes) is not None
    if _AWAY.search(attributes) is not None:
        return 0 if body else -1
    return int(body)


def read_page(data: bytes, effort: Effort) -> Page:
    reader = _Reader(data)
    pieces = data.lower().split(b"<")
    effort.spend(len(pieces))
    reader.read(pieces)
    return Page(reader.blocks, _nearness(reader.boxes))


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.boxes = _Boxes()
        self.blocks: list[Block] = []
        self.runs: list[tuple[int, int]] = []  # not spans: there are hundreds of thousands
        self.letters = 0
        self.linked = 0
        self.in_link = False
        self.kind: BlockKind = "text"
        self.level = 0
        self.row = -1  # where the open row begins
        self.row_blocks = 0  # how many blocks were there then
        self.cells = 0
        self.named = 0  # those that are column names

    def read(self, pieces: list[bytes]) -> None:
        place = len(pieces[0])
        self.take(pieces[0], 0)
        until = b""  # what ends the script or comment that we are in
        for piece in islice(pieces, 1, None):
            start = place + 1  # behind the "<"
            place = start + len(piece)
            if until:
                at = _behind_end(piece, until)
                if at < 0:
                    continue
                until, text = b"", piece[at:]
            else:
                if piece in _BARE_ENDS:
                    continue
                name, closed, text = piece.partition(b">")
                if name not in _PLAIN or not closed:
                    name, text, until = _read_tag(piece, name, text, closed=bool(closed))
                if name in _BREAKS:
                    if self.runs:
                        self.flush()
                    self.kind, self.level = "text", 0
                    if name not in _ONLY_PARTING:
                        self.element(name, piece[: len(piece) - len(text)], start - 1, place - len(text))
                elif name == b"a" or name == b"/a":
                    self.in_link = name == b"a"
                elif until:
                    if name:
                        self.flush()
                    continue
                elif name == b"br" and self.letters > LONG_ENOUGH:
                    self.flush()
            if text and not text.isspace():
                self.take(text, place - len(text))
        self.flush()

    def take(self, text: bytes, start: int) -> None:
        """The text behind a tag."""
        words = text.strip()
        if not words or words == b"&nbsp;":
            return
        begin = start + text.find(words)
        self.runs.append((begin, begin + len(words)))
        self.letters += len(words)
        if self.in_link:
            self.linked += len(words)

    def flush(self) -> None:
        """End the paragraph that is open."""
        if not self.runs:
            return
        commas = sum(self.data.count(b",", start, stop) for start, stop in self.runs) if self.letters > 60 else 0
        box = self.boxes.add(self.letters, self.linked, commas)
        self.blocks.append(Block(self.kind, self.runs, self.letters, self.linked, box, self.level))
        self.runs, self.letters, self.linked = [], 0, 0

    def element(self, name: bytes, tag: bytes, before: int, behind: int) -> None:
        """The start or the end of an element that does more than to end a paragraph."""
        if name in _BOXES:
            if name == b"table":
                self.row = -1
            self.boxes.begin(name, tag)
        elif name[:1] == b"/":
            if name == b"/tr":
                self.end_row(behind)
            else:
                self.boxes.end(name[1:])
                if name == b"/table":
                    self.row = -1
        elif name in _HEADINGS:
            self.kind, self.level = "heading", name[1] - ord("0")
        elif name == b"title":
            self.kind = "title"
        elif name == b"pre":
            self.kind = "code"
        elif name == b"tr":
            if self.row >= 0:
                self.end_row(before)
            self.row, self.row_blocks, self.cells, self.named = before, len(self.blocks), 0, 0
        else:  # a cell
            self.cells += 1
            self.named += name == b"th"

    def end_row(self, stop: int) -> None:
        """A row with cells of data is one block; one that lays out paragraphs is not."""
        before, row = self.row_blocks, self.row
        self.row = -1
        if row < 0 or len(self.blocks) == before or self.cells < 2 or stop - row > LONGEST_ROW:
            return
        box = self.boxes.open[-1]
        letters = linked = 0
        for block in self.blocks[before:]:
            if block.box != box or block.kind != "text":
                return
            letters += block.letters
            linked += block.linked
        self.blocks[before:] = [Block("row", [(row, stop)], letters, linked, box, head=self.named == self.cells)]


def _read_tag(piece: bytes, tag: bytes, text: bytes, *, closed: bool) -> tuple[bytes, bytes, bytes]:
    """Of a tag that is not only a name: the name, the text behind it, and what ends what is no text."""
    name = tag.partition(b" ")[0]
    if name not in _KNOWN:
        found = _TAG.match(piece)
        if found is None:
            at, until = _behind_other(piece)
            return b"", piece[at:], until
        name = found[0]
    if not closed or tag.count(b'"') & 1:
        text = piece[_tag_end(piece) :]
    return name, text, b"/" + name if name in _RAW and tag[-1:] != b"/" else b""


def _behind_end(piece: bytes, until: bytes) -> int:
    """Where text begins again in a piece behind the end of a script or comment; -1 where it does not end here."""
    if until == b"-->":
        return piece.find(until) + 3 if until in piece else -1
    if not piece.startswith(until):
        return -1
    return piece.find(b">") + 1 or len(piece)


def _behind_other(piece: bytes) -> tuple[int, bytes]:
    """Where text begins behind a `<` that begins no element, and what ends the comment that does not end here."""
    if piece.startswith(b"!--"):
        end = piece.find(b"-->", 3)
        return (end + 3, b"") if end >= 0 else (0, b"-->")
    if piece[:1] in (b"!", b"?", b"/"):
        return piece.find(b">") + 1 or len(piece), b""
    return 0, b""


def _tag_end(piece: bytes) -> int:
    """Where text begins behind a tag that has no `>`, or whose first one may stand in a quoted value."""
    end = piece.find(b">") + 1
    if not end:
        return len(piece)
    quote = piece.find(b'"', end)
    return (piece.find(b">", quote) + 1 or end) if quote >= 0 else end


def _nearness(boxes: _Boxes) -> list[float]:
    """How near each box is to the main text."""
    parents, flags = boxes.parents, boxes.flags
    count = len(parents)
    letters, linked = boxes.letters[:], boxes.linked[:]
    for box in range(count - 1, 0, -1):
        letters[parents[box]] += letters[box]
        linked[parents[box]] += linked[box]
    free = max(1, letters[0] - linked[0])
    away = [False] * count
    scores = [0.0] * count
    scores[0] = boxes.own[0]
    for box in range(1, count):
        flagged = flags[box] < 0 and letters[box] - linked[box] < MUCH * free
        away[box] = flagged or away[parents[box]]
        own = boxes.own[box] * (0.2 if away[box] else 1.0)
        at = box
        for share in (1.0, 0.5, 0.3, 0.2):
            scores[at] += own * share
            if at == 0:
                break
            at = parents[at]
    for box in range(count):
        scores[box] *= (1 - linked[box] / max(1, letters[box])) * (1.25 if flags[box] > 0 else 1.0)
    most = max(scores) or 1.0
    nearness = [max(0.3, scores[0] / most)] * count
    for box in range(1, count):
        inherited = nearness[parents[box]]
        if away[box] and not away[parents[box]]:
            inherited *= 0.3
        elif letters[box] > 60 and linked[box] > 0.6 * letters[box]:
            inherited *= 0.4
        nearness[box] = max(inherited, min(1.0, scores[box] / most) * (0.3 if away[box] else 1.0))
    return nearness
