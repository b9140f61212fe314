# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sentences with their embeddings in float64, and the errors of other embeddings.

The folder has golden.json, with "sentences": [{"input_ids": […]}, …], and
embeddings_f64.npy, one row for each.
"""

import json

import numpy

from measure.problem import Problem


class Goldens:
    def __init__(self, folder):
        try:
            text = (folder / "golden.json").read_text(encoding="utf-8")
            self.expected = numpy.load(folder / "embeddings_f64.npy")
        except OSError as error:
            raise Problem(f"--goldens {folder}: {error.strerror}: {error.filename}") from None
        self.sequences = [each["input_ids"] for each in json.loads(text)["sentences"]]


def embed(hidden):
    """As in sentence-transformers, in float64: the mean over tokens, normalized to length 1."""
    means = numpy.array([each.astype(float).mean(0) for each in hidden])
    return means / numpy.linalg.norm(means, axis=1, keepdims=True)


def errors(embeddings, expected):
    """The largest difference of an element, and the largest 1 − cosine of a sentence."""
    given = embeddings.astype(float)
    lengths = numpy.linalg.norm(given, axis=1) * numpy.linalg.norm(expected, axis=1)
    return {"largest": float(numpy.abs(given - expected).max()),
            "cosine": float((1 - (given * expected).sum(1) / lengths).max())}
