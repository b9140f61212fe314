# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results of requests. Arrays are read-only views of the library's memory; ``.copy()`` them to change them."""

from __future__ import annotations

import json
from typing import Any, List, NamedTuple, Optional, Tuple

import numpy as np
import numpy.typing as npt

from ._handles import Result

Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]
Float64s = npt.NDArray[np.float64]

# In the order of tfold_end in transfold.h.
_ENDS = ("none", "token", "stop", "length", "cancelled")


class Completion(NamedTuple):
    """The generated tokens, and their text."""

    text: str
    """The text, without the token or the stop text that ended it; empty if the model has no tokenizer."""
    tokens: Int32s
    """[made] the generated ids, the end token included."""
    end: str
    """"token": the model generated an end token; "stop": a stop text was generated; "length": the
    maximum number of tokens was reached; "cancelled"; "none": nothing was generated."""
    prompt_tokens: int
    """Number of tokens of the prompt."""
    reused_tokens: int
    """Number of these tokens that were already in the KV cache of the conversation."""
    log_probabilities: Optional[Float64s]
    """[made] natural logarithms of the probabilities, if requested."""
    score: Optional[float]
    """The score of the beam search, if one was made."""

    def __str__(self) -> str:
        return self.text


class Tokens(NamedTuple):
    """The tokens of one text, with the special tokens that the model expects."""

    ids: Int32s
    """[tokens]"""
    types: Int32s
    """[tokens] segment numbers (token_type_ids)."""
    special: npt.NDArray[np.bool_]
    """[tokens] true for tokens that are not from the text."""
    begin: Int64s
    """[tokens] first code point of each token in the text, as an index of the str."""
    end: Int64s
    """[tokens] index after the last code point of each token."""


class Classes(NamedTuple):
    """The classes of texts, the most likely first."""

    classes: Int32s
    """[count, top] class numbers; [top] for a single text."""
    scores: Float64s
    """Scores in the same shape: probabilities, or the raw value if there is only one class."""
    labels: Tuple[str, ...]
    """The names of all classes, by class number."""

    def names(self) -> Any:
        """The names of the classes instead of their numbers, as nested lists."""
        return np.array(self.labels, object)[self.classes].tolist()


class Ranked(NamedTuple):
    """A document, and its relevance to a query."""

    document: int
    """Its index among the documents."""
    score: float
    """The model's score: larger for more relevant documents."""
    text: str


class Tags(NamedTuple):
    """The classes of the tokens of one text, the most likely first."""

    ids: Int32s
    """[tokens]"""
    begin: Int64s
    """[tokens] first code point of each token in the text."""
    end: Int64s
    """[tokens] index after the last code point of each token."""
    classes: Int32s
    """[tokens, top] class numbers."""
    scores: Float64s
    """[tokens, top] probabilities."""
    labels: Tuple[str, ...]
    """The names of all classes, by class number."""

    def names(self) -> Any:
        """The names of the classes instead of their numbers, as nested lists."""
        return np.array(self.labels, object)[self.classes].tolist()


class Fillings(NamedTuple):
    """Candidates for the masks of one text, the most likely first."""

    places: Int64s
    """[masks] index of each mask among the text's tokens."""
    ids: Int32s
    """[masks, top]"""
    scores: Float64s
    """[masks, top] probabilities."""


class Segment(NamedTuple):
    """A segment of a transcript."""

    start: float
    """Seconds from the beginning of the recording."""
    end: float
    text: str
    """The text as decoded: words begin with spaces."""
    tokens: List[int]


class Transcript(NamedTuple):
    """The transcript of a recording."""

    text: str
    language: str
    """The language code; empty if the model does not report it."""
    duration: float
    """Length of the recording in seconds."""
    segments: List[Segment]

    def __str__(self) -> str:
        return self.text


def transcript_of(result: Result) -> Transcript:
    made = json.loads(result.text())
    return Transcript(made["text"], made.get("language", ""), made["duration"],
                      [Segment(each["start"], each["end"], each["text"], each["tokens"])
                       for each in made["segments"]])


def completion_of(result: Result) -> Completion:
    score = result.find("score")
    return Completion(result.text(), result["tokens"], _ENDS[result.end()],
                      int(result["prompt_tokens"][0]), int(result["reused_tokens"][0]),
                      result.find("log_probabilities"), None if score is None else float(score[0]))


def parts_of(result: Result, *names: str) -> List[List[npt.NDArray[Any]]]:
    """Splits the arrays into the parts of each text, by `offsets`."""
    offsets = result["offsets"]
    arrays = [result[name] for name in names]
    return [[array[first:last] for array in arrays] for first, last in zip(offsets[:-1], offsets[1:])]
