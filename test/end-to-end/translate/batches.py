# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""batches.py PROGRAM: a sentence is translated the same alone and in a batch.

Translations of lines of all lengths keep their order, in batches of several sizes, greedily and
with beams; blank lines are kept.
"""

import random
import subprocess
import sys

program = sys.argv[1]
PAIRS = [("The cat", "Die Katze"), ("sees", "sieht"), ("a mouse", "eine Maus"), ("and", "und"),
         ("the child", "das Kind"), ("finds", "findet"), ("the house", "das Haus"), ("here", "hier"),
         ("likes", "mag"), ("a book", "ein Buch"), ("too", "auch")]
draw = random.Random(2)
lines, wanted = [], []
for _ in range(150):
    chosen = draw.choices(PAIRS, k=draw.choice([0, 1, 2, 3, 5, 8, 13, 30]))
    lines.append(" ".join(english for english, _ in chosen))
    wanted.append(" ".join(german for _, german in chosen))


def translate(*options):
    ran = subprocess.run([program, "translate", *options], input="\n".join(lines) + "\n",
                         capture_output=True, text=True, check=True)
    assert not ran.stderr, ran.stderr
    return ran.stdout.split("\n")[:-1]


for options in [], ["--batch", "1"], ["--batch", "7", "--threads", "1"], ["--beams", "3"]:
    found = translate(*options)
    assert found == wanted, next(each for each in zip(lines, found, wanted) if each[1] != each[2])
    print(f"{len(found)} lines, {sum(not line for line in found)} of them blank: {options}")
