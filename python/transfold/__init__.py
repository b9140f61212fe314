# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled transformers in Python.

    import transfold

    program = transfold.compile("all-MiniLM-L6-v2", name="minilm")   # compiled once, then cached
    program = transfold.Program.load("minilm")
    program.embed(["A cat sat.", "The market fell."])                # float32 [2, 384]

    for piece in transfold.Program.load("smollm2").chat("What is a compiler?", stream=True):
        print(piece, end="", flush=True)
"""

from ._sentences import similarity
from ._version import VERSION
from .compiler import CompileWarning, compile
from .errors import (ArgumentError, BusyError, CancelledError, CompileError, ComputeError, FileError, InternalError,
                     MachineError, OutOfMemoryError, TransfoldError, UnsupportedError, VersionError)
from .options import CompileOptions, GenerateOptions
from .program import Chat, Program
from .results import Classes, Completion, Fillings, Ranked, Segment, Tags, Tokens, Transcript
from .stream import Stream

__version__ = VERSION
__all__ = [
    "ArgumentError", "BusyError", "CancelledError", "Chat", "Classes", "CompileError", "CompileOptions",
    "CompileWarning", "Completion", "ComputeError", "FileError", "Fillings", "GenerateOptions", "InternalError",
    "MachineError", "OutOfMemoryError", "Program", "Ranked", "Segment", "Stream", "Tags", "Tokens", "Transcript",
    "TransfoldError", "UnsupportedError", "VersionError", "compile", "similarity"]
