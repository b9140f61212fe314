# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes GGUF files: metadata of every type, tensors of every type, whole or split.

The layout is that of ggml/docs/gguf.md: magic, version, counts, keys, what tensors
there are, and their bytes, each aligned. Nothing is checked: tests write broken files too.
"""

import dataclasses
import pathlib
import struct

import numpy

# The types of values, by number; below, the type of a Python value by default.
VALUES = {"u8": (0, "<B"), "i8": (1, "<b"), "u16": (2, "<H"), "i16": (3, "<h"), "u32": (4, "<I"),
          "i32": (5, "<i"), "f32": (6, "<f"), "bool": (7, "<?"), "text": (8, None),
          "u64": (10, "<Q"), "i64": (11, "<q"), "f64": (12, "<d")}
ARRAY = 9
TENSORS = {"F32": 0, "F16": 1, "Q4_0": 2, "Q4_1": 3, "Q5_0": 6, "Q5_1": 7, "Q8_0": 8, "Q2_K": 10,
           "Q3_K": 11, "Q4_K": 12, "Q5_K": 13, "Q6_K": 14, "IQ4_NL": 20, "IQ4_XS": 23, "BF16": 30, "TQ2_0": 35,
           "MXFP4": 39, "NVFP4": 40}


@dataclasses.dataclass
class Value:
    """A metadata value with an explicit type: Value("u8", 3), or a list of them."""
    kind: str
    content: object


@dataclasses.dataclass
class Stored:
    """A tensor as bytes of a type, with its extents, slowest axis first."""
    kind: str
    shape: tuple
    content: bytes


def text(string):
    string = string.encode() if isinstance(string, str) else string
    return struct.pack("<Q", len(string)) + string


def guessed(value):
    """The types that llama.cpp's converters choose."""
    if isinstance(value, Value):
        return value
    first = value[0] if isinstance(value, list) else value
    kind = {bool: "bool", int: "i32" if isinstance(value, list) else "u32",
            float: "f32", str: "text", bytes: "text"}[type(first)]
    return Value(kind, value)


def pair(key, value):
    value = guessed(value)
    number, layout = VALUES[value.kind]
    several = isinstance(value.content, list)
    parts = value.content if several else [value.content]
    body = b"".join(struct.pack(layout, part) if layout else text(part) for part in parts)
    head = (struct.pack("<IIQ", ARRAY, number, len(parts)) if several else
            struct.pack("<I", number))
    return text(key) + head + body


def stored(tensor):
    """An array as a tensor: float16 is kept, everything else becomes float32."""
    if isinstance(tensor, Stored):
        return tensor
    kind = "F16" if tensor.dtype == numpy.float16 else "F32"
    array = numpy.ascontiguousarray(tensor, "<f2" if kind == "F16" else "<f4")
    return Stored(kind, array.shape, array.tobytes())


def damaged(tensor):
    """A tensor in blocks with an infinite first scale. In Q8_0, Q4_0, Q4_1 and similar formats
    the scale comes first, in Q4_K as well."""
    return Stored(tensor.kind, tensor.shape, struct.pack("<H", 0x7c00) + tensor.content[2:])


def contents(metadata, tensors, version=3, alignment=32):
    """The bytes of one file."""
    if alignment != 32:
        metadata = {**metadata, "general.alignment": alignment}
    tensors = {name: stored(tensor) for name, tensor in tensors.items()}
    head = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(metadata))
    head += b"".join(pair(key, value) for key, value in metadata.items())
    data, end = [], 0
    for name, tensor in tensors.items():
        head += text(name) + struct.pack("<I", len(tensor.shape))
        head += b"".join(struct.pack("<Q", extent) for extent in reversed(tensor.shape))
        head += struct.pack("<IQ", TENSORS[tensor.kind], end)
        data += [tensor.content, bytes(-len(tensor.content) % alignment)]
        end += len(data[-2]) + len(data[-1])
    return head + bytes(-len(head) % alignment) + b"".join(data)


def write(path, metadata, tensors, **options):
    pathlib.Path(path).write_bytes(contents(metadata, tensors, **options))


def write_split(path, metadata, tensors, parts, **options):
    """Writes NAME.gguf as NAME-00001-of-00003.gguf and so on; returns the first path."""
    path = pathlib.Path(path)
    names = list(tensors)
    files = [path.with_name(f"{path.stem}-{k + 1:05}-of-{parts:05}.gguf") for k in range(parts)]
    for k, file in enumerate(files):
        own = {"split.no": Value("u16", k), "split.count": Value("u16", parts),
               "split.tensors.count": Value("i32", len(tensors))}
        write(file, {**metadata, **own} if k == 0 else own,
              {name: tensors[name] for name in names[k::parts]}, **options)
    return files[0]
