# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Options of requests that generate tokens, and of compilations."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any, Dict, Mapping, Sequence, TypedDict, Union

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Path = Union[str, "PathLike[str]"]
#: A message of the user, a list of messages, or an object with "messages" and further variables of the template.
Conversation = Union[str, Sequence[Mapping[str, Any]], Mapping[str, Any]]


class GenerateOptions(TypedDict, total=False):
    """Options of ``generate`` and ``chat``. Options that are None or omitted have their default values."""

    #: Maximum number of new tokens; default: 128, and 8192 for conversations.
    max_tokens: int | None
    #: 0: greedy, always the most likely token; above 0, tokens are sampled.
    temperature: float | None
    #: Restrict sampling to the k most likely tokens (0: all).
    top_k: int | None
    #: Restrict sampling to the most likely tokens with this total probability (1: all).
    top_p: float | None
    #: Restrict sampling to tokens with at least this fraction of the probability of the most likely one (0: all).
    min_p: float | None
    #: Above 1, tokens that occurred before become less likely.
    repetition_penalty: float | None
    #: Subtracted from the logit of a token that was generated before, -2 to 2.
    presence_penalty: float | None
    #: Subtracted from the logit of a token for each time that it was generated before, -2 to 2.
    frequency_penalty: float | None
    #: Seed of sampling, 0 to 2⁶⁴ - 1; equal seeds give equal results.
    seed: int | None
    #: Texts that end the result; they are not part of it.
    stop: str | Sequence[str] | None
    #: Token ids that end the result, instead of the model's.
    end_tokens: Sequence[int] | npt.NDArray[np.integer[Any]] | None
    #: Token ids that are never generated.
    suppress: Sequence[int] | npt.NDArray[np.integer[Any]] | None
    #: Token ids with which the decoder begins, for models with an encoder.
    start: Sequence[int] | npt.NDArray[np.integer[Any]] | None
    #: No token ends the result.
    ignore_end: bool | None
    #: Width of the beam search (1: no beam search). Not with a temperature, nor in conversations.
    beams: int | None
    #: Beam search: above 0 favors long results.
    length_penalty: float | None
    #: Beam search: end as soon as `beams` sequences have ended.
    early_stopping: bool | None
    #: Tokens of the prompt per prefill step; default: 512, or 2,048 on a device.
    chunk: int | None
    #: Return the natural logarithm of each token's probability.
    log_probabilities: bool | None


#: How each option is passed to the library. All other numbers of sampling are passed by their names
#: (tfold_setting_name).
GENERATE_OPTIONS: Dict[str, str] = {
    "max_tokens": "integer", "temperature": "real", "top_k": "integer", "top_p": "real", "min_p": "real",
    "repetition_penalty": "real", "seed": "integer", "stop": "texts", "end_tokens": "ids",
    "suppress": "ids", "start": "ids", "ignore_end": "flag", "beams": "integer",
    "length_penalty": "real", "early_stopping": "flag", "chunk": "integer",
    "log_probabilities": "flag"}


class CompileOptions(TypedDict, total=False):
    """Options of ``compile``; ``transfold compile --help`` describes them."""

    #: A file with the equations; default: the spec for the model's architecture.
    spec: Path | None
    #: A file with a Jinja chat template, instead of the model's.
    chat_template: Path | None
    #: The processor: "x86-64" (kernels for AVX2 and for AVX-512), "avx2", "avx512", "host", …
    target: str | None
    #: How products are computed: "exact", "bf16" or "int8".
    products: str | None
    #: Quantize matrices of floats: "bf16", "int8", "int5" or "int4", optionally followed by ":weights".
    quantize: str | None
    #: How products of queries, keys and values are computed if other products are rounded: "bf16", which is then
    #: also the type of the KV cache, or "exact".
    attention: str | None
    #: A file with texts, or "random": scales are chosen by running the model on them (calibration).
    calibrate: Path | Sequence[Path] | None
    #: Weights whose products have a larger error than this on the samples (NMSE) get more bits.
    max_error: float | None
    #: What else is folded: "into-low-precision", "gains".
    fold: str | Sequence[str] | None
    #: Constants, biases and gains that are not folded; "all" for all.
    no_fold: str | Sequence[str] | None
    #: Names of the results that entries return.
    results: str | Sequence[str] | None
    #: Number of kernels that are built at the same time; default: the number of processors.
    jobs: int | None
