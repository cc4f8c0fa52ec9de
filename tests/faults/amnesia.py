"""A file system that forgets what was not made durable, as a disk does when the power fails.

What survives a cut: file content up to the last fsync or fdatasync of that file, and names (created,
renamed, linked, removed) up to the last fsync of the directory that holds them. That is harsher than
ext4, where an fsync of a file also keeps its name. With `survive` above 0, each write and each change of
a name that was not made durable survives by itself with that chance, in any combination; a write may be
torn at a sector.

It speaks the kernel's protocol (include/uapi/linux/fuse.h) on /dev/fuse itself and needs only that
device and the right to mount. libfuse would hide an unlinked open file under another name, which this
must not do. The page cache stays on, so that mmap works (SQLite's -shm); without its writeback mode
every write(2) arrives here at once.

Run as `python amnesia.py MOUNTPOINT` it serves, taking commands on stdin and answering each with a line:
    arm N               cut the power just before the Nth request from now on that changes something
    fail N              the Nth fsync of a file from now on answers EIO and drops its writes, as Linux does
    left                how many syncs there are still to come up to the one that fails; 0 or less if it came
    cut                 cut the power now: every request answers EIO from now on
    boot SEED SURVIVE   after a cut: forget, and mount what is left
The answer is, except to `left`, the number of requests since the last boot that changed something.
"""

from __future__ import annotations

import ctypes
import errno
import os
import random
import select
import stat
import struct
import subprocess
import sys
from pathlib import Path
from subprocess import PIPE

from platter import SECTOR, Disk, Node

LOOKUP, FORGET, GETATTR, SETATTR, MKDIR, UNLINK, RMDIR, RENAME, LINK = 1, 2, 3, 4, 9, 10, 11, 12, 13
OPEN, READ, WRITE, STATFS, RELEASE, FSYNC, FLUSH, INIT, OPENDIR = 14, 15, 16, 17, 18, 20, 25, 26, 27
READDIR, RELEASEDIR, FSYNCDIR, ACCESS, CREATE, INTERRUPT, BATCH_FORGET, RENAME2 = (
    28,
    29,
    30,
    34,
    35,
    36,
    42,
    45,
)
CHANGES = {SETATTR, MKDIR, UNLINK, RMDIR, RENAME, LINK, WRITE, FSYNC, FSYNCDIR, CREATE, RENAME2}
SILENT = {FORGET, BATCH_FORGET, INTERRUPT}  # the kernel expects no answer to these
FOREVER = 1 << 30  # the kernel is the only writer: it may keep names and attributes
LARGEST_WRITE = 128 * 1024


class Server:
    """Answers the kernel, one request at a time."""

    def __init__(self, mountpoint: str) -> None:
        self.disk, self.mountpoint, self.device = Disk(), mountpoint, -1
        self.dark, self.cut_at, self.fail_at, self.count = False, 0, 0, 0

    def mount(self) -> None:
        self.dark, self.cut_at, self.fail_at, self.count = False, 0, 0, 0
        self.device = os.open("/dev/fuse", os.O_RDWR)
        options = f"fd={self.device},rootmode=40000,user_id=0,group_id=0,default_permissions,allow_other"
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.mount(b"amnesia", self.mountpoint.encode(), b"fuse", 0, options.encode()):
            raise OSError(ctypes.get_errno(), "cannot mount")

    def unmount(self) -> None:
        detach = 2  # also while a dying process still holds a file
        ctypes.CDLL(None).umount2(self.mountpoint.encode(), detach)
        os.close(self.device)

    def command(self, word: str, *arguments: str) -> str:
        if word == "arm":
            self.cut_at = self.count + int(arguments[0])
        elif word == "fail":
            self.fail_at = int(arguments[0])
        elif word == "cut":
            self.dark = True
        elif word == "boot":
            self.unmount()
            self.disk.forget(random.Random(int(arguments[0])), float(arguments[1]))
            self.mount()
        return str(self.fail_at if word == "left" else self.count)

    def serve(self) -> None:
        self.mount()
        print("mounted", flush=True)
        while True:
            ready = select.select([self.device, sys.stdin], [], [])[0]
            if self.device in ready:
                try:
                    request = os.read(self.device, LARGEST_WRITE + 4096)
                except OSError as failure:  # ENOENT: withdrawn meanwhile. ENODEV: unmounted under us
                    if failure.errno != errno.ENOENT:
                        return
                    continue
                self.answer(request)
            elif not (line := sys.stdin.readline()):
                self.unmount()
                return
            else:
                print(self.command(*line.split()), flush=True)

    def answer(self, request: bytes) -> None:
        _, opcode, unique, number = struct.unpack_from("<IIQQ", request)
        if opcode in SILENT:
            return
        error, body = 0, b""
        try:
            body = self.perform(opcode, self.disk.nodes.get(number, self.disk.root), request[40:])
        except OSError as failure:
            error = failure.errno or errno.EIO
        try:
            os.write(self.device, struct.pack("<IiQ", 16 + len(body), -error, unique) + body)
        except OSError as failure:
            if failure.errno != errno.ENOENT:  # who asked was killed meanwhile
                raise

    def perform(self, opcode: int, node: Node, body: bytes) -> bytes:
        if opcode == INIT:
            return struct.pack("<IIIIHHIIHH32x", 7, 31, 0, 1 << 5, 16, 12, LARGEST_WRITE, 1, 0, 0)
        if opcode in CHANGES:
            self.count += 1
            self.dark = self.dark or self.count == self.cut_at
        if self.dark and opcode not in (FLUSH, RELEASE, RELEASEDIR):
            raise OSError(errno.EIO, "no power")
        if opcode in (OPEN, OPENDIR, FLUSH, RELEASE, RELEASEDIR, ACCESS):
            return struct.pack("<QII", 0, 0, 0) if opcode in (OPEN, OPENDIR) else b""
        if opcode in (LOOKUP, CREATE, MKDIR, UNLINK, RMDIR, RENAME, RENAME2, LINK):
            return self.perform_name(opcode, node, body)
        return self.perform_file(opcode, node, body)

    def perform_name(self, opcode: int, node: Node, body: bytes) -> bytes:
        before_name = {CREATE: 16, MKDIR: 8, RENAME: 8, RENAME2: 16, LINK: 8}.get(opcode, 0)
        name, *more = body[before_name:].split(b"\0")
        if opcode in (CREATE, MKDIR):
            wanted, umask = struct.unpack_from("<II", body, 4 if opcode == CREATE else 0)
            kind = stat.S_IFREG if opcode == CREATE else stat.S_IFDIR
            self.disk.rename((node, name, self.disk.make(kind | wanted & ~umask & 0o7777)))
        elif opcode == LINK:
            self.disk.rename((node, name, self.disk.nodes[struct.unpack_from("<Q", body)[0]]))
        elif name not in node.names:
            raise OSError(errno.ENOENT, "no such name")
        elif opcode == RMDIR and node.names[name].names:
            raise OSError(errno.ENOTEMPTY, "not empty")
        elif opcode in (UNLINK, RMDIR):
            self.disk.rename((node, name, None))
        elif opcode in (RENAME, RENAME2):
            target = self.disk.nodes[struct.unpack_from("<Q", body)[0]]
            flags = struct.unpack_from("<I", body, 8)[0] if opcode == RENAME2 else 0
            if flags & ~1 or (flags & 1 and more[0] in target.names):  # 1: do not replace
                raise OSError(errno.EEXIST if flags == 1 else errno.EINVAL, "cannot rename so")
            self.disk.rename((node, name, None), (target, more[0], node.names[name]))
        if opcode in (UNLINK, RMDIR, RENAME, RENAME2):
            return b""
        found = node.names[name]
        entry = struct.pack("<QQQQII", found.number, 0, FOREVER, FOREVER, 0, 0) + attributes(found)
        return entry + (struct.pack("<QII", 0, 0, 0) if opcode == CREATE else b"")

    def perform_file(self, opcode: int, node: Node, body: bytes) -> bytes:
        if opcode == READ:
            offset, size = struct.unpack_from("<QI", body, 8)
            return bytes(node.data[offset : offset + size])
        if opcode == WRITE:
            offset, size = struct.unpack_from("<QI", body, 8)
            self.disk.write(node, offset, body[40 : 40 + size])
            return struct.pack("<II", size, 0)
        if opcode in (FSYNC, FSYNCDIR):
            self.fail_at -= opcode == FSYNC
            if opcode == FSYNC and self.fail_at == 0:
                node.unsynced.clear()
                raise OSError(errno.EIO, "this fsync fails")
            self.disk.sync(node)
            return b""
        if opcode in (GETATTR, SETATTR):
            if opcode == SETATTR:
                self.set_attributes(node, body)
            return struct.pack("<QII", FOREVER, 0, 0) + attributes(node)
        if opcode == READDIR:
            offset, size = struct.unpack_from("<QI", body, 8)
            return listing(node, offset, size)
        if opcode == STATFS:
            half, whole = 1 << 19, 1 << 20
            return struct.pack("<QQQQQIIII24x", whole, half, half, whole, half, 4096, 255, 4096, 0)
        raise OSError(errno.ENOSYS, "not needed here")

    def set_attributes(self, node: Node, body: bytes) -> None:
        valid, size = struct.unpack_from("<I12xQ", body)
        if valid & 1:
            node.mode = stat.S_IFMT(node.mode) | struct.unpack_from("<I", body, 68)[0] & 0o7777
        if valid & 8:
            self.disk.write(node, size, None)
        if valid & 32:
            node.modified = struct.unpack_from("<Q", body, 40)[0], struct.unpack_from("<I", body, 60)[0]


def attributes(node: Node) -> bytes:
    size, (seconds, nanoseconds) = len(node.data), node.modified
    times = (seconds, seconds, seconds, nanoseconds, nanoseconds, nanoseconds)
    blocks = -(-size // SECTOR)
    return struct.pack("<QQQQQQIIIII20x", node.number, size, blocks, *times, node.mode, node.links)


def listing(node: Node, offset: int, size: int) -> bytes:
    """Entries after `offset`. A directory read in parts while it changes may skip a name, as POSIX allows."""
    entries = bytearray()
    for position, (name, child) in enumerate(list(node.names.items())[offset:], offset + 1):
        entry = struct.pack("<QQII", child.number, position, len(name), stat.S_IFMT(child.mode) >> 12) + name
        entry += bytes(-len(entry) % 8)
        if len(entries) + len(entry) > size:
            break
        entries += entry
    return bytes(entries)


class Amnesia:
    """The other end: starts a server on `mountpoint` in a process of its own, and gives it commands."""

    def __init__(self, mountpoint: Path) -> None:
        self.path = mountpoint
        command = [sys.executable, __file__, str(mountpoint)]
        # In a session of its own it outlives an interrupted test run for the moment that unmounting takes.
        self._server = subprocess.Popen(
            command, stdin=PIPE, stdout=PIPE, stderr=PIPE, text=True, start_new_session=True
        )

    def __enter__(self) -> Amnesia:
        assert self._server.stdout is not None
        if self._server.stdout.readline() != "mounted\n":
            raise OSError(f"FUSE does not serve {self.path}")
        return self

    def tell(self, *command: object) -> int:
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        print(*command, file=self._server.stdin, flush=True)
        return int(self._server.stdout.readline())

    def lose_power(self, *, seed: int = 0, survive: float = 0.0) -> int:
        """Cut, if an armed cut did not come first, and boot. How many changes there had been."""
        count = self.tell("cut")
        self.tell("boot", seed, survive)
        return count

    def __exit__(self, *raised: object) -> None:
        self._server.communicate()


if __name__ == "__main__":
    Server(sys.argv[1]).serve()
