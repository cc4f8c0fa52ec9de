"""What a disk holds and what it would hold after a power loss: the rules of the file system that forgets."""

from __future__ import annotations

import random
import stat
import time
from dataclasses import dataclass, field

SECTOR = 512


@dataclass(eq=False, slots=True)
class Node:
    """A file or directory: what programs see, and what the platter holds."""

    number: int
    mode: int
    data: bytearray = field(default_factory=bytearray)
    names: dict[bytes, Node] = field(default_factory=dict)
    durable_data: bytearray = field(default_factory=bytearray)
    durable_names: dict[bytes, Node] = field(default_factory=dict)
    unsynced: list[tuple[int, bytes | None]] = field(default_factory=list)  # None: truncated to this size
    modified: tuple[int, int] = (0, 0)
    links: int = 0


def apply(data: bytearray, offset: int, written: bytes | None) -> None:
    end = offset + len(written or b"")
    if len(data) < end:
        data.extend(bytes(end - len(data)))
    if written is None:
        del data[offset:]
    else:
        data[offset:end] = written


Change = tuple[Node, bytes, Node | None]  # in this directory this name means that node, or nothing


class Disk:
    def __init__(self) -> None:
        self.nodes: dict[int, Node] = {}
        self.root = self.make(stat.S_IFDIR | 0o755)
        self.root.links = 1
        self.unsynced: list[tuple[Change, ...]] = []  # the changes of one rename survive together or not

    def make(self, mode: int) -> Node:
        node = Node(len(self.nodes) + 1, mode, modified=divmod(time.time_ns(), 1_000_000_000))
        self.nodes[node.number] = node
        return node

    def write(self, node: Node, offset: int, written: bytes | None) -> None:
        apply(node.data, offset, written)
        node.modified = divmod(time.time_ns(), 1_000_000_000)
        node.unsynced.append((offset, written))

    def rename(self, *changes: Change) -> None:
        for directory, name, node in changes:
            before = directory.names.pop(name, None)
            if before is not None:
                before.links -= 1
            if node is not None:
                directory.names[name] = node
                node.links += 1
        self.unsynced.append(changes)

    def sync(self, node: Node) -> None:
        for offset, written in node.unsynced:
            apply(node.durable_data, offset, written)
        node.unsynced.clear()
        here = [any(directory is node for directory, _, _ in changes) for changes in self.unsynced]
        self._keep([changes for changes, is_here in zip(self.unsynced, here, strict=True) if is_here])
        self.unsynced = [changes for changes, is_here in zip(self.unsynced, here, strict=True) if not is_here]

    def forget(self, chance: random.Random, survive: float) -> None:
        self._keep([changes for changes in self.unsynced if chance.random() < survive])
        self.unsynced.clear()
        for node in self.nodes.values():
            for offset, written in node.unsynced:
                if chance.random() >= survive:
                    continue
                if written and chance.random() < 0.2:  # torn
                    written = written[: chance.randrange(len(written)) // SECTOR * SECTOR]
                apply(node.durable_data, offset, written)
            node.unsynced.clear()
            node.data, node.names = bytearray(node.durable_data), dict(node.durable_names)
            node.links = int(node is self.root)
        for child in (child for node in self.nodes.values() for child in node.names.values()):
            child.links += 1

    @staticmethod
    def _keep(made: list[tuple[Change, ...]]) -> None:
        for directory, name, node in (change for changes in made for change in changes):
            if node is None:
                directory.durable_names.pop(name, None)
            else:
                directory.durable_names[name] = node
