# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""schedules.py KERNELS N OUT [KEY=JSON…]: writes a file of schedules, without measuring.

KERNELS is the output of `compile --trials --emit=kernels`. OUT has the N-th schedule of each
kernel, or the last one if it has fewer, with invented times. KEY=JSON changes a key of the first
entry; schedule.rows=4 a number of its schedule; file.KEY=JSON a key of the file.
"""

import json
import re
import sys

text, number, out = open(sys.argv[1], encoding="utf-8").read(), int(sys.argv[2]), sys.argv[3]


def attributes(line, name):
    """The entries of a dictionary attribute: strings, booleans and numbers."""
    found = re.search(name + r" = \{(.*?)\}", line)
    entries = re.findall(r'(\w+) = ("[^"]*"|true|false|-?\d+)', found.group(1)) if found else []
    return {key: json.loads(value) for key, value in entries}


rules, trials = {}, {}
for line in text.splitlines():
    kernel = re.match(r"\s*xf\.kernel @(\w+)\(", line)
    other = re.search(r'variant = "trial(\d+)", variant_of = @(\w+)', line)
    if kernel and other:
        trials.setdefault(other.group(2), {})[int(other.group(1))] = attributes(line, "schedule")
    elif kernel and "xf.tried" in line:
        rules[kernel.group(1)] = (attributes(line, "xf.tried"), attributes(line, "schedule"))

file = {"transfold_schedules": 2, "model": "tiny", "machine": "none", "measured": "nothing",
        "kernels": []}
for name, own in trials.items():
    tried, rule = rules[name]
    chosen = own[min(number, max(own))]
    numbers = {key: value for key, value in chosen.items() if rule[key] != value}
    entry = tried | {"schedule": numbers, "microseconds": 12.25, "by_rule": 14, "rounds": 11}
    # Kernels with the same computation have one schedule.
    same = [each for each in file["kernels"]
            if all(each[key] == entry[key] for key in ("signature", "processor", "few_rows"))]
    if not same:
        file["kernels"].append(entry)
for change in sys.argv[4:]:
    key, value = change.split("=", 1)
    place = file if key.startswith("file.") else file["kernels"][0]
    *path, last = key.removeprefix("file.").split(".")
    for step in path:
        place = place[int(step) if isinstance(place, list) else step]
    place[last] = json.loads(value)
with open(out, "w", encoding="utf-8") as written:
    json.dump(file, written)
