# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The interface of a peer that runs encoders."""

import abc


class EncoderPeer(abc.ABC):
    name = ""
    needs = ()      # Python packages, whose module has the same name as on PyPI
    needs_for = {}  # further packages by precision

    @abc.abstractmethod
    def __init__(self, model, precision, threads, folder, samples):
        """Loads the model of a Hugging Face directory. `folder` may be written to; `samples`
        are typical sequences, for peers that calibrate static scales of integers. Raises
        Unavailable if the precision is not supported."""

    @abc.abstractmethod
    def how(self):
        """The version, and what the precision means here: "1.32.0, weights and …"."""

    @abc.abstractmethod
    def prepare(self, sequences):
        """A function that computes the hidden states of these sequences, lists of ids.
        Converting them to the library's format is not timed."""

    @abc.abstractmethod
    def hidden(self, sequences):
        """The hidden states, [tokens, width] for each sequence, float32."""

    def nodes(self, sequences, runs):
        """The time of each operation as pairs (kind of node, milliseconds); empty if the
        library does not report it."""
        return []
