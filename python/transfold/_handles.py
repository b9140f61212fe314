# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The library's handles as Python objects, which free their handle when they are collected.

A session keeps its program open; a result does not depend on either of them.
"""

from __future__ import annotations

import ctypes
import operator
import os
import weakref
from typing import Any, Callable, Iterator, Optional, Tuple

import numpy as np
import numpy.typing as npt

from ._library import Array, Library, OpenOptions, text_of
from .errors import BUSY, OK, ArgumentError, TransfoldError, VersionError, error_of

# In the order of tfold_type in transfold.h.
TYPES = tuple(np.dtype(name) for name in ("float32", "float64", "int32", "int64", "uint8", "bool"))


def _free(function: Callable[[int], None], pointer: int, owner: int, kept: Any) -> None:
    """Frees a handle, but only in the process that created it: a forked process does not have its threads.

    `kept` is kept alive until then, so that a session's program is closed after the session.
    """
    del kept
    if os.getpid() == owner:
        function(pointer)


def _on_end(handle: object, function: Callable[[int], None], pointer: int, kept: Any = None) -> None:
    finalizer = weakref.finalize(handle, _free, function, pointer, os.getpid(), kept)
    # Not at exit: the end of the process frees everything, and other threads may still be in the library.
    finalizer.atexit = False


class Opened:
    """tfold_program: an opened model. Closed when neither a session nor any other object refers to it."""

    def __init__(self, path: str, weights: Optional[str], threads: int) -> None:
        try:
            threads = operator.index(threads)
        except TypeError:
            raise TypeError(f"threads is a {type(threads).__name__}; give an int") from None
        if not 0 <= threads <= 1024:
            raise ArgumentError(f"threads is {threads}; it can be 0 to 1024")
        self.library = Library(path)
        self.owner = os.getpid()
        options = OpenOptions(size=ctypes.sizeof(OpenOptions), threads=threads,
                              weights=os.fsencode(weights) if weights is not None else None)
        made = ctypes.c_void_p()
        status = self.library.tfold_open(self.library.model, ctypes.byref(options), ctypes.byref(made))
        if status != OK:
            text = text_of(self.library.tfold_open_error(made))
            self.library.tfold_close(made)
            raise error_of(status, text or text_of(self.library.tfold_status_text(status)))
        assert made.value
        self.pointer: int = made.value
        _on_end(self, self.library.tfold_close, self.pointer)

    def check(self) -> None:
        """Raises TransfoldError in a forked process, which does not have the program's threads."""
        if os.getpid() != self.owner:
            raise TransfoldError("a program that was loaded before a fork does not work after it: load it "
                                 "in the new process")


class Session:
    """tfold_session: runs one request at a time."""

    def __init__(self, opened: Opened) -> None:
        opened.check()
        self.opened = opened
        self.library = opened.library
        made = ctypes.c_void_p()
        status = self.library.tfold_session_new(opened.pointer, ctypes.byref(made))
        if status != OK:
            raise error_of(status, text_of(self.library.tfold_status_text(status)))
        assert made.value
        self.pointer: int = made.value
        _on_end(self, self.library.tfold_session_free, self.pointer, opened)

    def cancel(self) -> None:
        self.library.tfold_cancel(self.pointer)

    def request(self, name: str, *arguments: Any) -> Result:
        """Calls a function of the library; returns its result, also the partial result of a cancelled request."""
        self.opened.check()
        made = ctypes.c_void_p()
        status = getattr(self.library, name)(self.pointer, *arguments, ctypes.byref(made))
        if made.value:
            return Result(self.library, made.value)
        # If the session is busy, its error text belongs to the other request.
        text = "" if status == BUSY else text_of(self.library.tfold_error(self.pointer))
        raise error_of(status, text or text_of(self.library.tfold_status_text(status)))


class _Memory:
    """The memory of a result's array for NumPy; NumPy arrays refer to it, which keeps the result alive."""

    def __init__(self, result: Result, array: Array, shape: Tuple[int, ...], dtype: np.dtype[Any]) -> None:
        self._result = result
        self.__array_interface__ = {"version": 3, "shape": shape, "typestr": dtype.str,
                                    "data": (array.data, True)}


class Result:
    """tfold_result: arrays, and optionally a text."""

    def __init__(self, library: Library, pointer: int) -> None:
        self.library = library
        self.pointer = pointer
        _on_end(self, library.tfold_result_free, pointer)

    def _view(self, array: Array) -> npt.NDArray[Any]:
        shape = tuple(array.shape[axis] for axis in range(array.rank))
        dtype = TYPES[array.type]
        if 0 in shape:  # the data pointer may be null
            return np.empty(shape, dtype)
        return np.asarray(_Memory(self, array, shape, dtype))

    def find(self, name: str) -> Optional[npt.NDArray[Any]]:
        """The array of that name, read-only, in the library's memory; None if there is none."""
        array = Array()
        status = self.library.tfold_result_find(self.pointer, name.encode(), ctypes.byref(array))
        return self._view(array) if status == OK else None

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        found = self.find(name)
        if found is None:
            raise VersionError(f"the library does not provide {name}; compile the model again")
        return found

    def arrays(self) -> Iterator[Tuple[str, npt.NDArray[Any]]]:
        array, index = Array(), 0
        while self.library.tfold_result_array(self.pointer, index, ctypes.byref(array)) == OK:
            yield text_of(array.name), self._view(array)
            index += 1

    def text(self) -> str:
        """The text of the result; empty if it has none."""
        size = ctypes.c_size_t()
        pointer = self.library.tfold_result_text(self.pointer, ctypes.byref(size))
        return ctypes.string_at(pointer, size.value).decode("utf-8", "replace") if pointer else ""

    def end(self) -> int:
        return int(self.library.tfold_result_end(self.pointer))
