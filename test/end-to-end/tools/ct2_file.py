# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes CTranslate2's model.bin: variables of every type, aliases, all versions.

The layout is that of python/ctranslate2/specs/model_spec.py. Nothing is checked: tests
write broken files too.
"""

import json
import pathlib
import struct

import numpy

TYPES = ["float32", "int8", "int16", "int32", "float16", "bfloat16"]


class BFloat16:
    """Values in bfloat16, which NumPy lacks: the rounded upper halves of floats."""

    def __init__(self, array):
        bits = numpy.ascontiguousarray(array, "<f4").view("<u4")
        bits = bits + 0x7fff + (bits >> 16 & 1)
        self.array, self.shape = (bits >> 16).astype("<u2"), array.shape

    def numbers(self):
        return (self.array.astype("<u4") << 16).view("<f4")


def text(string):
    string = string.encode() if isinstance(string, str) else string
    return struct.pack("<H", len(string) + 1) + string + b"\0"


def variable(name, value, version):
    bits = value.array if isinstance(value, BFloat16) else numpy.asarray(value)
    kind = "bfloat16" if isinstance(value, BFloat16) else bits.dtype.name
    content = bits.tobytes()
    head = text(name) + struct.pack("<B", bits.ndim)
    head += b"".join(struct.pack("<I", extent) for extent in bits.shape)
    if version >= 4:
        return head + struct.pack("<BI", TYPES.index(kind), len(content)) + content
    return head + struct.pack("<BI", bits.itemsize, bits.size) + content


def contents(variables, aliases=None, spec="TransformerSpec", revision=7, version=6):
    """The bytes of a file."""
    aliases = aliases or {}
    data = struct.pack("<I", version) + text(spec) + struct.pack("<I", revision)
    data += struct.pack("<I", len(variables))
    data += b"".join(variable(name, value, version) for name, value in variables.items())
    if version >= 3:
        data += struct.pack("<I", len(aliases))
        data += b"".join(text(alias) + text(name) for alias, name in aliases.items())
    return data


def quantised(array):
    """8-bit integers, and the scale of each row by which they were multiplied."""
    rows = array.reshape(array.shape[0], -1)
    largest = numpy.abs(rows).max(1)
    scale = (127 / numpy.where(largest == 0, 127, largest)).astype("<f4")
    return numpy.rint(rows * scale[:, None]).astype("i1").reshape(array.shape), scale


def quantised16(array):
    """16-bit integers and one scale for all."""
    scale = numpy.float32(2**10 / numpy.abs(array).max())
    return numpy.rint(array * scale).astype("<i2"), scale


def stored(variables, kind):
    """The variables as converters store them: weight matrices in 8 or 16 bits with their scales,
    all floats in 16 bits, or unchanged."""
    result = {}
    for name, value in variables.items():
        if value.ndim == 0 or value.dtype != numpy.float32:
            result[name] = value
        elif kind in ("int8", "int16") and name.endswith("weight"):
            integers, scale = (quantised if kind == "int8" else quantised16)(value)
            result[name], result[name + "_scale"] = integers, scale
        elif kind == "float16":
            result[name] = value.astype("<f2")
        elif kind == "bfloat16":
            result[name] = BFloat16(value)
        else:
            result[name] = value
    return result


def numbers(variables):
    """The values of the stored variables, in float64."""
    result = {}
    for name, value in variables.items():
        if isinstance(value, BFloat16):
            value = value.numbers()
        scale = variables.get(name + "_scale")
        if scale is not None:
            scale = scale.reshape(-1, *[1] * (value.ndim - 1)).astype("f8")
            value = value / scale
        if not name.endswith("_scale"):
            result[name] = value
    return result


def write(directory, variables, aliases=None, config=None, vocabulary=None, **options):
    """Writes a directory of CTranslate2; `vocabulary` has lists of tokens by file name."""
    directory = pathlib.Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "model.bin").write_bytes(contents(variables, aliases, **options))
    if config is not None:
        (directory / "config.json").write_text(json.dumps(config), encoding="utf-8")
    for name, tokens in (vocabulary or {}).items():
        content = json.dumps(tokens) if name.endswith(".json") else "".join(
            f"{token}\n" for token in tokens)
        (directory / name).write_text(content, encoding="utf-8", newline="")
