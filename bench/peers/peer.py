# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the measurements ask of a peer that runs encoders."""

import abc


class EncoderPeer(abc.ABC):
    name = ""
    needs = ()      # packages of Python, as they are imported and as PyPI has them
    needs_for = {}  # and those that one precision needs

    @abc.abstractmethod
    def __init__(self, model, precision, threads, folder, samples):
        """A model of a Hugging Face directory, ready to run. `folder` may be written to;
        `samples` are typical sequences, for those that choose scales of integers before.
        Throws Unavailable where there is no such precision."""

    @abc.abstractmethod
    def how(self):
        """The version, and what the precision means here: "1.32.0, weights and …"."""

    @abc.abstractmethod
    def prepare(self, sequences):
        """A function that computes the hidden states of these sequences, lists of ids.
        Bringing them into the form that the library wants is not timed."""

    @abc.abstractmethod
    def hidden(self, sequences):
        """The hidden states, [tokens, width] for each sequence, float32."""

    def nodes(self, sequences, runs):
        """Milliseconds of each operation as pairs (kind of node, milliseconds); none
        where the library does not tell."""
        return []
