# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files are opened in few places, so that no output can replace an input.

Inputs are read by functions that register the file with base/files/GuardedFiles.h, and outputs
are written through base/files/output/OutputFile.h, which checks there. A command that opened
files itself could overwrite a model.
"""

import re

import files

ACCESS = re.compile(
    r"\b(?:std::)?(?:i|o|)fstream\b|\bfopen\b|\braw_fd_(?:o)?stream\b|\bgetFileOrSTDIN\b|\bMemoryBuffer::getFile\w*|"
    r"(?<![\w:])::(?:open|openat|creat|rename)\(|\bfs::rename\(|\bfilesystem::rename\(|\bcopy_file\(|\bwriteToOutput\(|"
    r"\bToolOutputFile\b|\bopenFileFor\w+")
# The reasons why these files may open files.
ALLOWED = {
    "base/files/output/OutputFile.cpp": "writes outputs",
    "base/files/input/FileMapping.cpp": "reads inputs, and says so",
    "base/files/input/WholeFile.cpp": "reads pipes, which no output can take the place of",
    "compiler/checkpoint/MappedFile.cpp": "reads inputs, and says so",
    "compiler/spec/syntax/Source.cpp": "reads inputs, and says so",
    "base/files/output/FolderLock.cpp": "opens folders",
    "base/files/Temporary.cpp": "opens /dev/null",
    "runtime/weights/WeightsFile.cpp": "looks at the first bytes of what lies where an output goes",
    "compiler/driver/tune/Tune.cpp": "reads /proc/cpuinfo",
    "compiler/driver/model/Locations.cpp": "looks for a name in specs",
    "compiler/link/Linker.cpp": "files of a temporary folder, and archives of our own",
    "compiler/kernels/build/HalideBackend.cpp": "files of a temporary folder",
    "compiler/kernels/build/KernelCache.cpp": "entries of its own",
    "compiler/kernels/build/CacheFolder.cpp": "entries of its own",
}

problems = []
for path in files.tracked(".cpp", ".h"):
    if path.parts[0] not in ("base", "compiler", "dialect", "runtime") or str(path) in ALLOWED:
        continue
    for number, line in enumerate(files.read(path).split("\n"), 1):
        code = line.split("//")[0]
        if ACCESS.search(code) and not code.lstrip().startswith("#include"):
            problems.append(f"{path}:{number}: opens a file by itself; take OutputFile, FileMapping or MappedFile, or say "
                            f"in {__file__} why it may")
files.finish(problems)
