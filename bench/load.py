#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A server under load: many concurrent clients, compared with one request after the other.

Starts `PROGRAM serve` on this machine, requests embeddings or chats of mixed lengths, and
prints throughput, latency and memory; it counts answers that differ from an earlier answer
to the same request. Needs only Python.
"""

import argparse
import dataclasses
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from measure import machine, servers
from measure.load import Load, Tally
from measure.problem import Problem, run
from measure.requests import Requests
from measure.rounds import alternate
from report import files, load_table

EXAMPLES = """examples:
  python3 bench/load.py build/minilm --seconds 60
  python3 bench/load.py build/smollm2 --seconds 60 --peer llama.cpp=SmolLM2-135M-Instruct.Q4_1.gguf
  build/peers/bin/python bench/load.py build/minilm --peer onnxruntime=all-MiniLM-L6-v2
  python3 bench/load.py build/minilm --requests 10000 --leaving 0.05      does memory grow?
"""


def span(text, option):
    low, _, high = text.partition("-")
    try:
        found = int(low), int(high or low)
    except ValueError:
        found = (0, 0)
    if not 1 <= found[0] <= found[1]:
        raise Problem(f"{option} {text}: expected a number from 1, or a range: {option} 5-200")
    return found


def parse():
    parser = argparse.ArgumentParser(description=__doc__, epilog=EXAMPLES,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("program", type=pathlib.Path, help="program that transfold compiled")
    add("--clients", type=int, default=64, help="clients that send requests at the same time (64)")
    add("--seconds", type=float, default=60, help="time of each measurement, the sum over all rounds (60)")
    add("--rounds", type=int, default=3, help="rounds; each server is measured once per round (3)")
    add("--threads", type=int, default=2, help="threads of the server that compute (2)")
    add("--words", default="5-200", metavar="5-200", help="words of a text or a question (%(default)s)")
    add("--tokens", default="8-64", metavar="8-64", help="tokens of an answer (%(default)s)")
    add("--different", type=int, default=256, metavar="N", help="number of different requests (256)")
    add("--requests", type=int, metavar="N", help="instead of rates: memory after each tenth of N requests; "
                                                  "growth from the first to the last is a failure")
    add("--growth", type=float, default=16, metavar="MIB", help="largest growth that is not a failure (16)")
    add("--leaving", type=float, default=0, metavar="SHARE", help="share of clients that do not wait for answers (0)")
    add("--peer", action="append", default=[], metavar="NAME=MODEL",
        help="also measure onnxruntime=DIRECTORY, or llama.cpp=FILE.gguf; may be repeated")
    add("--serve", default="", metavar="WORDS", help="more options for `serve`, such as '--parallel 8'; "
                                                          "llama.cpp gets the same parallelism")
    add("--out", metavar="DIR", help="folder for load.json and load.txt")
    return parser.parse_args()


def check(options):
    if not options.program.is_file():
        raise Problem(f"there is no {options.program}; 'transfold compile MODEL -o "
                      f"{options.program}' creates it")
    for name, least in (("clients", 1), ("rounds", 1), ("threads", 1), ("different", 1)):
        if getattr(options, name) < least:
            raise Problem(f"--{name}: expected {least} or more")
    if options.requests is not None and options.requests < 10:
        raise Problem("--requests: expected 10 or more")
    if options.seconds <= 0 or not 0 <= options.leaving < 1:
        raise Problem("--seconds must be more than 0, and --leaving from 0 to below 1")
    tasks = json.loads(machine.pinned([options.program.resolve(), "info", "--json"],
                                      machine.processors(1)))["tasks"]
    kinds = [kind for task, kind in (("embed", "embeddings"), ("chat", "chats")) if task in tasks]
    if not kinds:
        raise Problem(f"{options.program} neither embeds texts nor chats")
    options.peer = [each.partition("=")[::2] for each in options.peer]
    for name, model in options.peer:
        if servers.PEERS.get(name, [None])[0] != kinds[0]:
            raise Problem(f"--peer {name}: not available for {kinds[0]}; choose from "
                          + ", ".join(each for each, (kind, _) in servers.PEERS.items() if kind == kinds[0]))
        if not pathlib.Path(model).exists():
            raise Problem(f"--peer {name}={model}: {model} does not exist")
    return Requests(kinds[0], options.different, span(options.words, "--words"), span(options.tokens, "--tokens"))


class Own:
    """The speed of the program without a server: ragged batches one after the other, or one answer. It
    has its turns among the others, so that a machine that slows down slows it, too."""

    def __init__(self, options, requests):
        self.program, self.options, self.requests = options.program.resolve(), options, requests
        self.rates = []
        if requests.kind == "chats":
            self.words, self.tokens = map(round, requests.means())
            self.what = f"PROGRAM bench, {self.words} tokens and {self.tokens} after them, one sequence"
            return
        self.what = "PROGRAM embed, ragged batches"
        told = subprocess.run([self.program, "tokenize", "--json"], input="\n".join(requests.texts), text=True,
                              capture_output=True, check=True).stdout
        self.tokens = sum(len(json.loads(line)["ids"]) for line in told.splitlines())
        self.start = min(self._seconds(requests.texts[:1]) for _ in range(3))
        # Repeats all texts so often that a turn is as long as a turn of the clients.
        turn = max(options.seconds / options.rounds, 8 * self.start)
        once = max(self._seconds(requests.texts) - self.start, 1e-3)
        self.times = min(512, max(1, round(turn / once)))

    def _seconds(self, texts):
        begin = time.perf_counter()
        subprocess.run([self.program, "embed", "--threads", str(self.options.threads)], input="\n".join(texts),
                       text=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        return time.perf_counter() - begin

    def turn(self):
        if self.requests.kind == "chats":
            told = json.loads(subprocess.run(
                [self.program, "bench", "--prompt", str(self.words), "--generate", str(self.tokens), "--runs", "1",
                 "--json", "--threads", str(self.options.threads)], check=True, capture_output=True).stdout)
            rate = self.tokens / (self.words / told["prompt_per_s"] + self.tokens / told["generate_per_s"])
        else:
            taken = self._seconds(self.requests.texts * self.times) - self.start
            if taken <= 0:
                return  # a tiny model: its start-up time varies by more than the work takes
            rate = self.times * self.tokens / taken
        self.rates.append(rate)

    def results(self):
        return {"what": self.what, "tokens_per_s": statistics.median(self.rates) if self.rates else None}


def clients_alone(options, requests, sample, folder):
    """Requests per second of the clients with a server that does no work."""
    (folder / "answer").write_bytes(sample)
    server = servers.Server("null server", [sys.executable, machine.ROOT / "bench/measure/null_server.py",
                                            folder / "answer"], folder / "null_server.log")
    try:
        tally = Load(requests).run(server.port, options.clients, seconds=min(2, options.seconds))
        return len(tally.latencies) / tally.seconds
    finally:
        server.close()


def told(tally):
    return dataclasses.asdict(tally) | {"statuses": dict(tally.statuses), "errors": tally.errors()}


class Measured:
    """A server and its measurements."""

    def __init__(self, server, options, requests):
        server.wait_until_healthy()
        self.server, self.options, self.load = server, options, Load(requests, options.leaving)
        self.alone, self.together, self.on_the_way = Tally(), Tally(), []
        self.load.run(server.port, 1, count=3)  # the first ones read the weights
        self.before = server.memory()

    def one_by_one(self):
        self.alone.add(self.load.run(self.server.port, 1, self.options.seconds / self.options.rounds))

    def all_at_once(self):
        self.together.add(self.load.run(self.server.port, self.options.clients,
                                        self.options.seconds / self.options.rounds))

    def count(self):
        """Makes a fixed number of requests, and records the memory after each tenth of them."""
        steps = {self.options.requests * tenth // 10 for tenth in range(1, 11)}

        def tell(done):
            if done in steps:
                self.on_the_way.append((done, self.server.memory()))

        self.together.add(self.load.run(self.server.port, self.options.clients,
                                        count=self.options.requests, tell=tell))

    def results(self):
        found = {"name": self.server.name, "together": told(self.together),
                 "memory": {"before": self.before, "after": self.server.memory(), "on the way": self.on_the_way}}
        return found | ({"alone": told(self.alone)} if self.alone.latencies else {})


def measure(options, requests, folder):
    started = []
    try:
        for name, model in [("transfold", None), *options.peer]:
            words = options.serve.split()
            started.append(servers.PEERS[name][1](pathlib.Path(model), options.threads, words, folder) if model
                           else servers.ours(options.program, options.threads, options.clients, words, folder))
        measured = [Measured(server, options, requests) for server in started]
        own = None if options.requests else Own(options, requests)
        turns = {"own": own.turn} if own else {}
        for each in measured:
            if options.requests:
                turns[each.server.name] = each.count
            else:
                turns |= {each.server.name: each.all_at_once, each.server.name + " alone": each.one_by_one}
        alternate(turns, 1 if options.requests else options.rounds)
        results = [each.results() for each in measured]
        sample = measured[0].load
    finally:
        codes = [server.close() for server in started]
    if codes[0]:
        raise Problem(f"'serve' ended with {codes[0]}: {started[0].log.read_text(errors='replace')[-500:]}")
    return results, sample, own and own.results()


def verdict(options, results):
    """Yields the reasons for which the run fails."""
    ours = results["servers"][0]
    for what in ("errors", "differing"):
        if ours["together"][what]:
            yield f"{ours['together'][what]} {what}: {ours['together']['statuses']}"
    if options.requests:
        then, *_, end = ours["memory"]["on the way"]
        growth = (end[1]["own"] - then[1]["own"]) / (1 << 20)
        if growth > options.growth:
            yield f"memory grew by {growth:.1f} MiB between a tenth of the requests and all"


def main():
    options = parse()
    requests = check(options)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        found, load, own = measure(options, requests, folder)
        results = {"program": options.program.name, "processor": machine.description(), "kind": requests.kind,
                   "what": f"{options.words} words" + (f", {options.tokens} tokens of an answer"
                                                       if requests.kind == "chats" else ""),
                   "clients": options.clients, "threads": options.threads, "servers": found,
                   "own": own,
                   "clients_alone": clients_alone(options, requests, load.sample, folder)}
    words = load_table.text(results)
    print(words, end="")
    if options.out:
        files.write(options.out, "load.json", files.as_json(results))
        files.write(options.out, "load.txt", words)
    problems = list(verdict(options, results))
    if problems:
        raise Problem("; ".join(problems))


if __name__ == "__main__":
    run(main)
