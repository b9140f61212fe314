# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# eval.py write|check DIR: inputs of eval.test, and what must come out.

import os
import sys

import numpy as np

command, folder = sys.argv[1:]
ids = np.array([[5, 6, 7], [8, 9, 99]])  # 99 is padding: not even a valid id
mask = np.array([[1, 1, 1], [1, 1, 0]])
types = np.array([[0, 1, 0], [1, 0, 0]])
words = np.array([[1, 2], [3, 0]], dtype=np.int32)
words_mask = np.array([[1, 1], [1, 0]])
features = np.arange(30).reshape(2, 3, 5) / 8
unmasked = np.where(ids < 20, ids, 0)


def load(name):
    array = np.load(os.path.join(folder, "out", name))
    assert array.dtype == np.float32, array.dtype
    return array


if command == "write":
    arrays = {
        "ids": ids,
        "mask": mask.astype(bool),
        "types": types,
        "words": words,
        "words-mask": words_mask.astype(np.float32),
        "features": features,
        "left-mask": np.array([[1, 1, 1], [0, 1, 1]]),
        "empty-mask": np.array([[1, 1, 1], [0, 0, 0]]),
        "large": np.array([[1, 2, 3], [4, 5, 20]]),
        "reals": features[0],
        "long": np.ones([1, 9], dtype=int),
        "thirteen": np.array([[1, 13, 2]]),
        "fourteen": np.array([[1, 14, 2]]),
    }
    for name, array in arrays.items():
        np.save(os.path.join(folder, name + ".npy"), array)
else:
    hidden = (unmasked + 100 * types)[:, :, None] + np.arange(4) / 10
    hidden = hidden * mask[:, :, None]
    np.testing.assert_allclose(load("deep/last_hidden_state.npy"), hidden, rtol=1e-6)

    counts = np.zeros([2, 4])
    for sequence in range(2):
        for token in ids[sequence][mask[sequence] == 1]:
            counts[sequence, token % 4] += 1
    embedding = counts / np.linalg.norm(counts, axis=1, keepdims=True)
    np.testing.assert_allclose(load("deep/embedding.npy"), embedding, rtol=1e-6)

    # The hidden states of `encode` are an argument of `decode`.
    logits = np.stack([words, np.broadcast_to(hidden.sum((1, 2))[:, None], words.shape)], 2)
    logits = logits * words_mask[:, :, None]
    np.testing.assert_allclose(load("deep/logits.npy"), logits, rtol=1e-6)

    np.testing.assert_array_equal(load("seen.npy"), features.transpose(0, 2, 1))
