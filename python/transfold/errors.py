# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exceptions: one class for each error status of the C library."""

from __future__ import annotations

from typing import Dict, Type


class TransfoldError(Exception):
    """Base class of all exceptions of this package."""


class CompileError(TransfoldError):
    """A model could not be compiled; the text is the compiler's message: place, cause, remedy."""


class ArgumentError(TransfoldError, ValueError):
    """An argument has an invalid value: a size, a range, an id, a shape."""


class UnsupportedError(TransfoldError):
    """The model does not support the request: it has no such task, no tokenizer, or no chat template."""


class FileError(TransfoldError, OSError):
    """A library, its weights or a recording cannot be read: missing, damaged, or of another compilation."""


class OutOfMemoryError(TransfoldError, MemoryError):
    """There is not enough memory for the request."""


class MachineError(TransfoldError):
    """The program has no kernels for this processor, or there is no device."""


class BusyError(TransfoldError):
    """The conversation is answering another message."""


class VersionError(TransfoldError):
    """The library was compiled by a version of the compiler that does not fit this package; compile the model again."""


class ComputeError(TransfoldError, ArithmeticError):
    """A kernel failed, or a result is NaN or infinite."""


class CancelledError(TransfoldError):
    """The request was cancelled before it had a result."""


class InternalError(TransfoldError):
    """A bug in transfold."""


OK = 0
BUSY = 7
# By tfold_status of transfold.h.
_CLASSES: Dict[int, Type[TransfoldError]] = {
    1: CancelledError,
    2: ArgumentError,
    3: UnsupportedError,
    4: FileError,
    5: OutOfMemoryError,
    6: MachineError,
    BUSY: BusyError,
    8: VersionError,
    9: ComputeError,
    10: InternalError,
}


def error_of(status: int, text: str) -> TransfoldError:
    """The exception for a status of the C library."""
    return _CLASSES.get(status, InternalError)(text)
