# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sequences as one array, as programs want them that batch by padding."""


def padded(sequences):
    """ids and mask, [sequences, the longest]."""
    import numpy
    shape = len(sequences), max(map(len, sequences))
    ids, mask = numpy.zeros(shape, numpy.int64), numpy.zeros(shape, numpy.int64)
    for row, sequence in enumerate(sequences):
        ids[row, :len(sequence)] = sequence
        mask[row, :len(sequence)] = 1
    return ids, mask


def is_even(sequences):
    """Whether nothing is padded: then no mask is needed, which is faster."""
    return len(set(map(len, sequences))) == 1


def cut(hidden, sequences):
    """The rows of tokens, without those of padding."""
    import numpy
    return [numpy.asarray(rows[:len(sequence)], numpy.float32)
            for rows, sequence in zip(hidden, sequences)]
