# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""``Program.encode``: the arguments of sentence-transformers' ``SentenceTransformer.encode``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, List, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from .errors import UnsupportedError

if TYPE_CHECKING:
    from .program import Program


def normalized(rows: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Rows [count, d], each scaled to length 1; a row of zeros is unchanged."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    result: npt.NDArray[np.float32] = rows / np.maximum(lengths, np.float32(1e-12))
    return result


def similarity(one: npt.ArrayLike, other: npt.ArrayLike) -> npt.NDArray[np.float32]:
    """Cosine similarities of rows: float32 [a, b] for [a, d] and [b, d]; a single vector [d] counts as one row."""
    first, second = (normalized(np.atleast_2d(np.asarray(rows, np.float32))) for rows in (one, other))
    result: npt.NDArray[np.float32] = first @ second.T
    return result


def refuse(**given: object) -> None:
    for name, value in given.items():
        if value is not None:
            raise UnsupportedError(f"encode: {name}={value!r} is not supported; transfold gives sentence "
                                   "embeddings in float32, on the processor")


def _embed(program: Program, texts: List[str], batch_size: int, show: bool) -> npt.NDArray[np.float32]:
    rows = np.empty((len(texts), program.dimensions), np.float32)
    # The library itself forms batches of the best size. Python handles Ctrl-C only between two
    # requests.
    count = batch_size if show else max(batch_size, 1024)
    for first in range(0, len(texts), count):
        rows[first:first + count] = program.embed(texts[first:first + count])
        if show:
            done = min(first + count, len(texts))
            print(f"\r{done} of {len(texts)} texts", end="" if done < len(texts) else "\n", file=sys.stderr)
    return rows


def encode(program: Program, sentences: Union[str, Sequence[str]], prompt: Optional[str], batch_size: int,
           show_progress_bar: Optional[bool], output_value: Optional[str], precision: str,
           convert_to_numpy: bool, convert_to_tensor: bool, device: Optional[str],
           normalize_embeddings: bool) -> Any:
    refuse(output_value=None if output_value == "sentence_embedding" else str(output_value),
            precision=None if precision == "float32" else precision,
            device=None if device == "cpu" else device)
    if batch_size < 1:
        raise ValueError(f"batch_size is {batch_size}; it must be at least 1")
    texts = [sentences] if isinstance(sentences, str) else list(sentences)
    if prompt:
        texts = [prompt + text for text in texts]
    rows = _embed(program, texts, batch_size, bool(show_progress_bar) and bool(texts))
    if normalize_embeddings:
        rows = normalized(rows)
    made: Any = rows
    if convert_to_tensor:
        import torch  # type: ignore[import-not-found, unused-ignore]
        made = torch.from_numpy(rows)
    elif not convert_to_numpy:
        made = list(rows)
    return made[0] if isinstance(sentences, str) else made
