# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""emulated.py TRANSFOLD KIND OUT: a program for ARM on processors that QEMU emulates.

KIND is one of KINDS. Its model is compiled with --target=arm-64-linux. On each processor the
program uses the expected kernels; its results are compared with float64 values computed elsewhere
or, where values are rounded on purpose, with the interpreter's; and a sequence has the same bits
alone, in a batch and in chunks.
"""

import pathlib
import shutil
import subprocess
import sys

import numpy

FOLDER = pathlib.Path(__file__).parents[1]
TOOLS, MODELS = FOLDER / "tools", FOLDER / "models"
sys.path.insert(0, str(TOOLS))
import gguf_file
import gguf_models

EMULATOR = ["qemu-aarch64-static", "-L", "/usr/aarch64-linux-gnu", "-cpu"]
# The model, the rounding options, and the kernels that each processor uses: a processor of 2014,
# one of 2019, and one with everything that QEMU supports.
KINDS = {
    "encoder": ("bert", [], {"cortex-a53": "neon", "max": "neon"}),
    "decoder": ("llama", [], {"cortex-a53": "neon", "max": "neon"}),
    "recurrent": ("qwen3_5", [], {"cortex-a53": "neon", "max": "neon"}),
    "blocks": ("blocks", ["--products", "int8", "--attention", "exact"],
               {"cortex-a53": "neon", "neoverse-n1": "neon_dot", "max": "neon_bf16"}),
    "integers": ("llama", ["--quantize", "int8", "--attention", "exact"],
                 {"cortex-a53": "neon", "neoverse-n1": "neon_dot", "max": "neon_bf16"}),
    "bf16": ("llama", ["--quantize", "bf16"],
             {"cortex-a53": "neon", "max": "neon_bf16"}),
}
transfold, kind, out = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
name, rounding, processors = KINDS[kind]
shutil.rmtree(out, ignore_errors=True)
out.mkdir(parents=True)


def run(*command):
    print("+", *command, flush=True)
    return subprocess.run([str(part) for part in command], check=True, text=True,
                          stdout=subprocess.PIPE).stdout


def write_blocks():
    """A model with unsigned codes, and signed ones in its head, and tokens for it."""
    metadata, tensors = gguf_models.dense(["Q4_K"] * 7, table="Q8_0", head=None, seed=7)
    gguf_file.write(out / "blocks.gguf", metadata, tensors)
    tokens = numpy.random.default_rng(5).integers(0, gguf_models.VOCABULARY, (2, 20))
    numpy.save(out / "input_ids.npy", tokens)
    return out / "blocks.gguf", out


def arguments(arrays, folder):
    folder.mkdir(parents=True, exist_ok=True)
    words = []
    for argument, array in arrays.items():
        numpy.save(folder / f"{argument}.in.npy", array)
        words += ["--in", f"{argument}={folder / argument}.in.npy"]
    return [*words, "--out", folder]


def loaded(folder):
    return {path.stem: numpy.load(path) for path in folder.glob("*.npy")
            if not path.stem.endswith(".in")}


def evaluate(processor, arrays, label, *options):
    folder = out / processor / label
    run(*EMULATOR, processor, program, "eval", *arguments(arrays, folder), *options)
    return loaded(folder)


def far_from_rounded(results):
    """The distance from the interpreter with the same rounding, compared with the effect of that
    rounding.

    float32 rounds a few values to the other side than double does, and so changes a few of the
    rows; the others are as close as float32 allows.
    """
    scale = abs(exact["logits"]).max()
    change = abs(rounded["logits"] - exact["logits"]).max() / scale
    rows = abs(results["logits"] - rounded["logits"]).max(-1) / scale
    print(f"rounding changes {change:.2g} of the largest logit; of the program, half of the rows "
          f"are within {numpy.median(rows):.2g} of that, all within {rows.max():.2g}")
    assert 1e-4 < change < 0.2 and numpy.median(rows) < 2e-5 and rows.max() < change


def check_bits(processor, results):
    """Checks the bits of each sequence alone and, if the program has decode steps, in chunks."""
    mask = inputs.get("attention_mask", numpy.ones(inputs["input_ids"].shape, int))
    for k, row in enumerate(mask):
        arrays = {argument: array[k:k + 1, :row.sum()] for argument, array in inputs.items()
                  if argument != "attention_mask"}
        for result, value in evaluate(processor, arrays, f"alone{k}", "--threads", 1).items():
            same = results[result][k][tuple(slice(n) for n in value[0].shape)]
            assert (same == value[0]).all(), f"{result} of sequence {k} has other bits alone"
    if name != "bert":
        steps = evaluate(processor, inputs, "steps", "--chunk", 3)
        assert (steps["logits"] == results["logits"]).all(), "other bits in chunks"


def check_tokens(processor):
    expected, new = numpy.load(golden / "generated_ids.npy"), 24
    numpy.save(out / "prompt.in.npy", expected[:, :-new])
    run(*EMULATOR, processor, program, "generate", "--ids", out / "prompt.in.npy", "--max-new",
        new, "--ignore-eos", "--out", out / "generated.npy")
    assert (numpy.load(out / "generated.npy") == expected).all(), "other tokens"


model, golden = write_blocks() if name == "blocks" else (MODELS / name, MODELS / name / "golden")
inputs = {path.stem: numpy.load(path) for path in sorted(golden.glob("*.npy"))
          if not path.stem.endswith("_f64") and not path.stem.startswith("generated")}
program = out / kind
run(transfold, "compile", model, "--target=arm-64-linux", *rounding, "-q", "-o", program)
if rounding:
    run(transfold, "eval", model, *arguments(inputs, out / "exact"))
    run(transfold, "eval", model, *rounding, "--after", "folded",
        *arguments(inputs, out / "rounded"))
    exact, rounded = loaded(out / "exact"), loaded(out / "rounded")

found = {}
for processor, variant in processors.items():
    info = run(*EMULATOR, processor, program, "info")
    assert any(line.split()[:1] == [variant] and "(in use)" in line
               for line in info.splitlines()), f"{processor} does not take {variant}: {info}"
    results = evaluate(processor, inputs, "together", "--threads", 2)
    if rounding:
        far_from_rounded(results)
    else:
        print(run(sys.executable, TOOLS / "compare.py", "golden", golden,
                  out / processor / "together"))
    check_bits(processor, results)
    if kind == "decoder":
        check_tokens(processor)
    found[processor] = results["logits"]
# Sums of integers are exact with any instructions; those of bfloat16 are not.
if kind != "bf16":
    assert all((other == found["max"]).all() for other in found.values()), "other bits"
