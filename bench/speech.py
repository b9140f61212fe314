#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares compiled programs that transcribe with faster-whisper on the same directory, in
alternation.

A turn of ours is a whole process, from its start to the text; a turn of faster-whisper is a
call in a process that has loaded the model. Both read the same WAV file and decode greedily.
Memory is the peak of the process, for faster-whisper after its first call.
"""

import argparse
import importlib.util
import multiprocessing
import os
import pathlib
import re
import resource
import subprocess
import tempfile
import time

from measure import machine
from measure.problem import Problem, numbers, run
from measure.rounds import alternate, summary
from peers.faster_whisper import NEEDS, TYPES, FasterWhisper

EXAMPLES = """examples:
  python3 bench/speech.py whisper-tiny-en-ct2 speech.wav --threads 1,2
  python3 bench/speech.py whisper-tiny-en-ct2 speech.wav --precision f32,int8 --timestamps
"""
OPTIONS = {"f32": [], "bf16": ["--quantize=bf16"], "int8": ["--quantize=int8"]}


def parse():
    parser = argparse.ArgumentParser(description=__doc__, epilog=EXAMPLES,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("model", type=pathlib.Path, help="a CTranslate2 directory of a Whisper model")
    add("recording", type=pathlib.Path, help="a WAV file")
    add("--precision", default="f32,int8", metavar="f32,bf16,int8", help="precisions to compile for (%(default)s)")
    add("--threads", default="1", metavar="1,2", help="numbers of threads (1)")
    add("--rounds", type=int, default=7, help="rounds; each program runs once per round (7)")
    add("--timestamps", action="store_true", help="decode with timestamp tokens")
    add("--build", metavar="DIR", default=machine.ROOT / "build", type=pathlib.Path,
        help="build folder with the compiler (build)")
    return parser.parse_args()


def serve(connection, model, precision, cpus):
    """faster-whisper in a separate process."""
    os.sched_setaffinity(0, cpus)
    peer = FasterWhisper(model, precision, len(cpus))
    connection.send(peer.how)
    while question := connection.recv():
        start = time.perf_counter()
        text = peer.transcribe(*question)
        seconds = time.perf_counter() - start
        connection.send((seconds, text,
                         resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024))


class Peer:
    def __init__(self, model, precision, cpus):
        context = multiprocessing.get_context("spawn")
        self.connection, other = context.Pipe()
        self.process = context.Process(target=serve, args=(other, model, precision, cpus))
        self.process.start()
        other.close()
        self.how = self.connection.recv()

    def ask(self, *question):
        self.connection.send(question)
        return self.connection.recv()

    def close(self):
        self.connection.send(None)
        self.process.join()


def transcribe(program, recording, timestamps, cpus):
    """Seconds, the text and the peak memory in megabytes of a whole process."""
    command = [program, "transcribe", recording, "--threads", len(cpus),
               *(["--timestamps"] if timestamps else [])]
    with tempfile.TemporaryFile("w+") as output:
        start = time.perf_counter()
        process = subprocess.Popen([str(part) for part in command], stdout=output,
                                   stderr=subprocess.DEVNULL,
                                   preexec_fn=lambda: os.sched_setaffinity(0, cpus))
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise Problem(f"'{' '.join(map(str, command))}' failed; run it for its messages")
        output.seek(0)
        return seconds, output.read(), usage.ru_maxrss / 1024


def measure(options, programs, threads):
    cpus = machine.processors(threads)
    turns, memory, workers, compared = {}, {}, {}, {}
    given = (options.recording, options.timestamps)

    def turn(name, call):
        def once():
            seconds, text, megabytes = call()
            memory[name] = max(memory.get(name, 0), megabytes)
            compared[name] = " ".join(re.sub(r"\[[\d:.]+ --> [\d:.]+\]", "", text).split())
            return seconds
        turns[name] = once

    for precision, program in programs.items():
        turn(f"transfold {precision}", lambda program=program: transcribe(program, *given, cpus))
        if precision in TYPES:
            name = f"faster-whisper {precision}"
            workers[name] = Peer(options.model, precision, cpus)
            turn(name, lambda name=name: workers[name].ask(*given))
            turns[name]()  # warms up
    figures = {name: summary(seconds) for name, seconds in
               alternate(turns, options.rounds).items()}
    for worker in workers.values():
        worker.close()
    print(f"{threads} thread{'s' if threads > 1 else ''}")
    for name, found in figures.items():
        other = figures.get(name.replace("transfold", "faster-whisper"))
        ratio = f"  {other['median'] / found['median']:.2f} times as fast" \
            if other and name.startswith("transfold") else ""
        how = f"  ({workers[name].how})" if name in workers else ""
        print(f"  {name:20} {found['median'] * 1e3:7.1f} ms ({found['low'] * 1e3:.1f} to "
              f"{found['high'] * 1e3:.1f})  {memory[name]:5.0f} MB{ratio}{how}")
    if len(set(compared.values())) > 1:
        print("  the transcriptions differ:")
        for name, text in compared.items():
            print(f"  {name:20} {text}")


def main():
    options = parse()
    for package in NEEDS:
        if not importlib.util.find_spec(package):
            raise Problem(f"{package} is not installed: pip install faster-whisper")
    chosen = options.precision.split(",")
    for each in chosen:
        if each not in OPTIONS:
            raise Problem(f"--precision {each}: unknown; choose from {', '.join(OPTIONS)}")
    if not options.recording.exists():
        raise Problem(f"{options.recording}: no such file")
    print(f"{machine.description()}; {options.recording}")
    with tempfile.TemporaryDirectory() as folder:
        programs = {}
        for precision in chosen:
            programs[precision] = pathlib.Path(folder) / precision
            subprocess.run([options.build / "bin" / "transfold", "compile", options.model, "-q",
                            *OPTIONS[precision], "-o", programs[precision]], check=True)
        for threads in numbers(options.threads, "--threads"):
            measure(options, programs, threads)


if __name__ == "__main__":
    run(main)
