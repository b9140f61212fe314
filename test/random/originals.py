# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions of the language, in NumPy, for one floating-point type.

They follow docs/language.md and the papers, not the compiler. `names(T)` has the names that
generated Python code may use.
"""

import math

import numpy
from numpy import (
    abs,
    ceil,
    clip,
    cos,
    exp,
    floor,
    log,
    log1p,
    log2,
    logical_and,
    logical_not,
    logical_or,
    maximum,
    minimum,
    ogrid,
    sign,
    sin,
    sqrt,
    tanh,
    where,
)

ERF = numpy.vectorize(math.erf, otypes=[float])


class Remarks:
    """Observations in a run that make its result unsuitable as a reference."""

    def __init__(self, shaken=None):
        self.shaken = shaken  # random generator, if rounding is simulated
        self.hidden_rows = 0  # rows of a softmax that are hidden entirely by their mask
        self.constant_rows = False  # in standardize: the result then is only rounding error
        self.closest = math.inf  # the relative distance of a choice from another one
        self.ties = False  # whether a value is close to the middle of two rounding results


def number_to(x, type):
    """The nearest number of a type, ties to even; in double or better."""
    x = numpy.asarray(x)
    if x.dtype != numpy.longdouble:
        x = x.astype(float)
    if type == "bfloat16":  # 8 bits
        fraction, exponent = numpy.frexp(x)
        return numpy.ldexp(numpy.rint(fraction * 256) / 256, exponent)
    with numpy.errstate(over="ignore"):
        return x.astype(type).astype(x.dtype)


def names(T, remarks):
    def real(x):
        return numpy.asarray(x).astype(T)

    def nudged(x):
        """Perturbs x by an ulp of a double, the difference between math libraries."""
        if not remarks.shaken:
            return x
        return x * (1 + 2.0**-52 * remarks.shaken.uniform(-1, 1, numpy.shape(x)))

    def table(function, *sizes):
        """A definition by index over these ranges, computed in double as in programs."""
        with numpy.errstate(all="ignore"):  # both branches of a condition are evaluated
            numbers = function(*ogrid[tuple(map(slice, sizes))])
            return real(nudged(numpy.broadcast_to(numbers, sizes)))

    def mask(function, rows, columns):
        return numpy.broadcast_to(function(*ogrid[:rows, :columns]), (rows, columns))

    def read(array, *indices):
        return numpy.asarray(array, float)[tuple(numpy.asarray(i).astype(int) for i in indices)]

    def softmax(x, seen=True, sink=None):
        x = where(seen, x, -numpy.inf)
        largest = x.max(-1, keepdims=True)
        remarks.hidden_rows += int(numpy.isneginf(largest).sum())
        if sink is not None:
            largest = numpy.maximum(largest, sink)
        powers = exp(x - largest)
        total = powers.sum(-1, keepdims=True)
        return powers / (total if sink is None else total + exp(sink - largest))

    def top(x, k):
        order = numpy.argsort(-x, axis=-1, kind="stable")
        ranked = numpy.take_along_axis(x, order, -1)
        if k < x.shape[-1]:
            # Differences far below 1 may be rounding errors of 0.
            scale = maximum(abs(ranked).max(-1), 1e-6)
            gap = (ranked[..., k - 1] - ranked[..., k]) / scale
            remarks.closest = min(remarks.closest, float(gap.min()))
        chosen = numpy.zeros(x.shape, bool)
        numpy.put_along_axis(chosen, order[..., :k], True, -1)
        return chosen

    def standardize(x, epsilon):
        centred = x - x.mean(-1, keepdims=True)
        variance = (centred**2).mean(-1, keepdims=True)
        squares = (x**2).mean(-1, keepdims=True)
        remarks.constant_rows |= bool(((variance < 1e-20 * squares) & (squares > 0)).any())
        return centred / sqrt(variance + epsilon)

    def unit_rms(x, epsilon):
        return x / sqrt((x**2).mean(-1, keepdims=True) + epsilon)

    def unit(x):
        return x / sqrt((x**2).sum(-1, keepdims=True))

    def rotate(x, angles):
        half = x.shape[1] // 2
        angles = numpy.broadcast_to(angles(*ogrid[: x.shape[0], :half]), (x.shape[0], half))
        angles = nudged(angles)
        c, s = real(cos(angles)), real(sin(angles))
        first, second = x[:, :half], x[:, half:]
        return numpy.concatenate([first * c - second * s, second * c + first * s], 1)

    def conv(x, kernel, stride, pad, reflects=False):
        width = len(kernel)
        if x.ndim == 1:  # one channel
            x, kernel = x[:, None], kernel[:, None]
        x = numpy.pad(x, ((pad, pad), (0, 0)), mode="reflect" if reflects else "constant")
        count = (len(x) - width) // stride + 1
        if kernel.ndim == 2:  # each channel by itself
            return sum(x[k : k + stride * count : stride][:count] * kernel[k] for k in range(width))
        return sum(
            (x[k : k + stride * count : stride][:count] @ kernel[k] for k in range(width)),
            numpy.zeros((count, kernel.shape[2]), T),
        )

    def gelu(x):
        erf = real(ERF(x / math.sqrt(2)))
        if remarks.shaken:  # cancellation where 1 + erf is nearly 0
            erf = erf + T(numpy.finfo(T).eps) * remarks.shaken.uniform(-1, 1, x.shape).astype(T)
        return x * (1 + erf) / 2

    def each(members, rows, value):
        """A definition by position, and by family."""
        return numpy.array(
            [value(*place) for place in numpy.ndindex(*members, rows)]
        ).reshape(*members, rows, *numpy.shape(value(*(0 for _ in members), 0)))

    def states(members, rows, shape, initial, step):
        """The states after each position, one after the other."""
        result = numpy.zeros((*members, rows, *shape), T)
        for member in numpy.ndindex(*members):
            before = numpy.full(shape, initial, T)
            for t in range(rows):
                before = result[(*member, t)] = step(before, *member, t)
        return result

    def earlier(x, t):
        """Row t of x, which is zero before the first one."""
        return x[t] if t >= 0 else numpy.zeros_like(x[0])

    def patches(image, p):
        """The patches of an image from left to right, then downwards; in each patch its
        channels, and in these the rows."""
        channels, height, width = image.shape
        return numpy.stack(
            [
                image[:, y : y + p, x : x + p].reshape(-1)
                for y in range(0, height, p)
                for x in range(0, width, p)
            ]
        )

    def rounded(x, type):
        """Rounds to a type that is narrower than that of the computation."""
        near = 3e-6 * abs(x).max()
        low, high = number_to(x - near, type), number_to(x + near, type)
        remarks.ties |= bool((abs(high - low) > 3 * near).any())
        return number_to(x, type).astype(T)

    return {
        "real": real,
        "table": table,
        "mask": mask,
        "read": read,
        "softmax": softmax,
        "top": top,
        "standardize": standardize,
        "unit_rms": unit_rms,
        "unit": unit,
        "rotate": rotate,
        "conv": conv,
        "patches": patches,
        "each": each,
        "states": states,
        "earlier": earlier,
        "outer": numpy.multiply.outer,
        "number_to": number_to,
        "rounded": rounded,
        "to": lambda x, type: float(number_to(x, type)),
        "bf16": lambda x: number_to(x, "bfloat16"),
        "f16": lambda x: number_to(x, "float16"),
        "relu": lambda x: maximum(x, 0),
        "gelu": gelu,
        # Without an overflow for large negative numbers.
        "sigmoid": lambda x: 1 / (1 + exp(-x)),  # with tanh it would underflow too early
        "diag": lambda v: numpy.asarray(v)[:, None],
        "rows_sum": lambda x: x.sum(0),
        "rows_mean": lambda x: x.mean(0),
        "rows_max": lambda x: x.max(0),
        "f32": lambda x: (
            numpy.float64(numpy.float32(x))
            if numpy.ndim(x) == 0
            else numpy.asarray(x).astype("float32").astype(float)
        ),
        "concat": lambda members: numpy.concatenate(members, 1),
        "concat_all": lambda families: numpy.concatenate(sum(families, []), 1),
        "beside": lambda *parts: numpy.concatenate(parts, 1),
        "above": lambda *parts: numpy.concatenate([numpy.atleast_2d(p) for p in parts], 0),
        "members": lambda family: numpy.stack(family),
        "log": log,
        "log2": log2,
        "log1p": log1p,
        "exp": exp,
        "sin": sin,
        "cos": cos,
        "sqrt": sqrt,
        "tanh": tanh,
        "floor": floor,
        "ceil": ceil,
        "abs": abs,
        "sign": sign,
        "minimum": minimum,
        "maximum": maximum,
        "clip": clip,
        "where": where,
        "logical_and": logical_and,
        "logical_or": logical_or,
        "logical_not": logical_not,
        "pi": math.pi,
        "math": math,
        "numpy": numpy,
    }
