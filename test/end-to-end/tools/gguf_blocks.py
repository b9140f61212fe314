# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values in the blocks of GGUF files: random blocks, and their values.

Follows the layouts of ggml-common.h, independently of the compiler's table of formats; it was
compared once with gguf-py, which agrees on every bit.
"""

import numpy

from gguf_file import Stored

# Elements and bytes of a block; the offsets of its scale and minimum, which are float16.
BLOCKS = {"Q4_0": (32, 18, 0, None), "Q4_1": (32, 20, 0, 2), "Q5_0": (32, 22, 0, None),
          "Q5_1": (32, 24, 0, 2), "Q8_0": (32, 34, 0, None), "IQ4_NL": (32, 18, 0, None),
          "IQ4_XS": (256, 136, 0, None), "TQ2_0": (256, 66, 64, None),
          "MXFP4": (32, 17, None, None), "NVFP4": (64, 36, None, None), "Q2_K": (256, 84, 80, 82), "Q3_K": (256, 110, 108, None),
          "Q4_K": (256, 144, 0, 2), "Q5_K": (256, 176, 0, 2), "Q6_K": (256, 210, 208, None)}
UNEVEN = numpy.array([-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113])
MINI_FLOAT = numpy.array([0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12])
# The largest product of a code and a part's scale, or of a minimum.
LARGEST = {"Q4_0": 8, "Q4_1": 15, "Q5_0": 16, "Q5_1": 31, "Q8_0": 127, "IQ4_NL": 127, "IQ4_XS": 4064,
           "TQ2_0": 2, "Q2_K": 45,
           "Q3_K": 128, "Q4_K": 945, "Q5_K": 1953, "Q6_K": 4096}
LARGEST_MINIMUM = {"Q4_1": 1, "Q5_1": 1, "Q2_K": 15, "Q4_K": 63, "Q5_K": 63}


def bits(field, count, stride):
    """Codes of `count` bits: for each `stride` bytes first all lowest bits, then the higher
    ones."""
    shifts = numpy.arange(0, 8, count, dtype=numpy.uint8)[:, None]
    codes = field.reshape(len(field), -1, 1, stride) >> shifts & (2**count - 1)
    return codes.reshape(len(field), -1).astype(int)


def half(field):
    return numpy.ascontiguousarray(field).view("<f2").astype("f4")


def signed(field):
    return numpy.ascontiguousarray(field).view("i1").astype(int)


def small_floats(field):
    """Halves of unsigned 8-bit floats with four exponent bits."""
    exponent, fraction = (field >> 3 & 15).astype(int), (field & 7).astype(int)
    values = numpy.where(exponent == 0, numpy.ldexp(fraction / 8, -7),
                         numpy.ldexp(1 + fraction / 8, exponent - 8))
    return numpy.where(field == 0x7f, 0, values)


def interlocked(field):
    """Eight scales and eight minimums of 6 bits each, in 12 bytes."""
    low, middle, high = field[:, :4], field[:, 4:8], field[:, 8:]
    scales = numpy.concatenate([low & 63, (high & 15) | (low >> 6) << 4], 1)
    return scales, numpy.concatenate([middle & 63, high >> 4 | (middle >> 6) << 4], 1)


def parts(block, kind):
    """Codes, the integer scales of parts, and those of their minimums; None for 1."""
    b = block
    if kind in ("Q4_0", "Q4_1", "IQ4_NL", "MXFP4"):
        codes = bits(b[:, {"Q4_1": 4, "MXFP4": 1}.get(kind, 2):], 4, 16)
        table = {"IQ4_NL": UNEVEN, "MXFP4": MINI_FLOAT}.get(kind)
        return (codes - 8 * (kind == "Q4_0") if table is None else table[codes]), None, None
    if kind == "IQ4_XS":
        scales = bits(b[:, 4:8], 4, 1) | bits(b[:, 2:4], 2, 1) << 4
        return UNEVEN[bits(b[:, 8:], 4, 16)], scales - 32, None
    if kind == "NVFP4":
        return MINI_FLOAT[bits(b[:, 4:], 4, 8)], None, None
    if kind == "TQ2_0":
        return bits(b[:, :64], 2, 32) - 1, None, None
    if kind in ("Q5_0", "Q5_1"):
        at = 2 if kind == "Q5_0" else 4
        codes = bits(b[:, at + 4:], 4, 16) | bits(b[:, at:at + 4], 1, 1) << 4
        return codes - 16 * (kind == "Q5_0"), None, None
    if kind == "Q8_0":
        return signed(b[:, 2:]), None, None
    if kind == "Q2_K":
        return bits(b[:, 16:80], 2, 32), b[:, :16] & 15, b[:, :16] >> 4
    if kind == "Q3_K":
        codes = bits(b[:, 32:96], 2, 32) | bits(b[:, :32], 1, 32) << 2
        scales = bits(b[:, 96:104], 4, 8) | bits(b[:, 104:108], 2, 4) << 4
        return codes - 4, scales - 32, None
    if kind == "Q4_K":
        return bits(b[:, 16:], 4, 32), *interlocked(b[:, 4:16])
    if kind == "Q5_K":
        return bits(b[:, 48:], 4, 32) | bits(b[:, 16:48], 1, 32) << 4, *interlocked(b[:, 4:16])
    codes = bits(b[:, :128], 4, 64) | bits(b[:, 128:192], 2, 32) << 4
    return codes - 32, signed(b[:, 192:208]), None


def widen(tensor):
    """The values of a Stored tensor as float32: exact, or rounded once."""
    if tensor.kind in ("F32", "F16"):
        return numpy.frombuffer(tensor.content, "<f4" if tensor.kind == "F32" else
                                "<f2").astype("f4").reshape(tensor.shape)
    if tensor.kind == "BF16":
        wide = numpy.frombuffer(tensor.content, "<u2").astype("<u4") << 16
        return wide.view("<f4").reshape(tensor.shape)
    _, size, scale_at, minimum_at = BLOCKS[tensor.kind]
    block = numpy.frombuffer(tensor.content, "u1").reshape(-1, size)
    codes, scales, minimums = parts(block, tensor.kind)
    if tensor.kind == "NVFP4":
        numbers = codes * numpy.repeat(small_floats(block[:, :4]), 16, 1)
        return numbers.astype("f4").reshape(tensor.shape)
    scale = (numpy.ldexp(numpy.float32(1), block[:, :1].astype(int) - 128) if scale_at is None
             else half(block[:, scale_at:scale_at + 2]))

    def each(integers):
        return numpy.repeat(integers, codes.shape[1] // integers.shape[1], 1).astype("f4")

    numbers = codes.astype("f4") * (scale if scales is None else scale * each(scales))
    if minimum_at is not None:
        minimum = half(block[:, minimum_at:minimum_at + 2])
        numbers = numbers + minimum if minimums is None else numbers - minimum * each(minimums)
    return numbers.astype("f4").reshape(tensor.shape)


def random_blocks(kind, shape, random, size=0.1):
    """A tensor of random codes with values of about the given magnitude; every code occurs."""
    count = int(numpy.prod(shape))
    if kind in ("F16", "BF16", "F32"):
        numbers = (size * random.standard_normal(count)).astype("<f4")
        content = (numbers.astype("<f2") if kind == "F16" else
                   (numbers.view("<u4") >> 16).astype("<u2") if kind == "BF16" else numbers)
        return Stored(kind, shape, content.tobytes())
    numbers, bytes_, scale_at, minimum_at = BLOCKS[kind]
    assert shape[-1] % numbers == 0
    block = random.integers(0, 256, (count // numbers, bytes_), dtype=numpy.uint8)

    def place(at, largest):
        values = size * random.uniform(1, 3, (len(block), 1)) / largest
        values *= random.choice([-1, 1], values.shape)
        block[:, at:at + 2] = values.astype("<f2").view("u1")

    if kind == "NVFP4":
        block[:, :4] = random.integers(0x08, 0x10, (len(block), 4))
    elif scale_at is None:
        block[:, 0] = random.integers(121, 124, len(block))
    else:
        place(scale_at, LARGEST[kind])
    if minimum_at is not None:
        place(minimum_at, LARGEST_MINIMUM[kind])
    return Stored(kind, shape, block.tobytes())
