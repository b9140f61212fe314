# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What can be said of a request that makes tokens, and of a compilation."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any, Dict, Mapping, Sequence, TypedDict, Union

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Path = Union[str, "PathLike[str]"]
#: What the user says, messages, or an object with "messages" and what else the template asks for.
Conversation = Union[str, Sequence[Mapping[str, Any]], Mapping[str, Any]]


class GenerateOptions(TypedDict, total=False):
    """Options of ``generate`` and ``chat``. What is None or left out is as usual."""

    #: Most tokens that are made: 128, and for conversations 8192.
    max_tokens: int | None
    #: 0: the likeliest token, always; above it tokens are drawn.
    temperature: float | None
    #: These three cut what is drawn from: the so many likeliest (0: all) …
    top_k: int | None
    #: … those that have this much of the probability (1: all) …
    top_p: float | None
    #: … those that have this part of the likeliest one's (0: all).
    min_p: float | None
    #: Above 1 what was said becomes less likely.
    repetition_penalty: float | None
    #: Equal seeds draw equally. 0 to 2⁶⁴ - 1.
    seed: int | None
    #: Texts that end what is made, and are left out.
    stop: str | Sequence[str] | None
    #: Token ids that end it, instead of the model's.
    end_tokens: Sequence[int] | npt.NDArray[np.integer[Any]] | None
    #: Token ids that are never made.
    suppress: Sequence[int] | npt.NDArray[np.integer[Any]] | None
    #: Token ids that a result begins with, behind an encoder.
    start: Sequence[int] | npt.NDArray[np.integer[Any]] | None
    #: No token ends it.
    ignore_end: bool | None
    #: Beams: so many are searched (1: none). Not with a temperature, nor in conversations.
    beams: int | None
    #: Beams: above 0 long ones are favoured.
    length_penalty: float | None
    #: Beams: it ends when as many have ended.
    early_stopping: bool | None
    #: Tokens of the prompt that are read at once: 512, or 2,048 on a device.
    chunk: int | None
    #: Say the logarithm of each token's probability.
    log_probabilities: bool | None


#: How each of them is given to the library.
GENERATE_OPTIONS: Dict[str, str] = {
    "max_tokens": "integer", "temperature": "real", "top_k": "integer", "top_p": "real", "min_p": "real",
    "repetition_penalty": "real", "seed": "integer", "stop": "texts", "end_tokens": "ids",
    "suppress": "ids", "start": "ids", "ignore_end": "flag", "beams": "integer",
    "length_penalty": "real", "early_stopping": "flag", "chunk": "integer",
    "log_probabilities": "flag"}


class CompileOptions(TypedDict, total=False):
    """Options of ``compile``, as ``transfold compile --help`` has them."""

    #: The equations: a file; else the spec for the model's architecture.
    spec: Path | None
    #: A Jinja template of conversations, instead of the model's: a file.
    chat_template: Path | None
    #: The processor: "x86-64" (kernels for AVX2 and for AVX-512), "avx2", "avx512", "host", …
    target: str | None
    #: How products are computed: "exact", "bf16" or "int8".
    products: str | None
    #: Rounds matrices of floats: "bf16", "int8", "int5" or "int4", also with ":weights" behind it.
    quantize: str | None
    #: How products of queries, keys and values are computed where others are rounded: "bf16", in
    #: which they are also kept, or "exact".
    attention: str | None
    #: A file with texts, or "random": scales are chosen by what the model does on them.
    calibrate: Path | Sequence[Path] | None
    #: Weights whose products lose more than this on the samples (NMSE) get more bits.
    max_error: float | None
    #: "into-low-precision", "gains".
    fold: str | Sequence[str] | None
    #: Constants, biases and gains that stay as the spec writes them; "all" for all.
    no_fold: str | Sequence[str] | None
    #: What entries give, by name.
    results: str | Sequence[str] | None
    #: Kernels that are built at a time: as many as there are processors.
    jobs: int | None
