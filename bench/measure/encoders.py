# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A compiled encoder compared with its peers in one precision."""

import json

import numpy

import peers
from measure.goldens import embed, errors
from measure.kinds import by_kind
from measure.machine import PEAKS, Limits
from measure.problem import Problem, Unavailable
from measure.rounds import alternate, summary
from measure.worker import Worker

OURS = "transfold"


def start(model, precision, cpus, chosen, samples):
    """Workers by name, and the reasons why others are missing."""
    workers, without = {}, {}
    for name in chosen:
        if missing := peers.missing(peers.ENCODERS[name], precision):
            without[name] = ("not installed: python3 -m pip install "
                             + " ".join(peers.ENCODERS[name].needs))
            continue
        try:
            workers[name] = Worker(name, cpus, model=model, precision=precision, samples=samples)
        except (Unavailable, Problem) as reason:
            without[name] = str(reason)
    return workers, without


def time_shape(shape, sequences, program, workers, rounds, limits):
    """One row of the report: all programs on one shape."""
    told = {}

    def ours():
        told.update(program.bench(*shape.options()))
        return told["median_ms"]

    turns = {OURS: ours}
    for name, worker in workers.items():
        turns[name] = lambda worker=worker: worker.ask("time", sequences, shape.runs())
    turns["limits"] = limits.measure
    figures = alternate(turns, rounds)
    del figures["limits"]
    row = {"shape": shape.text, "tokens": shape.tokens(), "ms": {
        name: summary(values) for name, values in figures.items()}}
    own = row["ms"][OURS]["median"]
    others = [values["median"] for name, values in row["ms"].items() if name != OURS]
    row["ratio"] = min(others) / own if others else None
    row["operations"] = told.get("operations")
    return row


def add_shares(rows, precision, limits):
    """Adds the shares of the machine's multiply-adds in that precision; padding is not counted."""
    peak = limits.best.get(PEAKS[precision])
    for row in rows:
        if peak and row["operations"]:
            row["share"] = {name: row["operations"] / (values["median"] * 1e6 * peak)
                            for name, values in row["ms"].items()}


def far_from(goldens, program, workers, folder):
    """The error of each program: sentences one by one, and together in a batch."""
    found = {OURS: {"together": errors(program.embeddings(goldens.sequences, folder),
                                       goldens.expected)}}
    alone = [program.embeddings([each], folder)[0] for each in goldens.sequences]
    found[OURS]["alone"] = errors(numpy.stack(alone), goldens.expected)
    for name, worker in workers.items():
        alone = [worker.ask("hidden", [each])[0] for each in goldens.sequences]
        together = worker.ask("hidden", goldens.sequences)
        found[name] = {"alone": errors(embed(alone), goldens.expected),
                       "together": errors(embed(together), goldens.expected)}
    return found


def measure(model, precision, program, options, folder):
    """The report's data on a model in a precision on the program's processors."""
    config = json.loads((model / "config.json").read_text(encoding="utf-8"))
    limits, cpus = Limits(options.build, program.cpus), program.cpus
    sequences = {shape.text: shape.sequences(config["vocab_size"]) for shape in options.shapes}
    samples = options.goldens.sequences if options.goldens else [
        ids for shape in sequences.values() for ids in shape]
    workers, without = start(model, precision, cpus, options.peers, samples)
    try:
        rows = [time_shape(shape, sequences[shape.text], program, workers, options.rounds, limits)
                for shape in options.shapes]
        add_shares(rows, precision, limits)
        found = {"model": model.name, "precision": precision, "threads": len(cpus),
                 "how": {name: worker.how for name, worker in workers.items()},
                 "without": without, "limits": limits.best, "rows": rows}
        if options.goldens:
            found["errors"] = far_from(options.goldens, program, workers, folder)
        if options.kernels:
            found["kinds"] = {shape.text: by_kind(shape, sequences[shape.text], program, workers,
                                                  options.rounds) for shape in options.shapes}
        return found
    finally:
        for worker in workers.values():
            worker.close()
