# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A request that generates tokens on a thread of its own, as an iterator."""

from __future__ import annotations

import queue
import threading
import weakref
from types import TracebackType
from typing import Callable, Iterator, NoReturn, Optional, Type

from .errors import TransfoldError
from .results import Completion

#: Receives new text, and returns whether to continue.
Listener = Callable[[str], bool]


class _State:
    """The state shared by the thread and the stream. The thread does not keep the stream alive."""

    def __init__(self) -> None:
        # Pieces of text; None after the last one.
        self.pieces: queue.SimpleQueue[Optional[str]] = queue.SimpleQueue()
        self.is_cancelled = False
        self.completion: Optional[Completion] = None
        self.error: Optional[BaseException] = None
        # Used instead of Thread.join: if Ctrl-C interrupts it, Python 3.11 and 3.12 treat the thread
        # as ended.
        self.ended = threading.Event()

    def tell(self, text: str) -> bool:
        if text:
            self.pieces.put(text)
        return not self.is_cancelled

    def work(self, request: Callable[[Listener], Completion]) -> None:
        try:
            self.completion = request(self.tell)
        except BaseException as error:  # raised again in the thread that reads the stream
            self.error = error
        finally:
            self.pieces.put(None)
            self.ended.set()


def _end(state: _State, cancel: Callable[[], None], thread: threading.Thread) -> None:
    state.is_cancelled = True
    # Repeatedly, since cancelling has no effect before the request has begun.
    while not state.ended.wait(0.01):
        if thread.ident is None:  # Ctrl-C arrived before the thread was started
            return
        cancel()


class Stream(Iterator[str]):
    """An iterator over the text while it is generated: ``for piece in stream: print(piece, end="")``.

    All pieces together are the completion's text. ``close()``, the end of a ``with`` block, and
    the loss of the last reference end the request before its next token.

    Iterating raises the exception of the request, if any.
    """

    def __init__(self, request: Callable[[Listener], Completion], cancel: Callable[[], None]) -> None:
        self._state = _State()
        self._is_read = False
        self._thread = threading.Thread(target=self._state.work, args=(request,), daemon=True,
                                        name="transfold-stream")
        # Also at the end of the process: a thread that returned from the library later would find
        # the interpreter gone.
        self._end = weakref.finalize(self, _end, self._state, cancel, self._thread)
        self._thread.start()

    def __reduce__(self) -> NoReturn:
        raise TransfoldError("a stream cannot be pickled, since its request runs in this process; pickle what it gave")

    def __next__(self) -> str:
        if self._is_read:
            raise StopIteration
        piece = self._state.pieces.get()
        if piece is not None:
            return piece
        self._is_read = True
        self._state.ended.wait()
        if self._state.error is not None and not self._state.is_cancelled:
            raise self._state.error
        raise StopIteration

    def close(self) -> None:
        """Ends the request and waits until it has ended. Further calls have no effect."""
        self._end()

    @property
    def completion(self) -> Completion:
        """The whole result; waits for its end. After ``close()``, the result so far.

        Raises the exception of the request: CancelledError if there is no result.
        """
        self._state.ended.wait()
        if self._state.error is not None:
            raise self._state.error
        assert self._state.completion is not None
        return self._state.completion

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()


def wait_for(request: Callable[[], Completion], cancel: Callable[[], None]) -> Completion:
    """Runs a request on a thread of its own and waits for its completion, so that Ctrl-C can end the
    request: inside the library it would not be noticed."""
    stream = Stream(lambda listener: request(), cancel)
    try:
        return stream.completion
    finally:
        stream.close()
