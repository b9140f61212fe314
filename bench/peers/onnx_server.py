#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A server of sentence embeddings in Python, on ONNX Runtime and Hugging Face's tokenizers.

It is structured as is usual for such servers: a thread per connection, and one thread that
takes all waiting texts, sorts them by length, and computes them as padded batches.
"""

import argparse
import base64
import http.server
import json
import pathlib
import queue
import sys
import tempfile
import threading

# Replaces the folder of this file, which has files with the names of the libraries they import.
sys.path[0] = str(pathlib.Path(__file__).resolve().parents[1])

# Tokens of a batch, including padding: text-embeddings-inference's max-batch-tokens.
MOST = 4096


class Model:
    def __init__(self, directory, threads, folder):
        import tokenizers
        from peers.ort import OnnxRuntime
        self.runtime = OnnxRuntime(directory, "f32", threads, folder, None)
        self.tokenizer = tokenizers.Tokenizer.from_file(str(directory / "tokenizer.json"))
        settings = directory / "sentence_bert_config.json"
        limit = json.loads(settings.read_text())["max_seq_length"] if settings.exists() else 512
        self.tokenizer.enable_truncation(limit)
        self.tokenizer.no_padding()

    def ids(self, text):
        return self.tokenizer.encode(text).ids

    def embed(self, sequences):
        """Mean pooling, normalized to length 1, as in all-MiniLM-L6-v2."""
        import numpy
        for rows in self.runtime.hidden(sequences):
            mean = rows.mean(axis=0)
            yield (mean / numpy.linalg.norm(mean)).astype("<f4")


class Batcher(threading.Thread):
    def __init__(self, model):
        super().__init__(daemon=True)
        self.model, self.waiting = model, queue.Queue()

    def vectors(self, sequences):
        jobs = [{"ids": ids, "done": threading.Event()} for ids in sequences]
        for job in jobs:
            self.waiting.put(job)
        for job in jobs:
            job["done"].wait()
        return [job["vector"] for job in jobs]

    def run(self):
        while True:
            jobs = [self.waiting.get()]
            while not self.waiting.empty():
                jobs.append(self.waiting.get())
            jobs.sort(key=lambda job: -len(job["ids"]))
            while jobs:
                count = max(1, MOST // len(jobs[0]["ids"]))
                batch, jobs = jobs[:count], jobs[count:]
                for job, vector in zip(batch, self.model.embed([job["ids"] for job in batch])):
                    job["vector"] = vector
                    job["done"].set()


def handler_of(model, batcher):
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Head and body in one packet.
        wbufsize = -1

        def log_message(self, *_):
            pass

        def answer(self, value):
            content = json.dumps(value).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)
            self.wfile.flush()

        def do_GET(self):
            self.answer({"status": "ok"})

        def do_POST(self):
            given = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
            sequences = [model.ids(text) for text in ([given] if isinstance(given, str) else given)]
            data = [{"object": "embedding", "index": i, "embedding": base64.b64encode(vector.tobytes()).decode()}
                    for i, vector in enumerate(batcher.vectors(sequences))]
            self.answer({"object": "list", "data": data,
                         "usage": {"prompt_tokens": sum(map(len, sequences))}})
    return Handler


class ThreadingServer(http.server.ThreadingHTTPServer):
    request_queue_size = 256


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=pathlib.Path, help="a Hugging Face directory of a BERT")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        model = Model(options.model, options.threads, folder)
        batcher = Batcher(model)
        batcher.start()
        server = ThreadingServer(("127.0.0.1", 0), handler_of(model, batcher))
        print(f"listening on http://127.0.0.1:{server.server_port}", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
