# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""minilm.py PROGRAM GOLDEN THREADS: 20 sentences, their ids and embeddings.

GOLDEN holds golden.json with texts and ids, and embeddings_f64.npy, computed
elsewhere in float64.
"""

import json
import pathlib
import subprocess
import sys

import numpy

program, golden, threads = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
LIMIT = 6e-7
sentences = json.loads((golden / "golden.json").read_text(encoding="utf-8"))["sentences"]
# Passed as arguments, since some have more than one line.
ran = subprocess.run(
    [program, "embed", "--json", "--threads", threads,
     *[sentence["text"] for sentence in sentences]],
    check=True, stdout=subprocess.PIPE, text=True, encoding="utf-8")
found = [json.loads(line) for line in ran.stdout.split("\n") if line]
assert len(found) == len(sentences), f"{len(found)} lines for {len(sentences)} texts"
wrong = False
for one, sentence in zip(found, sentences):
    if one["ids"] != sentence["input_ids"]:
        print(f"{sentence['text']!r}: ids {one['ids']} instead of {sentence['input_ids']}")
        wrong = True
embeddings = numpy.array([one["embedding"] for one in found])
differences = numpy.abs(embeddings - numpy.load(golden / "embeddings_f64.npy")).max(axis=1)
worst = int(differences.argmax())
print(f"at most {differences[worst]:.3g} from float64 ({sentences[worst]['text'][:40]!r})")
# A NaN exceeds every limit.
sys.exit(wrong or not (differences <= LIMIT).all())
