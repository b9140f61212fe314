# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Servers for tests: tiny models of bytes, and clients."""

import http.client
import json
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

TOOLS = pathlib.Path(__file__).parents[1] / "tools"
sys.path.append(str(TOOLS))
import byte_model  # noqa: E402


def compile_talk(transfold, models, out, source="llama"):
    """Compiles the tiny Llama, or another model, as one of bytes, with a context of 16384 tokens."""
    shutil.rmtree(out, ignore_errors=True)
    model = out / "model"
    model.mkdir(parents=True)
    byte_model.write_model(models / source, model)
    subprocess.run([transfold, "compile", "-q", model, "-o", out / "talk"], check=True)
    return out / "talk"


def repeated(tensors, layers):
    """Pairs of a tensor's name and its entry in the checkpoint's header; each of `layers` layers
    has the entries of the first."""
    for name, entry in tensors.items():
        found = re.fullmatch(r"(.*\.layer\.)(\d+)(\..*)", name)
        if not found and name != "__metadata__":
            yield name, entry
        elif found and found[2] == "0":
            yield from ((f"{found[1]}{layer}{found[3]}", entry) for layer in range(layers))


def deepen(model, layers):
    """Gives a RoBERTa `layers` layers, all with the weights of its first one."""
    config = json.loads((model / "config.json").read_text())
    (model / "config.json").write_text(json.dumps(config | {"num_hidden_layers": layers}))
    content = (model / "model.safetensors").read_bytes()
    begin = 8 + int.from_bytes(content[:8], "little")
    header, data = {}, bytearray()
    for name, entry in repeated(json.loads(content[8:begin]), layers):
        first, last = entry["data_offsets"]
        header[name] = entry | {"data_offsets": [len(data), len(data) + last - first]}
        data += content[begin + first:begin + last]
    text = json.dumps(header).encode()
    (model / "model.safetensors").write_bytes(len(text).to_bytes(8, "little") + text + data)


def compile_vectors(transfold, models, out, layers=None):
    """Compiles a tiny RoBERTa with mean pooling; with more layers it is slower, but takes the
    same time to compile, since they are one loop."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    subprocess.run([sys.executable, TOOLS / "texts.py", "make", models / "roberta", out / "texts"],
                   check=True)
    if layers:
        deepen(out / "texts" / "embed", layers)
    subprocess.run([transfold, "compile", "-q", out / "texts" / "embed", "-o", out / "vectors"],
                   check=True)
    return out / "vectors"


class Server:
    """A running server for the duration of a `with` block; it must exit cleanly."""

    def __init__(self, program, *options, threads=1):
        self.errors = pathlib.Path(f"{program}.log")  # an unread pipe would become full
        with self.errors.open("w") as errors:
            self.process = subprocess.Popen(
                [program, "serve", "--port", "0", "--threads", str(threads), *map(str, options)],
                stdout=subprocess.PIPE, stderr=errors, text=True)
        line = self.process.stdout.readline()
        found = re.fullmatch(r"listening on http://([\d.]+):(\d+)\n", line)
        assert found, (line, self.errors.read_text())
        self.address, self.port = found[1].replace("0.0.0.0", "127.0.0.1"), int(found[2])

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            self.process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        finally:
            self.log = self.errors.read_text()
        if kind is None:
            assert self.process.returncode == 0, (self.process.returncode, self.log)
        else:
            print(self.log[-4000:])

    def connect(self, timeout=60):
        return http.client.HTTPConnection(self.address, self.port, timeout=timeout)

    def request(self, method, path, body=None, headers=None):
        """The status and the body of the answer."""
        connection = self.connect()
        given = {} if body is None else {"Content-Type": "application/json"}
        content = body if body is None or isinstance(body, (str, bytes)) else json.dumps(body)
        connection.request(method, path, content, {**given, **(headers or {})})
        response = connection.getresponse()
        text = response.read()
        connection.close()
        return response.status, text

    def get(self, path, **headers):
        status, text = self.request("GET", path, headers=headers)
        return status, json.loads(text)

    def post(self, path, body, **headers):
        status, text = self.request("POST", path, body, headers)
        return status, json.loads(text)

    def stream(self, path, body):
        """The events of a stream; the last one is [DONE]."""
        status, text = self.request("POST", path, {**body, "stream": True})
        assert status == 200, (status, text)
        events = text.decode().split("\n\n")
        assert events[-1] == "" and all(event.startswith("data: ") for event in events[:-1]), events
        assert events[-2] == "data: [DONE]", events[-2:]
        return [json.loads(event.removeprefix("data: ")) for event in events[:-2]]

    def metric(self, name):
        status, text = self.request("GET", "/metrics")
        assert status == 200
        found = re.search(rf"^{re.escape(name)} (\S+)$", text.decode(), re.MULTILINE)
        return float(found[1]) if found else 0

    def until(self, reached, what):
        """Waits for a condition; fails if it is not reached."""
        for _ in range(3000):
            if reached():
                return
            time.sleep(0.02)
        raise AssertionError(f"waited for {what} in vain")

    def memory(self, what="VmRSS"):
        """Resident bytes of the process; with VmHWM the peak."""
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(rf"{what}:\s+(\d+) kB", text)[1]) << 10

    def descriptors(self):
        return len(list(pathlib.Path(f"/proc/{self.process.pid}/fd").iterdir()))


def error(answer, status):
    """The error of an answer, after checking its structure."""
    assert answer[0] == status, answer
    found = answer[1]["error"]
    assert set(found) == {"message", "type", "param", "code"}, found
    return found
