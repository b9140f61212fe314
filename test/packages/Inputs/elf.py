# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""elf.py [--of-others] [--compiled] FILE|FOLDER…: checks the hardening of executables and shared libraries.

Folders are searched for ELF executables and shared libraries. For each of them:

  - its run path has only absolute folders and folders relative to itself. The loader resolves an empty element, like
    any other that does not begin with /, relative to the current folder of the user.
  - it can be loaded at any address (PIE); its tables of addresses are read-only at run time (full RELRO); no memory is
    both writable and executable, and neither is the stack.
  - with --compiled, for files that clang made of our sources: if symbols are visible, it calls the check of its stack
    (-fstack-protector-strong) and those of sizes (_FORTIFY_SOURCE); functions begin with the mark of a branch target
    (-fcf-protection, -mbranch-protection).

With --of-others, for files that Debian or PyPI built, only the first check and the last one about memory apply.
"""

import pathlib
import re
import struct
import sys

LOAD, DYNAMIC, INTERPRETER, STACK, RELRO = 1, 2, 3, 0x6474e551, 0x6474e552
EXECUTABLE, WRITABLE = 1, 2
# endbr64; bti c, paciasp (by e_machine: x86-64, AArch64)
MARKS = {62: [b"\xf3\x0f\x1e\xfa"], 183: [b"\x5f\x24\x03\xd5", b"\x3f\x23\x03\xd5"]}
NEEDED, STRINGS, RPATH, TEXT_RELOCATIONS, BIND_NOW, RUNPATH, FLAGS, FLAGS_1 = (
    1, 5, 15, 22, 24, 29, 30, 0x6ffffffb)


class Elf:
    """The headers of a 64-bit little-endian file."""

    def __init__(self, bytes):
        self.bytes = bytes
        self.kind, self.machine = struct.unpack_from("<HH", bytes, 16)
        offset, = struct.unpack_from("<Q", bytes, 32)
        size, count = struct.unpack_from("<HH", bytes, 54)
        # type, flags, offset, address, physical address, bytes in the file, bytes in memory, alignment
        self.segments = [struct.unpack_from("<IIQQQQQQ", bytes, offset + k * size) for k in range(count)]
        self.entries = []
        for kind, _, begin, _, _, length, *_ in self.segments:
            if kind == DYNAMIC:
                self.entries = [struct.unpack_from("<QQ", bytes, at) for at in range(begin, begin + length, 16)]
        self.entries = self.entries[:next((k for k, entry in enumerate(self.entries) if entry[0] == 0), None)]

    def values(self, tag):
        return [value for each, value in self.entries if each == tag]

    def has(self, kind):
        return any(segment[0] == kind for segment in self.segments)

    def place(self, address):
        """The file offset of what is at this address in memory."""
        return next(address - start + offset for kind, _, offset, start, _, length, *_ in self.segments
                    if kind == LOAD and start <= address < start + length)

    def count(self, instruction):
        return sum(self.bytes.count(instruction, begin, begin + length)
                   for kind, flags, begin, _, _, length, *_ in self.segments if kind == LOAD and flags & EXECUTABLE)

    def strings(self, tag):
        table = [self.place(address) for address in self.values(STRINGS)]
        return [self.string(table[0] + value) for value in self.values(tag)]

    def string(self, begin):
        return self.bytes[begin:self.bytes.index(b"\0", begin)].decode()


def from_here(path):
    """Whether a folder or library is searched for relative to the current folder."""
    return not path.startswith("/") and not path.startswith("$ORIGIN")


def problems_of(elf, ours, compiled):
    for tag in (RPATH, RUNPATH):
        for paths in elf.strings(tag):
            if any(from_here(each) for each in paths.split(":")):
                yield f"looks for libraries in the current folder: RUNPATH '{paths}'"
    for needed in elf.strings(NEEDED):
        if "/" in needed and from_here(needed):
            yield f"loads {needed} from the current folder"
    for kind, flags, *_ in elf.segments:
        if kind in (LOAD, STACK) and flags & EXECUTABLE and flags & WRITABLE:
            yield "has memory that can be written and executed"
    if not elf.has(STACK):
        yield "does not say that its stack holds no code"
    if not ours:
        return
    if elf.kind != 3:
        yield "lies at one address only (no PIE)"
    if elf.values(TEXT_RELOCATIONS):
        yield "has code that is changed when it is loaded"
    now = elf.values(BIND_NOW) or any(value & 8 for value in elf.values(FLAGS)) or any(
        value & 1 for value in elf.values(FLAGS_1))
    if not elf.has(RELRO) or not now:
        yield "has tables of addresses that can be written while it runs (RELRO is not whole)"
    if compiled:
        yield from unchecked(elf)


def unchecked(elf):
    # A static program without symbols has no names.
    if elf.values(NEEDED) and b"\0__stack_chk_fail\0" not in elf.bytes:
        yield "has no check of its stack (-fstack-protector-strong)"
    if elf.values(NEEDED) and not re.search(rb"\0__(?!stack)\w+_chk\0", elf.bytes):
        yield "has no check of sizes (_FORTIFY_SOURCE)"
    # In Debian 12, the C library's own functions do not begin with marks.
    if elf.machine in MARKS and sum(map(elf.count, MARKS[elf.machine])) < 100:
        yield "does not mark where calls may go to (-fcf-protection, -mbranch-protection)"


def files(paths):
    for path in map(pathlib.Path, paths):
        yield from sorted(each for each in path.rglob("*")) if path.is_dir() else [path]


options = {word for word in sys.argv[1:] if word.startswith("--")}
found, seen = [], 0
for path in files(word for word in sys.argv[1:] if word not in options):
    if path.is_symlink() or not path.is_file():
        continue
    with open(path, "rb") as file:
        content = file.read(20)
        if content[:4] != b"\x7fELF" or content[16] not in (2, 3):  # else an object
            continue
        content += file.read()
    seen += 1
    found += [f"{path}: {problem}" for problem in
              problems_of(Elf(content), "--of-others" not in options, "--compiled" in options)]
print(*found, f"{seen} files of ELF", sep="\n")
sys.exit(bool(found) or not seen)
