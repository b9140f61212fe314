# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sequences as one padded array, for libraries that batch by padding."""


def padded(sequences):
    """ids and mask, of the shape [sequences, length of the longest]."""
    import numpy
    shape = len(sequences), max(map(len, sequences))
    ids, mask = numpy.zeros(shape, numpy.int64), numpy.zeros(shape, numpy.int64)
    for row, sequence in enumerate(sequences):
        ids[row, :len(sequence)] = sequence
        mask[row, :len(sequence)] = 1
    return ids, mask


def is_even(sequences):
    """Whether all lengths are equal: then no mask is needed, which is faster."""
    return len(set(map(len, sequences))) == 1


def cut(hidden, sequences):
    """The rows of tokens, without those of padding."""
    import numpy
    return [numpy.asarray(rows[:len(sequence)], numpy.float32)
            for rows, sequence in zip(hidden, sequences)]
