# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The speed of programs and their peers on a device. Each of them has a turn in each round
(rounds.py), which returns figures by the name of the measurement: milliseconds of encoders,
tokens per second of decoders."""

from measure.problem import Problem
from measure.rounds import alternate, summary

ENCODED, PROMPT, DECODE = "{}, ms", "prompt {}, tokens/s", "decode, tokens/s"


class Program:
    """A program of ours, with generated weights."""

    def __init__(self, entry, folder, device, options, limits):
        self.path, self.device, self.options = folder / entry["program"], device, options
        self.precision = entry["precision"]
        self.watched = ["--kernels", *(["--limits", limits] if limits else [])]
        entries = device.answer(self.path, "info")["entries"]
        self.generates = any(".step(" in each for each in entries)
        self.encodes = entry["config"].get("model_type") == "bert"

    def bench(self, *options):
        return self.device.answer(self.path, "bench", "--made-up-weights", *options)

    def encode(self, batch, length, *options):
        return self.bench("--batch", batch, "--seq", length, "--runs", 5, *options)

    def go_on(self, prompt, tokens, *options):
        return self.bench("--prompt", prompt, "--generate", tokens, "--runs", 3, *options)

    def turn(self):
        figures = {}
        if self.encodes:
            for shape in self.options.shapes:
                figures[ENCODED.format(shape.text)] = \
                    self.encode(shape.batch, shape.longest)["median_ms"]
            return figures
        for prompt in self.options.prompts:
            figures[PROMPT.format(prompt)] = (
                self.go_on(prompt, 1)["prompt_per_s"] if self.generates else
                prompt / self.encode(1, prompt)["median_ms"] * 1e3)
        if self.generates:
            figures[DECODE] = self.go_on(*self.options.decode)["generate_per_s"]
        return figures

    def look(self):
        """The time by kernel, for each measurement. This is also the first run, in which
        drivers compile kernels."""
        told = {}
        for shape in self.options.shapes if self.encodes else ():
            told[ENCODED.format(shape.text)] = self.kernels_of(
                self.encode(shape.batch, shape.longest, *self.watched))
        for prompt in () if self.encodes else self.options.prompts:
            told[PROMPT.format(prompt)] = (
                self.kernels_of(self.go_on(prompt, 1, *self.watched), "prompt_")
                if self.generates else self.kernels_of(self.encode(1, prompt, *self.watched)))
        if self.generates:
            told[DECODE] = self.kernels_of(self.go_on(*self.options.decode, *self.watched),
                                           "token_")
        return told

    @staticmethod
    def kernels_of(found, of=""):
        """Kernels with their shares, and the totals of all: operations and bytes of weights
        per second."""
        seconds = {"": lambda: found["median_ms"] / 1e3,
                   "prompt_": lambda: found["prompt"] / found["prompt_per_s"],
                   "token_": lambda: 1 / found["generate_per_s"]}[of]()
        return {"kernels": found[f"{of}kernels"],
                "operations_per_s": found.get(f"{of}operations", 0) / seconds,
                "weights_per_s": found["weight_bytes"] / seconds if of == "token_" else None,
                "share_of_memory": found["bandwidth_share"] if of == "token_" else None}


def measure(name, programs, peers, options, clock):
    """Measures one model: our programs by precision, peers by name, each with a turn()."""
    turns, kernels, failed = {}, {}, {}
    for precision, program in programs.items():
        clock.say(f"{name} in {precision}: kernels")
        try:
            kernels[precision] = program.look()
            turns[f"transfold {precision}"] = program.turn
        except Problem as problem:
            failed[f"transfold {precision}"] = str(problem)
            clock.say(f"FAILED: {problem}")
    for peer, other in peers.items():
        clock.say(f"{name}: {peer}, first turn")
        try:
            other.turn()
            turns[peer] = other.turn
        except Problem as problem:
            failed[peer] = str(problem)
            clock.say(f"FAILED: {problem}")
    clock.say(f"{name}: rounds of {', '.join(turns)}")
    try:
        figures = alternate(turns, options.rounds, clock.is_late)
    except Problem as problem:
        figures, failed[name] = {}, str(problem)
    rows = {}
    for who, rounds in figures.items():
        for what in rounds[0]:
            rows.setdefault(what, {})[who] = summary([each[what] for each in rounds])
    return {"name": name, "rows": rows, "kernels": kernels, "failed": failed,
            "rounds": max(map(len, figures.values()), default=0),
            "how": {peer: other.how for peer, other in peers.items()},
            "no_steps": not any(program.generates or program.encodes
                                for program in programs.values())}
