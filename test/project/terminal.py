# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Output to standard output or error goes through functions that escape control characters.

`print` (base/files/output/OutputFile.h) and `reportLine` (base/text/Messages.h) write
control characters as escapes if the output may be a terminal: names and texts come from untrusted
files. Code that writes directly is listed here with the reason.
"""

import re

import files

ITSELF = {
    "base/files/output/OutputFile.cpp": "is print",
    "base/text/Messages.cpp": "is reportLine",
    "runtime/kernels/HalideHooks.cpp": "has names of kernels, which the compiler made",
    "runtime/commands/cli/Texts.cpp": "has a sentence of its own",
    "runtime/commands/text/Translate.cpp": "clears its line; it has a number",
    "runtime/commands/speech/TranscribeProgress.cpp": "clears its line; its names are printable",
    "compiler/driver/transfold-opt.cpp": "is MLIR's tool, with a table of our own",
    "compiler/lsp/transfold-lsp.cpp": "gives the protocol its stream; JSON escapes control characters",
    "compiler/driver/cli/Progress.cpp": "clears its line; the line is escaped",
}
WRITES = re.compile(r"std::c(out|err)|llvm::(outs|errs)\(|\b(f?printf|puts|fputs|fwrite|perror)\(|fmt::print\(")

problems = []
for path in files.tracked(".cpp", ".h"):
    if path.parts[0] not in ("base", "compiler", "dialect", "runtime") or str(path) in ITSELF:
        continue
    for number, line in enumerate(files.read(path).splitlines(), 1):
        found = WRITES.search(line.split("//")[0])
        if found and "FILE" not in line:
            problems.append(f"{path}:{number}: {found.group()} writes by itself; use print, printNow or reportLine")
files.finish(problems)
