# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A peer in a separate process: its thread pools and OpenMP are not shared with others, it
is pinned before it starts them, and if it crashes the others continue."""

import contextlib
import multiprocessing
import os
import pathlib
import statistics
import tempfile
import time

import peers
from measure.problem import Problem, Unavailable


def _milliseconds(peer, sequences, runs):
    """The median of some runs; the first ones warm up."""
    run, times = peer.prepare(sequences), []
    for _ in range(runs + 2):
        start = time.perf_counter()
        run()
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times[2:])


def _serve(connection, name, settings, cpus):
    os.sched_setaffinity(0, cpus)
    # Peers report their progress on standard output and error.
    quiet = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(quiet, stream)
    with tempfile.TemporaryDirectory() as folder, contextlib.suppress(EOFError):
        try:
            peer = peers.ENCODERS[name](folder=pathlib.Path(folder), threads=len(cpus), **settings)
            connection.send(("ok", peer.how()))
            asked = {"time": _milliseconds, "hidden": lambda own, *given: own.hidden(*given),
                     "nodes": lambda own, *given: own.nodes(*given)}
            while True:
                what, *given = connection.recv()
                connection.send(("ok", asked[what](peer, *given)))
        except Unavailable as reason:
            connection.send(("unavailable", str(reason)))
        except Exception as error:  # reports any exception of a library, without a stack trace
            connection.send(("failed", f"{type(error).__name__}: {error}".splitlines()[0]))


class Worker:
    """Raises Unavailable if the peer does not support the precision."""

    def __init__(self, name, cpus, **settings):
        context = multiprocessing.get_context("spawn")
        self.name, (self.connection, other) = name, context.Pipe()
        self.process = context.Process(target=_serve, args=(other, name, settings, cpus))
        self.process.start()
        other.close()
        self.how = self._answer()

    def _answer(self):
        try:
            kind, value = self.connection.recv()
        except EOFError:
            raise Problem(f"{self.name} crashed; leave it out with --peers") from None
        if kind == "ok":
            return value
        self.close()
        if kind == "unavailable":
            raise Unavailable(value)
        raise Problem(f"{self.name} failed: {value}; leave it out with --peers")

    def ask(self, *question):
        self.connection.send(question)
        return self._answer()

    def close(self):
        self.connection.close()
        self.process.join()
