# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Servers in separate processes, and their memory."""

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
    """A process that listens on `port`, or prints its port: a line with http://HOST:PORT."""

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
        """Bytes: resident memory, the part of it that is not mapped files, and the peak."""
        if self.process.poll() is not None:
            raise Problem(f"{self.name} has ended with {self.process.returncode}: {self._last_words()}")
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return {name: int(re.search(rf"{key}:\s+(\d+) kB", text)[1]) << 10
                for name, key in (("all", "VmRSS"), ("own", "RssAnon"), ("peak", "VmHWM"))}

    def close(self):
        """Ends the process; returns its exit status."""
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
    """A compiled program; `words` are further options of `serve`."""
    if "--queue" not in words:
        # A client that disconnects and asks again counts twice until the server notices.
        words = ["--queue", min(1024, max(32, 2 * clients)), *words]
    return Server("transfold", [program.resolve(), "serve", "--port", 0, "--threads", threads, "--quiet", *words],
                  folder / "transfold.log")


USUAL_PARALLEL = 4  # the default of `serve`


def parallel_of(words):
    """How many answers our server computes at once, given these options of `serve`."""
    found = USUAL_PARALLEL
    for word, following in zip(words, [*words[1:], ""]):
        if word == "--parallel":
            found = following
        elif word.startswith("--parallel="):
            found = word.partition("=")[2]
    try:
        return int(found)
    except ValueError:
        raise Problem(f"--parallel {found}: expected a number") from None


def onnxruntime(model, threads, words, folder):
    """Serves a Hugging Face directory with bench/peers/onnx_server.py."""
    return Server("onnxruntime", [sys.executable, ROOT / "bench" / "peers" / "onnx_server.py", model,
                                  "--threads", threads], folder / "onnxruntime.log")


def llama_cpp(model, threads, words, folder):
    """Serves a GGUF file with llama.cpp's llama-server, with as many concurrent answers as our
    server and 2048 tokens for each."""
    parallel = parallel_of(words)
    server, port = os.environ.get("LLAMA_SERVER", "llama-server"), free_port()
    return Server("llama.cpp", [server, "-m", model, "--host", "127.0.0.1", "--port", port, "-t", threads,
                                "-np", parallel, "-c", parallel * 2048], folder / "llama.cpp.log", port)


PEERS = {"onnxruntime": ("embeddings", onnxruntime), "llama.cpp": ("chats", llama_cpp)}
