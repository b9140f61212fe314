# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conversion of arguments for the C library. Each object must live until the call has returned."""

from __future__ import annotations

import ctypes
import itertools
import json
import operator
from typing import Any, Iterable, Iterator, List, Mapping, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _library
from ._handles import TYPES
from .errors import ArgumentError
from .options import GENERATE_OPTIONS, Conversation, GenerateOptions

# The largest signed and unsigned 64-bit integers.
MOST, MOST_UNSIGNED = (1 << 63) - 1, (1 << 64) - 1

Ids = Union[Sequence[int], npt.NDArray[np.integer[Any]]]


def encoded(text: str, name: str) -> bytes:
    if not isinstance(text, str):
        raise TypeError(f"{name} is a {type(text).__name__}; give a str")
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ArgumentError(f"{name} is not text: {error}") from None


def text_argument(text: str, name: str) -> _library.Text:
    data = encoded(text, name)
    return _library.Text(data, len(data))


def text_list(texts: Iterable[str], name: str = "text") -> Tuple[ctypes.Array[_library.Text], int]:
    if isinstance(texts, (str, bytes)):
        raise TypeError(f"{name} is one text; give a list of them")
    if not isinstance(texts, Iterable):
        raise TypeError(f"{name} is a {type(texts).__name__}; give a str, or a list of them")
    made = [text_argument(text, f"{name} {i}") for i, text in enumerate(texts)]
    return (_library.Text * len(made))(*made), len(made)


def integer(value: Any, name: str, low: int, high: int) -> int:
    """Checks that `value` is an integer from `low` to `high`. ctypes would silently truncate larger ones."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is a {type(value).__name__}; give an int") from None
    if not low <= number <= high:
        raise ArgumentError(f"{name} is {number}; it can be {low} to {high}")
    return number


def real(value: Any, name: str) -> float:
    if isinstance(value, (str, bytes)):
        raise TypeError(f"{name} is a {type(value).__name__}; give a float")
    try:
        return float(value)
    except TypeError:
        raise TypeError(f"{name} is a {type(value).__name__}; give a float") from None
    except (OverflowError, ValueError) as error:
        raise ArgumentError(f"{name} cannot be a float: {error}") from None


def id_array(ids: npt.ArrayLike, name: str) -> npt.NDArray[np.int32]:
    """Token ids [tokens] as int32; not copied if they are int32 and dense."""
    array = np.asarray(ids)
    if array.size == 0:
        array = array.astype(np.int32)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise TypeError(f"{name} has shape {list(array.shape)} of {array.dtype}; give one row of integers")
    limits = np.iinfo(np.int32)
    if array.size and (array.min() < limits.min or array.max() > limits.max):
        raise ArgumentError(f"{name} has an id that does not fit 32 bits")
    return np.require(array, np.int32, ["C", "A"])


def sample_array(samples: npt.NDArray[np.floating[Any]]) -> npt.NDArray[np.float32]:
    """Samples [samples] as float32; not copied if they are float32 and dense."""
    if samples.ndim != 1 or samples.dtype.kind != "f":
        raise TypeError(f"recording has shape {list(samples.shape)} of {samples.dtype}; give one row of real numbers")
    return np.require(samples, np.float32, ["C", "A"])


def pointer_to_ids(ids: npt.NDArray[np.int32]) -> Any:
    return ids.ctypes.data_as(ctypes.POINTER(ctypes.c_int32))


def dense_array(value: npt.ArrayLike, name: str) -> npt.NDArray[Any]:
    """A row-major array of a type that the library supports; not copied if it is one already."""
    array = np.asarray(value)
    if array.dtype not in TYPES or not array.dtype.isnative:
        widths = ("int64",) if array.dtype.kind in "iu" else ("float32", "float64")
        for wider in map(np.dtype, widths):
            if np.can_cast(array.dtype, wider, "safe"):
                array = array.astype(wider)
                break
        else:
            raise TypeError(f"{name}: elements of type {array.dtype} are not supported; give one of "
                            + ", ".join(map(str, TYPES)))
    return np.require(array, requirements=["C", "A"])


class Arrays:
    """A tfold_array for each of `arrays`; it refers to the caller's memory if the array is dense."""

    def __init__(self, arrays: Mapping[str, npt.ArrayLike]) -> None:
        self._kept: List[Any] = []
        self.count = len(arrays)
        self.first = (_library.Array * self.count)(*(self._one(*each) for each in arrays.items()))

    def _one(self, name: str, value: npt.ArrayLike) -> _library.Array:
        array = dense_array(value, name)
        shape = (ctypes.c_int64 * array.ndim)(*array.shape)
        self._kept += [array, shape]
        return _library.Array(encoded(name, "a name"), TYPES.index(array.dtype), array.ndim, shape,
                              array.ctypes.data)


def conversation_argument(messages: Conversation) -> _library.Text:
    """A conversation as JSON for tfold_chat. A plain text is a message of the user."""
    given: Any = [{"role": "user", "content": messages}] if isinstance(messages, str) else messages
    if isinstance(given, Sequence):
        given = list(given)
    try:
        text = json.dumps(given, ensure_ascii=True, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"the conversation cannot be written as JSON: {error}") from None
    return text_argument(text, "the conversation")


def names_of_settings(library: _library.Library) -> Iterator[str]:
    """The numbers of sampling that the library knows."""
    for index in itertools.count():
        name = library.tfold_setting_name(index)
        if name is None:
            return
        yield name.decode()


class Options:
    """A tfold_generate_options structure, with the objects it points to."""

    def __init__(self, library: _library.Library, options: GenerateOptions) -> None:
        self.struct = _library.GenerateOptions()
        library.tfold_generate_options_init(ctypes.byref(self.struct), ctypes.sizeof(self.struct))
        self._kept: List[Any] = []
        settings: List[_library.Setting] = []
        # Those that are also fields of the structure are set there.
        known = {**dict.fromkeys(names_of_settings(library), "setting"), **GENERATE_OPTIONS}
        for name, value in options.items():
            kind = known.get(name)
            if kind is None:
                raise TypeError(f"there is no option '{name}'; options are {', '.join(known)}")
            if value is None:
                continue
            if kind != "setting":
                self._set(name, kind, value)
            else:
                settings.append(_library.Setting(encoded(name, "an option"), real(value, name)))
        self._point("settings", "setting_count", (_library.Setting * len(settings))(*settings), len(settings),
                    _library.Setting)

    def _set(self, name: str, kind: str, value: Any) -> None:
        if kind == "texts":
            texts, count = text_list([value] if isinstance(value, str) else value, name)
            self._point(name, f"{name}_count", texts, count, _library.Text)
        elif kind == "ids":
            ids = id_array(value, name)
            self._kept.append(ids)
            count_name = "end_token_count" if name == "end_tokens" else f"{name}_count"
            self._point(name, count_name, pointer_to_ids(ids), len(ids), ctypes.c_int32)
        elif kind == "real":
            setattr(self.struct, name, real(value, name))
        elif kind == "flag":
            setattr(self.struct, name, int(bool(value)))
        else:
            low, high = (0, MOST_UNSIGNED) if name == "seed" else (-MOST - 1, MOST)
            setattr(self.struct, name, integer(value, name, low, high))

    def _point(self, name: str, count_name: str, first: Any, count: int, kind: Any) -> None:
        setattr(self.struct, name, ctypes.cast(first, ctypes.POINTER(kind)))
        setattr(self.struct, count_name, count)
        self._kept.append(first)
