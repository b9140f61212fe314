# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""transfold.h for ctypes: its structures, and its functions in one model's library.

ctypes releases the GIL while one of these functions runs, and acquires it for the
callbacks of streams.
"""

from __future__ import annotations

import ctypes
import os
import re
from ctypes import (CFUNCTYPE, POINTER, c_char_p, c_double, c_float, c_int, c_int32, c_int64, c_size_t,
                    c_uint32, c_uint64, c_void_p)
from typing import Any, Dict, List, Optional, Tuple

from .errors import FileError, VersionError

ABI_VERSION = 1

CONTEXT_LENGTH, VOCABULARY, DIMENSIONS, THREADS, WEIGHT_BYTES, HAS_TOKENIZER, HAS_CHAT_TEMPLATE = range(7)


class Text(ctypes.Structure):
    _fields_ = [("data", c_char_p), ("size", c_size_t)]


class Array(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("type", c_int), ("rank", c_int32),
                ("shape", POINTER(c_int64)), ("data", c_void_p)]


class OpenOptions(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("weights", c_char_p), ("threads", c_int32)]


class Piece(ctypes.Structure):
    # The text is not always zero-terminated, as c_char_p would require.
    _fields_ = [("size", c_size_t), ("text", c_void_p), ("text_size", c_size_t),
                ("tokens", POINTER(c_int32)), ("token_count", c_size_t)]


StreamFunction = CFUNCTYPE(c_int32, c_void_p, POINTER(Piece))


class Setting(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("value", c_double)]


class GenerateOptions(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t), ("max_tokens", c_int64), ("temperature", c_double), ("top_k", c_int64),
        ("top_p", c_double), ("min_p", c_double), ("repetition_penalty", c_double), ("seed", c_uint64),
        ("stop", POINTER(Text)), ("stop_count", c_size_t),
        ("end_tokens", POINTER(c_int32)), ("end_token_count", c_size_t),
        ("suppress", POINTER(c_int32)), ("suppress_count", c_size_t),
        ("start", POINTER(c_int32)), ("start_count", c_size_t),
        ("ignore_end", c_int32), ("early_stopping", c_int32), ("beams", c_int64),
        ("length_penalty", c_double), ("chunk", c_int64), ("log_probabilities", c_int32),
        ("reserved", c_int32), ("stream", StreamFunction), ("context", c_void_p),
        ("settings", POINTER(Setting)), ("setting_count", c_size_t)]


class TranscribeOptions(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("language", c_char_p), ("translate", c_int32), ("timestamps", c_int32),
                ("beams", c_int64)]


_texts = [c_void_p, POINTER(Text), c_size_t]
_result = [POINTER(c_void_p)]
_options = [POINTER(GenerateOptions)]
# Result type and argument types of each function. Handles are void pointers.
_FUNCTIONS: Dict[str, Tuple[Any, List[Any]]] = {
    "tfold_abi_version": (c_uint32, []),
    "tfold_status_text": (c_char_p, [c_int]),
    "tfold_open": (c_int, [c_void_p, POINTER(OpenOptions), POINTER(c_void_p)]),
    "tfold_open_error": (c_char_p, [c_void_p]),
    "tfold_close": (None, [c_void_p]),
    "tfold_number": (c_int64, [c_void_p, c_int]),
    "tfold_name": (c_char_p, [c_void_p]),
    "tfold_task_count": (c_size_t, [c_void_p]),
    "tfold_task": (c_char_p, [c_void_p, c_size_t]),
    "tfold_label_count": (c_size_t, [c_void_p, c_char_p]),
    "tfold_label": (c_char_p, [c_void_p, c_char_p, c_size_t]),
    "tfold_metadata": (c_char_p, [c_void_p]),
    "tfold_session_new": (c_int, [c_void_p, POINTER(c_void_p)]),
    "tfold_session_free": (None, [c_void_p]),
    "tfold_error": (c_char_p, [c_void_p]),
    "tfold_cancel": (None, [c_void_p]),
    "tfold_tokenize": (c_int, [*_texts, *_result]),
    "tfold_detokenize": (c_int, [c_void_p, POINTER(c_int32), c_size_t, c_int32, *_result]),
    "tfold_embed": (c_int, [*_texts, *_result]),
    "tfold_embed_ids": (c_int, [c_void_p, POINTER(c_int32), POINTER(c_int64), c_size_t, *_result]),
    "tfold_classify": (c_int, [*_texts, c_size_t, *_result]),
    "tfold_rerank": (c_int, [c_void_p, POINTER(Text), POINTER(Text), c_size_t, *_result]),
    "tfold_tag": (c_int, [*_texts, c_size_t, *_result]),
    "tfold_fill": (c_int, [*_texts, c_size_t, *_result]),
    "tfold_run": (c_int, [c_void_p, c_char_p, POINTER(Array), c_size_t, *_result]),
    "tfold_generate_options_init": (None, [*_options, c_size_t]),
    "tfold_setting_name": (c_char_p, [c_size_t]),
    "tfold_generate": (c_int, [c_void_p, POINTER(Text), *_options, *_result]),
    "tfold_generate_ids": (c_int, [c_void_p, POINTER(c_int32), c_size_t, *_options, *_result]),
    "tfold_generate_array": (c_int, [c_void_p, POINTER(Array), *_options, *_result]),
    "tfold_chat": (c_int, [c_void_p, POINTER(Text), *_options, *_result]),
    "tfold_chat_prompt": (c_int, [c_void_p, POINTER(Text), *_result]),
    "tfold_transcribe": (c_int, [c_void_p, POINTER(c_float), c_size_t, c_int64, POINTER(TranscribeOptions), *_result]),
    "tfold_transcribe_file": (c_int, [c_void_p, c_char_p, POINTER(TranscribeOptions), *_result]),
    "tfold_result_array": (c_int, [c_void_p, c_size_t, POINTER(Array)]),
    "tfold_result_find": (c_int, [c_void_p, c_char_p, POINTER(Array)]),
    "tfold_result_text": (c_void_p, [c_void_p, POINTER(c_size_t)]),
    "tfold_result_end": (c_int, [c_void_p]),
    "tfold_result_free": (None, [c_void_p]),
}


def text_of(pointer: Optional[bytes]) -> str:
    """Decodes a zero-terminated text of the library."""
    return (pointer or b"").decode("utf-8", "replace")


class Library:
    """libNAME.so with the functions of transfold.h as attributes, and `model`.

    Raises FileError if the file is not such a library, VersionError if it has another ABI version.
    """

    def __init__(self, path: str) -> None:
        self.path = os.path.realpath(path)
        found = re.fullmatch(r"lib(.+)\.so", os.path.basename(self.path))
        if not found:
            raise FileError(f"{path}: a library must be named libNAME.so")
        self.name = found[1]
        try:
            self._file = ctypes.CDLL(self.path)
            for name, (gives, takes) in _FUNCTIONS.items():
                function = getattr(self._file, name)
                function.restype, function.argtypes = gives, takes
            model = getattr(self._file, re.sub(r"[-.]", "_", self.name) + "_model")
        except OSError as error:
            raise FileError(f"{path}: cannot be loaded: {error}") from None
        except AttributeError as error:
            raise FileError(f"{path}: not a library that transfold made, or it was renamed: "
                            f"{error}") from None
        version = self._file.tfold_abi_version()
        if version != ABI_VERSION:
            raise VersionError(f"{path}: its ABI is {version}, but this package knows {ABI_VERSION}; "
                               "compile the model again")
        model.restype = c_void_p
        self.model: int = model()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)
