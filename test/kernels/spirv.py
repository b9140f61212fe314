# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""spirv.py FOLDER: spirv-val accepts the SPIR-V in all object files of a folder."""

import pathlib
import struct
import subprocess
import sys

MAGIC = struct.pack("<I", 0x07230203)
HEADER_WORDS, FUNCTION, FUNCTION_END = 5, (5 << 16) | 54, (1 << 16) | 56


def module_at(data, begin):
    """The module that begins there: it ends after its last function."""
    words = struct.unpack_from(f"<{(len(data) - begin) // 4}I", data, begin)
    place = HEADER_WORDS
    while place < len(words) and words[place] >> 16:
        place += words[place] >> 16
        if words[place - 1] == FUNCTION_END and words[place:place + 1] != (FUNCTION,):
            return data[begin:begin + 4 * place]
    return b""  # another constant that happens to begin so


def modules_in(data):
    begin = data.find(MAGIC)
    while begin >= 0:
        if module := module_at(data, begin):
            yield module
        begin = data.find(MAGIC, begin + 4)


valid = 0
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.o")):
    for module in modules_in(path.read_bytes()):
        ran = subprocess.run(["spirv-val", "--target-env", "vulkan1.3", "-"], input=module,
                             capture_output=True, check=False)
        assert ran.returncode == 0, f"{path}: {ran.stderr.decode()}"
        valid += 1
print(f"{valid} kernels are valid")
