# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled models."""

from __future__ import annotations

import contextlib
import ctypes
import json
import threading
from os import fsencode, fspath
from os.path import abspath
from types import TracebackType
from typing import (TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Literal, Mapping, NoReturn, Optional, Sequence,
                    Tuple, Type, Union, cast, overload)

import numpy as np
import numpy.typing as npt

from . import _generation, _library, _places, _sentences
from ._arguments import (MOST, Arrays, Ids, conversation_argument, encoded, id_array, integer, pointer_to_ids,
                         sample_array, text_argument, text_list)
from ._generation import Prompt
from ._handles import Opened, Result, Session
from ._library import text_of
from .errors import BusyError, TransfoldError, UnsupportedError
from .options import Conversation, GenerateOptions, Path
from .results import Classes, Completion, Fillings, Ranked, Tags, Tokens, Transcript, parts_of, transcript_of
from .stream import Listener, Stream, wait_for

if TYPE_CHECKING:
    from typing_extensions import Unpack

Texts = Union[str, Sequence[str]]


class Program:
    """A compiled model: its weights, its tokenizer, and the threads that compute.

    Any number of threads may use it at once: a request releases the GIL while it runs, and gets a
    session of its own, which is kept for later requests. Arrays of results are read-only views of the
    library's memory, and stay valid when the program is closed.

    Requests raise UnsupportedError if the model has no such task, ArgumentError for invalid values,
    and TypeError for arguments of a wrong type.
    """

    def __init__(self, library: Path, *, weights: Optional[Path] = None, threads: int = 0) -> None:
        """Opens libNAME.so.

        weights: NAME.weights, or the folder that contains it; default: the folder of the library.
        threads: number of threads that compute, the caller's included; 0: the number of processors;
            at most 1024.

        Raises FileError if library or weights are missing, damaged, or of another compilation;
        MachineError if there are no kernels for this processor.
        """
        self.path = fspath(library)
        self._weights = None if weights is None else abspath(fspath(weights))
        self._threads = threads
        self._opened: Optional[Opened] = Opened(self.path, self._weights, threads)
        self._idle: List[Session] = []
        self._lock = threading.Lock()

    @classmethod
    def load(cls, name: Path, *, weights: Optional[Path] = None, threads: int = 0) -> Program:
        """Opens a library by its path, by its folder, or by its name.

        A name such as "minilm" stands for ./libminilm.so, or else for the newest library that ``compile``
        has stored under that name.

        Raises FileError, and what ``Program`` raises.
        """
        return cls(_places.find_library(fspath(name)), weights=weights, threads=threads)

    def close(self) -> None:
        """Frees the program when the running requests have ended. Further calls have no effect."""
        with self._lock:
            self._opened = None
            self._idle.clear()

    def __enter__(self) -> Program:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<transfold.Program {self.path}>"

    def __reduce__(self) -> Tuple[Any, ...]:
        """A pickled program contains only its path: unpickling opens the library again, in any process."""
        return _reopened, (self._open().library.path, self._weights, self._threads)

    def _open(self) -> Opened:
        opened = self._opened
        if opened is None:
            raise TransfoldError("the program is closed")
        return opened

    def _new_session(self) -> Session:
        with self._lock:
            opened = self._open()
            if self._idle:
                return self._idle.pop()
        return Session(opened)

    @contextlib.contextmanager
    def _session(self) -> Iterator[Session]:
        session = self._new_session()
        try:
            yield session
        finally:
            self._keep(session)

    def _keep(self, session: Session) -> None:
        with self._lock:
            if self._opened is session.opened:
                self._idle.append(session)

    # --- Properties ---------------------------------------------------------------------------

    def _number(self, which: int) -> int:
        opened = self._open()
        return int(opened.library.tfold_number(opened.pointer, which))

    @property
    def name(self) -> str:
        """Name of the architecture in the spec, such as "bert"."""
        opened = self._open()
        return text_of(opened.library.tfold_name(opened.pointer))

    @property
    def tasks(self) -> Tuple[str, ...]:
        """The model's tasks: "embed", "classify", "tag", "fill", "generate", "translate", "transcribe", "chat", "recognize"."""
        opened = self._open()
        count = opened.library.tfold_task_count(opened.pointer)
        return tuple(text_of(opened.library.tfold_task(opened.pointer, i)) for i in range(count))

    def labels(self, task: str) -> Tuple[str, ...]:
        """The names of the classes of "classify" or "tag", by class number; empty for other tasks.

        Raises UnsupportedError if the model has no such task.
        """
        opened, key = self._open(), encoded(task, "task")
        count = opened.library.tfold_label_count(opened.pointer, key)
        if count == 0 and task not in self.tasks:
            raise UnsupportedError(f"the model has no task '{task}'; it has {', '.join(self.tasks) or 'none'}")
        return tuple(text_of(opened.library.tfold_label(opened.pointer, key, i)) for i in range(count))

    @property
    def context_length(self) -> int:
        """Maximum number of tokens; 0: the equations set no limit."""
        return self._number(_library.CONTEXT_LENGTH)

    @property
    def vocabulary(self) -> int:
        """Number of token ids; 0: unknown."""
        return self._number(_library.VOCABULARY)

    @property
    def dimensions(self) -> int:
        """Elements of an embedding; 0: the model computes no embeddings."""
        return self._number(_library.DIMENSIONS)

    @property
    def threads(self) -> int:
        """Number of threads that compute."""
        return self._number(_library.THREADS)

    @property
    def weight_bytes(self) -> int:
        return self._number(_library.WEIGHT_BYTES)

    @property
    def has_tokenizer(self) -> bool:
        return self._number(_library.HAS_TOKENIZER) == 1

    @property
    def has_chat_template(self) -> bool:
        return self._number(_library.HAS_CHAT_TEMPLATE) == 1

    @property
    def metadata(self) -> Dict[str, Any]:
        """All properties above, the options of each task, and the arguments and results of each entry with shapes."""
        opened = self._open()
        return cast(Dict[str, Any], json.loads(text_of(opened.library.tfold_metadata(opened.pointer))))

    # --- Texts --------------------------------------------------------------------------------

    @overload
    def tokenize(self, texts: str) -> Tokens: ...  # type: ignore[overload-overlap]
    @overload
    def tokenize(self, texts: Sequence[str]) -> List[Tokens]: ...

    def tokenize(self, texts: Texts) -> Union[Tokens, List[Tokens]]:
        """The tokens of a text, or of each text. Texts are not truncated."""
        result = self._on_texts("tfold_tokenize", texts)
        made = [Tokens(ids, types, special.astype(bool), begin, end) for ids, types, special, begin, end
                in parts_of(result, "ids", "types", "special", "begin", "end")]
        return made[0] if isinstance(texts, str) else made

    def detokenize(self, ids: Ids, *, with_special: bool = False) -> str:
        """The text of token ids [tokens]."""
        row = id_array(ids, "ids")
        with self._session() as session:
            return session.request("tfold_detokenize", pointer_to_ids(row), len(row),
                                   int(bool(with_special))).text()

    def embed(self, texts: Texts) -> npt.NDArray[np.float32]:
        """Embeddings: float32 [count, d], or [d] for a single text; normalized only if the model does so (most do).

        Texts of any length are processed together, without padding; texts that are too long are truncated.
        """
        rows = self._on_texts("tfold_embed", texts)["embedding"]
        return rows[0] if isinstance(texts, str) else rows

    def embed_ids(self, sequences: Sequence[Ids]) -> npt.NDArray[np.float32]:
        """Embeddings of token ids, special tokens included: float32 [count, d]; too long sequences are an error."""
        rows = [id_array(ids, f"sequence {i}") for i, ids in enumerate(sequences)]
        ids = np.concatenate(rows) if rows else np.empty(0, np.int32)
        lengths = (ctypes.c_int64 * len(rows))(*map(len, rows))
        with self._session() as session:
            return session.request("tfold_embed_ids", pointer_to_ids(ids), lengths, len(rows))["embedding"]

    def encode(self, sentences: Texts, prompt_name: Optional[str] = None, prompt: Optional[str] = None,
               batch_size: int = 32, show_progress_bar: Optional[bool] = None,
               output_value: Optional[str] = "sentence_embedding", precision: str = "float32",
               convert_to_numpy: bool = True, convert_to_tensor: bool = False,
               device: Optional[str] = None, normalize_embeddings: bool = False) -> Any:
        """Like SentenceTransformer.encode: float32 [count, d], or [d] for a single sentence; writable.

        prompt: is added before each sentence. batch_size: number of sentences between two progress
        messages; the number that is computed at once depends on their lengths.
        convert_to_tensor returns a PyTorch tensor, convert_to_numpy=False a list of vectors.

        Raises UnsupportedError for token embeddings, other precisions, devices and prompt_name.
        """
        _sentences.refuse(prompt_name=prompt_name)
        return _sentences.encode(self, sentences, prompt, batch_size, show_progress_bar, output_value, precision,
                              convert_to_numpy, convert_to_tensor, device, normalize_embeddings)

    def get_sentence_embedding_dimension(self) -> int:
        """``dimensions``, under the name used by SentenceTransformer."""
        return self.dimensions

    @property
    def max_seq_length(self) -> int:
        """``context_length``, under the name used by SentenceTransformer."""
        return self.context_length

    similarity = staticmethod(_sentences.similarity)

    def classify(self, texts: Texts, *, top: int = 0) -> Classes:
        """The `top` most likely classes (0: all): [count, top], or [top] for a single text."""
        result = self._on_texts("tfold_classify", texts, _count(top, "top"))
        classes, scores = result["class"], result["score"]
        if isinstance(texts, str):
            classes, scores = classes[0], scores[0]
        return Classes(classes, scores, self.labels("classify"))

    def rerank(self, query: str, documents: Sequence[str], *, top: int = 0) -> List[Ranked]:
        """The `top` most relevant documents (0: all), the most relevant first. The model must have a
        single score for two texts, as cross-encoders have."""
        if isinstance(documents, str):
            raise TypeError("documents is a str; give a list of texts")
        texts = list(documents)
        given, count = text_list(texts, "document")
        asked = text_argument(query, "the query")
        with self._session() as session:
            result = session.request("tfold_rerank", ctypes.byref(asked), given, count)
        scores = result["score"]
        order = sorted(range(count), key=lambda k: (-scores[k], k))
        return [Ranked(k, float(scores[k]), texts[k]) for k in order[:_count(top, "top") or count]]

    @overload
    def tag(self, texts: str, *, top: int = 1) -> Tags: ...  # type: ignore[overload-overlap]
    @overload
    def tag(self, texts: Sequence[str], *, top: int = 1) -> List[Tags]: ...

    def tag(self, texts: Texts, *, top: int = 1) -> Union[Tags, List[Tags]]:
        """The `top` most likely classes (0: all) of each token, without special tokens."""
        result = self._on_texts("tfold_tag", texts, _count(top, "top"))
        labels = self.labels("tag")
        made = [Tags(ids, begin, end, classes, scores, labels) for ids, begin, end, classes, scores
                in parts_of(result, "ids", "begin", "end", "class", "score")]
        return made[0] if isinstance(texts, str) else made

    @overload
    def fill(self, texts: str, *, top: int = 5) -> Fillings: ...  # type: ignore[overload-overlap]
    @overload
    def fill(self, texts: Sequence[str], *, top: int = 5) -> List[Fillings]: ...

    def fill(self, texts: Texts, *, top: int = 5) -> Union[Fillings, List[Fillings]]:
        """The `top` most likely tokens (0: all) for each mask. A text without a mask is an error."""
        result = self._on_texts("tfold_fill", texts, _count(top, "top"))
        made = [Fillings(*part) for part in parts_of(result, "place", "ids", "score")]
        return made[0] if isinstance(texts, str) else made

    def _on_texts(self, name: str, texts: Texts, *more: int) -> Result:
        given, count = text_list([texts] if isinstance(texts, str) else texts)
        with self._session() as session:
            return session.request(name, given, count, *more)

    # --- Arrays -------------------------------------------------------------------------------

    def run(self, entry: Optional[str] = None, /, **arrays: npt.ArrayLike) -> Dict[str, npt.NDArray[np.float32]]:
        """Runs an entry, or with None all entries whose arguments are given; returns the results by name.

        Arguments are given by name (``metadata["entries"]`` has their shapes), with the batch as first
        axis: input_ids=[count, n]. attention_mask [count, n], ones followed by zeros, defines where
        sequences end. Dense arrays of float32, float64, int32, int64, uint8 or bool are not copied.
        """
        given = Arrays(arrays)
        name = None if entry is None else encoded(entry, "entry")
        with self._session() as session:
            return dict(session.request("tfold_run", name, given.first, given.count).arrays())

    # --- Recordings ---------------------------------------------------------------------------

    def transcribe(self, recording: Union[Path, npt.NDArray[np.floating[Any]]], *, rate: int = 0,
                   language: Optional[str] = None, translate: bool = False, timestamps: bool = False,
                   beams: int = 1) -> Transcript:
        """Transcribes the speech in a recording.

        recording: a WAV file, or samples of one channel, [samples] between -1 and 1.
        rate: samples per second, for arrays; 0: the rate of the model.
        language: a code such as "de"; None: detected. translate: translate into English.
        timestamps: a timestamp for each segment, even if the recording is short.
        beams: width of the beam search.
        """
        options = _library.TranscribeOptions(
            ctypes.sizeof(_library.TranscribeOptions), None if language is None else encoded(language, "language"),
            int(bool(translate)), int(bool(timestamps)), integer(beams, "beams", -MOST - 1, MOST))
        rate = integer(rate, "rate", -MOST - 1, MOST)
        with self._session() as session:
            if isinstance(recording, np.ndarray):
                samples = sample_array(recording)
                result = session.request(
                    "tfold_transcribe", samples.ctypes.data_as(ctypes.POINTER(ctypes.c_float)), samples.size, rate,
                    ctypes.byref(options))
            else:
                result = session.request("tfold_transcribe_file", fsencode(recording), ctypes.byref(options))
        return transcript_of(result)

    # --- Generation ---------------------------------------------------------------------------

    @overload
    def generate(self, prompt: Prompt, *, stream: Literal[False] = False,
                 **options: Unpack[GenerateOptions]) -> Completion: ...
    @overload
    def generate(self, prompt: Prompt, *, stream: Literal[True],
                 **options: Unpack[GenerateOptions]) -> Stream: ...

    def generate(self, prompt: Prompt, *, stream: bool = False,
                 **options: Unpack[GenerateOptions]) -> Union[Completion, Stream]:
        """Generates a continuation of a prompt, or its translation.

        prompt: a text; token ids [tokens]; or the input of an encoder, real numbers [1, …].
        stream: return an iterator over the text, which is generated on a thread of its own.
        options: ``GenerateOptions``. Without `temperature`, decoding is greedy.
        """
        return self._make(lambda session, listener: _generation.generate(session, prompt, listener, options),
                          stream)

    @overload
    def chat(self, messages: Conversation, *, stream: Literal[False] = False,
             **options: Unpack[GenerateOptions]) -> Completion: ...
    @overload
    def chat(self, messages: Conversation, *, stream: Literal[True],
             **options: Unpack[GenerateOptions]) -> Stream: ...

    def chat(self, messages: Conversation, *, stream: bool = False,
             **options: Unpack[GenerateOptions]) -> Union[Completion, Stream]:
        """Generates the answer to a conversation.

        messages: ``[{"role": "user", "content": "Hello"}]``; an object with "messages" and further
        variables of the chat template ("tools"); or a single message of the user, a str.
        stream, options: as for ``generate``; without max_tokens, the answer has at most
        8192 tokens.
        """
        return self._make(lambda session, listener: _generation.chat(session, messages, listener, options),
                          stream)

    def chat_prompt(self, messages: Conversation) -> Tuple[str, npt.NDArray[np.int32]]:
        """The prompt that ``chat`` gives the model: the text, and its ids [tokens]."""
        text = conversation_argument(messages)
        with self._session() as session:
            result = session.request("tfold_chat_prompt", ctypes.byref(text))
        return result.text(), result["ids"]

    def start_chat(self, messages: Sequence[Mapping[str, Any]] = ()) -> Chat:
        """Starts a conversation that keeps its messages and its KV cache, so that only new tokens are computed."""
        return Chat(self, messages)

    def _make(self, request: Callable[[Session, Optional[Listener]], Completion],
              stream: bool) -> Union[Completion, Stream]:
        session = self._new_session()

        def run(listener: Optional[Listener]) -> Completion:
            try:
                return request(session, listener)
            finally:
                self._keep(session)

        return Stream(run, session.cancel) if stream else wait_for(lambda: run(None), session.cancel)


class Chat:
    """A conversation with a session of its own; it generates one answer at a time."""

    def __init__(self, program: Program, messages: Sequence[Mapping[str, Any]]) -> None:
        self.messages: List[Dict[str, Any]] = [dict(message) for message in messages]
        """The messages so far, including the answers; may be changed between two answers."""
        self._session = Session(program._open())
        self._lock = threading.Lock()

    def __reduce__(self) -> NoReturn:
        raise TransfoldError("a conversation cannot be pickled, since its keys and values are in this process; "
                             "pickle its messages, and go on with start_chat(messages)")

    @overload
    def ask(self, text: str, *, stream: Literal[False] = False,
            **options: Unpack[GenerateOptions]) -> Completion: ...
    @overload
    def ask(self, text: str, *, stream: Literal[True], **options: Unpack[GenerateOptions]) -> Stream: ...

    def ask(self, text: str, *, stream: bool = False,
            **options: Unpack[GenerateOptions]) -> Union[Completion, Stream]:
        """Adds `text` as a message of the user, and returns the answer, as ``Program.chat`` does.

        Both are added to ``messages`` when the answer has ended; also if it was closed, with the text so
        far. Raises BusyError while another answer is being generated.
        """
        if not self._lock.acquire(blocking=False):
            raise BusyError("the conversation is answering another message")
        said = [*self.messages, {"role": "user", "content": text}]

        def run(listener: Optional[Listener]) -> Completion:
            try:
                made = _generation.chat(self._session, said, listener, options)
                self.messages = [*said, {"role": "assistant", "content": made.text}]
                return made
            finally:
                self._lock.release()

        cancel = self._session.cancel
        return Stream(run, cancel) if stream else wait_for(lambda: run(None), cancel)


def _count(value: int, name: str) -> int:
    return integer(value, name, 0, MOST)


def _reopened(library: str, weights: Optional[str], threads: int) -> Program:
    return Program(library, weights=weights, threads=threads)
