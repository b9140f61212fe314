# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Requests that generate tokens, on one session."""

from __future__ import annotations

import ctypes
from typing import Any, List, Optional, Union

import numpy as np
import numpy.typing as npt

from . import _library
from ._arguments import (Arrays, Ids, Options, conversation_argument, id_array, pointer_to_ids,
                         text_argument)
from ._handles import Session
from .options import Conversation, GenerateOptions
from .results import Completion, completion_of
from .stream import Listener

Prompt = Union[str, Ids, npt.NDArray[np.floating[Any]]]


def _listen(listener: Listener, raised: List[BaseException]) -> Any:
    """A callback for each token. An exception in it ends the request and is stored in `raised`."""

    def call(context: Optional[int], piece: Any) -> int:
        try:
            told = piece.contents
            text = ctypes.string_at(told.text, told.text_size) if told.text_size else b""
            return 0 if listener(text.decode("utf-8", "replace")) else 1
        except BaseException as error:
            raised.append(error)
            return 1

    return _library.StreamFunction(call)


def _request(session: Session, name: str, arguments: List[Any], listener: Optional[Listener],
             options: GenerateOptions) -> Completion:
    given = Options(session.library, options)
    raised: List[BaseException] = []
    if listener is not None:
        given.struct.stream = _listen(listener, raised)
    try:
        result = session.request(name, *arguments, ctypes.byref(given.struct))
    finally:
        if raised:
            raise raised[0]
    return completion_of(result)


def generate(session: Session, prompt: Prompt, listener: Optional[Listener],
             options: GenerateOptions) -> Completion:
    if isinstance(prompt, str):
        text = text_argument(prompt, "prompt")
        return _request(session, "tfold_generate", [ctypes.byref(text)], listener, options)
    if isinstance(prompt, np.ndarray) and prompt.dtype.kind == "f":
        arrays = Arrays({"features": prompt})
        return _request(session, "tfold_generate_array", [arrays.first], listener, options)
    ids = id_array(prompt, "prompt")
    return _request(session, "tfold_generate_ids", [pointer_to_ids(ids), len(ids)], listener, options)


def chat(session: Session, messages: Conversation, listener: Optional[Listener],
         options: GenerateOptions) -> Completion:
    text = conversation_argument(messages)
    return _request(session, "tfold_chat", [ctypes.byref(text)], listener, options)
