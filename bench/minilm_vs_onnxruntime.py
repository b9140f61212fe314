# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MiniLM, ours and ONNX Runtime in alternation, in one run.

    python3 bench/minilm_vs_onnxruntime.py build/minilm MODEL_DIR [--threads 1]

Needs numpy, onnx and onnxruntime (PyPI). Prints for each shape the medians, the
ratio (above 1: ours is faster) and the largest difference of the hidden states.
"""
import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time

import numpy as np
import onnxruntime

import onnx
from onnx_encoder import encoder


def session(model, threads):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("model")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--shapes", default="1x16,1x128,1x512,8x128")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "encoder.onnx")
        onnx.save(encoder(arguments.model), path)
        peer = session(path, arguments.threads)
        print(f"onnxruntime {onnxruntime.__version__}, {arguments.threads} thread(s), medians of "
              f"{arguments.rounds} alternating rounds")
        for shape in arguments.shapes.split(","):
            batch, length = map(int, shape.split("x"))
            ids = np.random.default_rng(0).integers(1000, 20000, (batch, length))
            np.save(f"{folder}/ids.npy", ids)
            ours, theirs = [], []
            runs = max(3, 2048 // (batch * length))
            for _ in range(arguments.rounds):
                out = subprocess.run(
                    [arguments.program, "bench", "--batch", str(batch), "--seq", str(length),
                     "--threads", str(arguments.threads), "--runs", str(runs), "--json"],
                    check=True, capture_output=True, text=True).stdout
                ours.append(json.loads(out)["median_ms"])
                times = []
                for _ in range(runs + 2):
                    start = time.perf_counter()
                    expected = peer.run(None, {"input_ids": ids})[0]
                    times.append((time.perf_counter() - start) * 1e3)
                theirs.append(statistics.median(times[2:]))
            subprocess.run([arguments.program, "eval", "--in", f"input_ids={folder}/ids.npy",
                            "--out", folder, "--entry", "encode"], check=True,
                           capture_output=True)
            result = np.load(f"{folder}/last_hidden_state.npy")
            a, b = statistics.median(ours), statistics.median(theirs)
            print(f"{shape:>6}  ours {a:8.2f} ms (best {min(ours):.2f})   onnxruntime {b:8.2f} ms "
                  f"(best {min(theirs):.2f})   ratio {b / a:.2f}   difference "
                  f"{np.abs(result - expected).max():.1e}")


if __name__ == "__main__":
    main()
