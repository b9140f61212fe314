# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The time of an encoder by kind of work, with that of the peers that report it."""

import statistics

# The kind of a kernel of ours, by words in its name, and of a peer's (OpenVINO's) node, by
# its type. OpenVINO's Subgraph is fused attention; its products include gelu but not the
# residual. The first match applies.
KINDS = {
    "attention": (("softmax",), ("ScaledDotProduct", "MHA", "Subgraph", "Transpose")),
    "products": (("contract",), ("FullyConnected",)),
    "norms": (("standardize",), ("MVN", "MulAdd")),
    "other": (("",), ("",)),
}


def add_up(nodes, side):
    """Milliseconds for each kind from (name, milliseconds)."""
    sums = dict.fromkeys(KINDS, 0.0)
    for name, milliseconds in nodes:
        sums[next(kind for kind, words in KINDS.items()
                  if any(word in name for word in words[side]))] += milliseconds
    return sums


def by_kind(shape, sequences, program, workers, rounds):
    """kind -> name -> milliseconds, medians over rounds."""
    found = {}
    for _ in range(rounds):
        own = program.bench(*shape.options(), "--kernels")["kernels"]
        turn = {"transfold": add_up([(each["kernel"], each["ms"]) for each in own], 0)}
        for name, worker in workers.items():
            if nodes := worker.ask("nodes", sequences, shape.runs()):
                turn[name] = add_up(nodes, 1)
        for name, sums in turn.items():
            found.setdefault(name, []).append(sums)
    return {kind: {name: statistics.median(sums[kind] for sums in turns)
                   for name, turns in found.items()} for kind in KINDS}
