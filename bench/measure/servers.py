# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Servers in processes of their own, and the memory that they hold."""

import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request

from measure.machine import ROOT
from measure.problem import Problem

START = 120  # seconds until a server must answer


class Server:
    """A process that listens on `port`, or says on which one: a line with http://HOST:PORT."""

    def __init__(self, name, command, log, port=None):
        self.name, self.log = name, pathlib.Path(log)
        try:
            with self.log.open("w") as errors:
                self.process = subprocess.Popen(
                    [str(word) for word in command], text=True, stderr=errors,
                    stdout=errors if port else subprocess.PIPE)
        except OSError as error:
            raise Problem(f"cannot run {command[0]}: {error.strerror}") from None
        self.port = port or self._port_it_says()

    def _last_words(self):
        return (self.log.read_text(errors="replace").strip() or "it said nothing").splitlines()[-1]

    def _port_it_says(self):
        line = self.process.stdout.readline()
        found = re.search(r"http://\S*:(\d+)", line)
        if not found:
            self.close()
            raise Problem(f"{self.name} does not serve: {self._last_words()}")
        return int(found[1])

    def wait_until_healthy(self):
        end = time.monotonic() + START
        while time.monotonic() < end and self.process.poll() is None:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health", timeout=5):
                    return
            except OSError:
                time.sleep(0.2)
        self.close()
        raise Problem(f"{self.name} does not answer: {self._last_words()}")

    def memory(self):
        """Bytes: all that is in memory, what of it is not mapped files, and the most there was."""
        if self.process.poll() is not None:
            raise Problem(f"{self.name} has ended with {self.process.returncode}: {self._last_words()}")
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return {name: int(re.search(rf"{key}:\s+(\d+) kB", text)[1]) << 10
                for name, key in (("all", "VmRSS"), ("own", "RssAnon"), ("peak", "VmHWM"))}

    def close(self):
        """The exit status."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            self.process.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()
        return self.process.returncode


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def ours(program, threads, clients, words, folder):
    """A compiled program; more `words` for `serve` go behind."""
    if "--queue" not in words:
        # A client that leaves and asks again is there twice, until the server has seen it leave.
        words = ["--queue", min(1024, max(32, 2 * clients)), *words]
    return Server("transfold", [program.resolve(), "serve", "--port", 0, "--threads", threads, "--quiet", *words],
                  folder / "transfold.log")


USUAL_PARALLEL = 4  # of `serve`


def parallel_of(words):
    """How many answers ours makes at once, with these more words for `serve`."""
    found = USUAL_PARALLEL
    for word, following in zip(words, [*words[1:], ""]):
        if word == "--parallel":
            found = following
        elif word.startswith("--parallel="):
            found = word.partition("=")[2]
    try:
        return int(found)
    except ValueError:
        raise Problem(f"--parallel {found}: a number") from None


def onnxruntime(model, threads, words, folder):
    """A Hugging Face directory, by bench/peers/onnx_server.py."""
    return Server("onnxruntime", [sys.executable, ROOT / "bench" / "peers" / "onnx_server.py", model,
                                  "--threads", threads], folder / "onnxruntime.log")


def llama_cpp(model, threads, words, folder):
    """A GGUF file, by llama.cpp's llama-server, with as many answers at once as ours has, and room for as many."""
    parallel = parallel_of(words)
    server, port = os.environ.get("LLAMA_SERVER", "llama-server"), free_port()
    return Server("llama.cpp", [server, "-m", model, "--host", "127.0.0.1", "--port", port, "-t", threads,
                                "-np", parallel, "-c", parallel * 2048], folder / "llama.cpp.log", port)


PEERS = {"onnxruntime": ("embeddings", onnxruntime), "llama.cpp": ("chats", llama_cpp)}
