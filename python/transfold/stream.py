# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A request that makes tokens on a thread of its own, and tells of them."""

from __future__ import annotations

import queue
import threading
import weakref
from types import TracebackType
from typing import Callable, Iterator, NoReturn, Optional, Type

from .errors import TransfoldError
from .results import Completion

#: Takes what is new, and says whether it goes on.
Listener = Callable[[str], bool]


class _State:
    """What the thread and the stream share. The thread does not keep the stream."""

    def __init__(self) -> None:
        # Pieces of text; None behind the last one.
        self.pieces: queue.SimpleQueue[Optional[str]] = queue.SimpleQueue()
        self.is_cancelled = False
        self.completion: Optional[Completion] = None
        self.error: Optional[BaseException] = None
        # Waited for in place of the thread, which Python 3.11 and 3.12 take for ended where
        # Ctrl-C interrupts Thread.join.
        self.ended = threading.Event()

    def tell(self, text: str) -> bool:
        if text:
            self.pieces.put(text)
        return not self.is_cancelled

    def work(self, request: Callable[[Listener], Completion]) -> None:
        try:
            self.completion = request(self.tell)
        except BaseException as error:  # goes to whoever reads the stream
            self.error = error
        finally:
            self.pieces.put(None)
            self.ended.set()


def _end(state: _State, cancel: Callable[[], None], thread: threading.Thread) -> None:
    state.is_cancelled = True
    # Again, since nothing is cancelled where the request has not begun.
    while not state.ended.wait(0.01):
        if thread.ident is None:  # Ctrl-C came before it was started
            return
        cancel()


class Stream(Iterator[str]):
    """An iterator over the text as it is made: ``for piece in stream: print(piece, end="")``.

    All pieces together are the completion's text. ``close()``, the end of a ``with`` block, and
    the loss of the last reference end the request before its next token.

    Iterating raises what the request would have raised.
    """

    def __init__(self, request: Callable[[Listener], Completion], cancel: Callable[[], None]) -> None:
        self._state = _State()
        self._is_read = False
        self._thread = threading.Thread(target=self._state.work, args=(request,), daemon=True,
                                        name="transfold-stream")
        # At the end of the process too: a thread that comes out of the library later
        # would find no Python.
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
        """Ends the request and waits until it has ended. Once more is nothing."""
        self._end()

    @property
    def completion(self) -> Completion:
        """All of it; waits for the end. After ``close()`` what there was by then.

        Raises what the request raised: CancelledError where there was nothing.
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
    """The request's completion, of a thread of its own too: Ctrl-C comes to who waits here, and
    ends the request, where it would not be noticed inside of the library."""
    stream = Stream(lambda listener: request(), cancel)
    try:
        return stream.completion
    finally:
        stream.close()
