# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decoders compared with llama.cpp on the same weights: tokens per second of prefill, and of
the decode steps after the first prompt."""

from measure.machine import PEAKS, Limits
from measure.rounds import alternate, summary
from peers import llamacpp

PROMPTS, TOKENS = (128, 512), 64


def turn_of(program, told):
    """One turn of ours: all prompts, the shortest followed by all decode steps."""
    def turn():
        rates = {}
        for prompt in PROMPTS:
            tokens = TOKENS if prompt == PROMPTS[0] else 1
            told[prompt] = found = program.bench("--prompt", prompt, "--generate", tokens,
                                                 "--runs", 1)
            rates[f"prompt {prompt}"] = found["prompt_per_s"]
            if tokens == TOKENS:
                rates["decode"] = found["generate_per_s"]
        return rates
    return turn


def turn_of_llamacpp(peer):
    def turn():
        rates = {f"prompt {length}": rate for length, rate in peer.prompts(PROMPTS).items()}
        rates["decode"] = peer.decode(PROMPTS[0], TOKENS)
        return rates
    return turn


def share(what, rate, told, precision, limits):
    """The share of the machine's limit: of reading for decode, which reads all weights for
    each token; of multiplying for prefill."""
    first = told[PROMPTS[0]]
    if what == "decode":
        limit, needs = limits.best.get("gigabytes_per_second"), first["weight_bytes"]
    else:
        prompt = int(what.split()[1])
        limit = limits.best.get(PEAKS[precision])
        needs = told[prompt].get("prompt_operations", 0) / prompt
    return rate * needs / (limit * 1e9) if limit and needs else None


def measure(model, programs, file, options):
    """programs: ours by precision, all on the same processors; file: the GGUF file for
    llama.cpp, or None."""
    cpus = next(iter(programs.values())).cpus
    limits, told, turns, precisions = Limits(options.build, cpus), {}, {}, {}
    for precision, program in programs.items():
        name = f"transfold {precision}"
        told[name], precisions[name] = {}, precision
        turns[name] = turn_of(program, told[name])
    peer = llamacpp.LlamaCpp(file, cpus) if file else None
    if peer:
        turns[llamacpp.NAME] = turn_of_llamacpp(peer)
        # llama.cpp multiplies blocks of integers by integers.
        precisions[llamacpp.NAME] = "int8" if model.suffix == ".gguf" else "f32"
        told[llamacpp.NAME] = next(iter(told.values()))
    turns["limits"] = limits.measure
    figures = alternate(turns, options.rounds)
    del figures["limits"]
    rows = []
    for what in (*(f"prompt {length}" for length in PROMPTS), "decode"):
        rates = {name: summary([turn[what] for turn in turns_of]) for name, turns_of
                 in figures.items()}
        other = rates.get(llamacpp.NAME)
        rows.append({
            "what": what, "per_s": rates,
            "ratio": {name: rate["median"] / other["median"] for name, rate in rates.items()
                      if other and name != llamacpp.NAME},
            "share": {name: share(what, rate["median"], told[name], precisions[name], limits)
                      for name, rate in rates.items()}})
    return {"model": model.name, "threads": len(cpus), "limits": limits.best,
            "how": {llamacpp.NAME: peer.how} if peer else {},
            "without": {} if peer else {llamacpp.NAME: llamacpp.MISSING},
            "prompts": PROMPTS, "tokens": TOKENS, "rows": rows}
