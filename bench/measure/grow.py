# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program's time over length and over batch."""

import json
import re
import statistics

from measure.machine import pinned, processors
from measure.ours import Program
from measure.rounds import alternate


def info(path):
    """Whether a program generates, and its maximal number of tokens (None: no limit)."""
    path = path.resolve()
    told = json.loads(pinned([path, "info", "--json"], processors(1)))
    limit = re.search(r" <= (\d+)", told["entries"][0])
    return "generate" in told["tasks"], int(limit[1]) if limit else None


def point(size, tokens, milliseconds, operations):
    return {"size": size, "tokens": tokens, "milliseconds": milliseconds,
            "operations": operations}


def runs_for(tokens):
    return max(3, 2048 // tokens)


def encoder_series(program, length, batch):
    """The point of one run of a batch."""
    found = program.bench("--seq", length, "--batch", batch, "--runs", runs_for(length * batch))
    return point(length, length * batch, found["median_ms"], found.get("operations"))


def decoder_points(program, length, generate=8):
    """The points of a prompt, and of one decode step after it."""
    found = program.bench("--prompt", length, "--generate", generate, "--runs", 1)
    return (point(length, length, 1e3 * length / found["prompt_per_s"],
                  found.get("prompt_operations")),
            point(length, 1, 1e3 / found["generate_per_s"], found.get("token_operations")))


def typical(points):
    """The point with the median time."""
    middle = statistics.median_low(each["milliseconds"] for each in points)
    return next(each for each in points if each["milliseconds"] == middle)


def over(sizes, measure, rounds):
    """Points of all sizes, `rounds` for each; neighboring sizes are measured one after the
    other, so that other load on the machine affects them alike."""
    turns = {size: (lambda size=size: measure(size)) for size in sizes}
    return list(alternate(turns, rounds).values())


def grow_encoder(program, lengths, batches, length_of_batches, rounds):
    """Yields (what is measured, over what, points) for each series."""
    by_length = over(lengths, lambda length: encoder_series(program, length, 1), rounds)
    yield "one sequence", "length", [typical(turns) for turns in by_length]
    by_batch = over(batches, lambda batch: encoder_series(program, length_of_batches, batch)
                    | {"size": batch}, rounds)
    yield f"sequences of {length_of_batches}", "batch", [typical(turns) for turns in by_batch]


def grow_decoder(program, lengths, rounds):
    turns = over(lengths, lambda length: decoder_points(program, length), rounds)
    for k, what in enumerate(("prompt", "a token after it")):
        yield what, "length", [typical([each[k] for each in rounds_of]) for rounds_of in turns]


def measure(path, threads, generates, options):
    program = Program(path, None, processors(threads))
    series = (grow_decoder(program, options.lengths, options.rounds) if generates else
              grow_encoder(program, options.lengths, options.batches, options.length_of_batches,
                           options.rounds))
    return [{"what": what, "over": over_what, "threads": threads, "points": points}
            for what, over_what, points in series]
