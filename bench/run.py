# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A compiled encoder beside its peers, in alternation, in one run.

    python3 bench/run.py build/minilm MODEL_DIR --threads 1 --out build/bench

Peers are what is installed of ONNX Runtime and OpenVINO (PyPI: onnxruntime,
openvino; also onnx and numpy). Each round runs every program once on every
shape, so that a machine that slows down slows all of them; the medians over
rounds are printed, with the ratio to ours (above 1: ours is faster) and the
largest difference of the hidden states. Writes results.json and results.svg.

With --kernels the time of ours and of OpenVINO is also split by kind of work. The
machine's own limits are measured by bench-machine (ninja -C build bench-machine).

Shapes: 1x128 is one sequence of 128 tokens; 64x5-200 are 64 sequences of 5 to 200
tokens: peers get them padded to the longest, as programs do that batch by
padding, and compute the padded rows too; microseconds are per real token.
"""
import argparse
import json
import os
import platform
import statistics
import subprocess
import tempfile
import time

import numpy as np

import onnx
from onnx_encoder import encoder


def ort(path, threads):
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    return f"onnxruntime {onnxruntime.__version__}", lambda ids: session.run(
        None, {"input_ids": ids})[0]


def openvino_request(path, threads, **options):
    import openvino as ov
    model = ov.Core().compile_model(path, "CPU", {
        "INFERENCE_NUM_THREADS": threads, "PERFORMANCE_HINT": "LATENCY",
        "INFERENCE_PRECISION_HINT": "f32", **options})
    return ov, model, model.create_infer_request()


def openvino(path, threads):
    ov, model, request = openvino_request(path, threads)
    return f"openvino {ov.__version__.split('-')[0]}", lambda ids: request.infer(
        {"input_ids": ids})[model.output(0)]


def installed_peers(path, threads):
    peers = {}
    for start in (ort, openvino):
        try:
            name, run = start(path, threads)
            peers[name] = run
        except ImportError as missing:
            print(f"without {start.__name__}: {missing}")
    return peers


class Ours:
    def __init__(self, program, threads, folder):
        self.program, self.threads, self.folder = program, threads, folder

    def time(self, batch, shortest, longest, runs, *options):
        command = [self.program, "bench", "--batch", str(batch), "--seq", str(longest),
                   "--threads", str(self.threads), "--runs", str(runs), "--json",
                   *options]
        if shortest != longest:
            command += ["--from", str(shortest)]
        return json.loads(subprocess.run(command, check=True, capture_output=True,
                                         text=True).stdout)

    def hidden(self, ids):
        np.save(f"{self.folder}/ids.npy", ids)
        subprocess.run([self.program, "eval", "--in", f"input_ids={self.folder}/ids.npy",
                        "--out", self.folder, "--entry", "encode"], check=True,
                       capture_output=True)
        return np.load(f"{self.folder}/last_hidden_state.npy")


def time_peer(run, ids, runs):
    times = []
    for _ in range(runs + 1):
        start = time.perf_counter()
        run(ids)
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times[1:])


# What a kernel does, by words of its name; OpenVINO's by the node's type, where
# Subgraph is its fused attention and products have gelu but not the residual. The
# first that fits.
KINDS = {
    "attention": (("softmax",), ("ScaledDotProduct", "MHA", "Subgraph", "Transpose")),
    "products": (("contract",), ("FullyConnected",)),
    "norms": (("standardize",), ("MVN", "MulAdd")),
    "other": (("",), ("",)),
}


def by_kind(rows, side):
    """Milliseconds for each kind from (name, milliseconds)."""
    sums = dict.fromkeys(KINDS, 0.0)
    for name, milliseconds in rows:
        sums[next(kind for kind, words in KINDS.items()
                  if any(word in name for word in words[side]))] += milliseconds
    return sums


def split_by_kind(arguments, path, ours, shapes):
    """For each shape: kind -> (ours, OpenVINO's), medians over rounds."""
    for shape, (batch, shortest, longest) in shapes.items():
        if shortest != longest:
            continue
        ids = np.random.default_rng(0).integers(1000, 20000, (batch, longest))
        runs = max(1, 1024 // (batch * longest))
        both = [], []
        # OpenVINO reports the mean over all runs of a model.
        _, _model, request = openvino_request(path, arguments.threads, PERF_COUNT="YES")
        for _ in range(arguments.rounds):
            kernels = ours.time(batch, shortest, longest, runs, "--kernels")["kernels"]
            both[0].append(by_kind([(k["kernel"], k["ms"]) for k in kernels], 0))
            for _ in range(runs + 1):
                request.infer({"input_ids": ids})
            both[1].append(by_kind([(info.node_type, info.real_time.total_seconds() * 1e3)
                                    for info in request.get_profiling_info()], 1))
        yield shape, {kind: [statistics.median(one[kind] for one in side) for side in both]
                      for kind in KINDS}


def limits(threads):
    """What the machine can do at most; None where bench-machine is not built."""
    program = os.path.join(os.path.dirname(__file__), "..", "build", "bin", "bench-machine")
    if not os.path.exists(program):
        return None
    return json.loads(subprocess.check_output([program, str(threads)]))


def parse(shape):
    batch, lengths = shape.split("x")
    shortest, _, longest = lengths.partition("-")
    return int(batch), int(shortest), int(longest or shortest)


def measure(arguments, folder):
    path = f"{folder}/encoder.onnx"
    onnx.save(encoder(arguments.model), path)
    peers = installed_peers(path, arguments.threads)
    ours = Ours(arguments.program, arguments.threads, folder)
    shapes = {shape: parse(shape) for shape in arguments.shapes.split(",")}
    times = {shape: {name: [] for name in ("ours", *peers)} for shape in shapes}
    inputs = {shape: np.random.default_rng(0).integers(1000, 20000, (batch, longest))
              for shape, (batch, _, longest) in shapes.items()}
    tokens = {}
    for _ in range(arguments.rounds):
        for shape, (batch, shortest, longest) in shapes.items():
            runs = max(1, 1024 // (batch * longest))
            row = ours.time(batch, shortest, longest, runs)
            tokens[shape] = row["tokens"]
            times[shape]["ours"].append(row["median_ms"])
            for name, run in peers.items():
                times[shape][name].append(time_peer(run, inputs[shape], runs))
    results = []
    for shape, (batch, shortest, longest) in shapes.items():
        result = {"shape": shape, "tokens": tokens[shape],
                  "median_ms": {k: statistics.median(v) for k, v in times[shape].items()},
                  "best_ms": {k: min(v) for k, v in times[shape].items()}}
        if shortest == longest:
            hidden = ours.hidden(inputs[shape])
            result["difference"] = {name: float(np.abs(hidden - run(inputs[shape])).max())
                                    for name, run in peers.items()}
        results.append(result)
    if arguments.kernels:
        for shape, kinds in split_by_kind(arguments, path, ours, shapes):
            next(r for r in results if r["shape"] == shape)["kinds"] = kinds
    return results


def table(results):
    for result in results:
        medians = result["median_ms"]
        own = medians["ours"]
        cells = [f"{result['shape']:>9}  ours {own:9.2f} ms {own / result['tokens'] * 1e3:6.1f} us/token"]
        for name, value in medians.items():
            if name != "ours":
                cells.append(f"{name} {value:9.2f} ms, ratio {value / own:.2f}")
        yield "   ".join(cells)
    for result in results:
        for kind, (own, other) in result.get("kinds", {}).items():
            yield (f"{result['shape']:>9}  {kind:<10} ours {own:8.3f} ms   "
                   f"openvino {other:8.3f} ms" + (f", ratio {other / own:.2f}" if own else ""))


def svg(results, title):
    """Bars of microseconds per token: short is fast."""
    colours = ["#2266aa", "#bb5533", "#558833"]
    names = list(results[0]["median_ms"])
    longest = max(v / r["tokens"] for r in results for v in r["median_ms"].values())
    y, parts = 50, [f'<text x="10" y="20" font-size="15">{title}</text>']
    for k, name in enumerate(names):
        parts.append(f'<text x="{10 + 220 * k}" y="38" fill="{colours[k]}">{name}</text>')
    for result in results:
        parts.append(f'<text x="10" y="{y + 12 * len(names) // 2 + 6}">{result["shape"]}</text>')
        for k, name in enumerate(names):
            each = result["median_ms"][name] / result["tokens"]
            width = 480 * each / longest
            parts.append(f'<rect x="90" y="{y}" width="{width:.1f}" height="11" '
                         f'fill="{colours[k]}"/><text x="{95 + width:.1f}" y="{y + 10}" '
                         f'font-size="10">{each * 1e3:.0f} µs/token</text>')
            y += 13
        y += 8
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="680" height="{y}" '
            f'font-family="sans-serif" font-size="12">{"".join(parts)}</svg>\n')


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("model")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--shapes", default="1x16,1x128,1x512,8x128,64x5-200")
    parser.add_argument("--kernels", action="store_true",
                        help="also by kind of work, beside OpenVINO's")
    parser.add_argument("--out", help="folder for results.json and results.svg")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        results = measure(arguments, folder)
    title = f"{arguments.threads} thread(s), medians of {arguments.rounds} rounds"
    machine = limits(arguments.threads)
    if machine:
        title += (f"; this machine: {machine['gflops']:.0f} GF/s, "
                  f"{machine['gigabytes_per_second']:.1f} GB/s")
    print(title)
    print("\n".join(table(results)))
    if arguments.out:
        os.makedirs(arguments.out, exist_ok=True)
        with open(f"{arguments.out}/results.json", "w", encoding="utf-8") as file:
            json.dump({"machine": platform.processor() or platform.machine(),
                       "limits": machine,
                       "threads": arguments.threads, "results": results}, file, indent=1)
        with open(f"{arguments.out}/results.svg", "w", encoding="utf-8") as file:
            file.write(svg(results, title))


if __name__ == "__main__":
    main()
