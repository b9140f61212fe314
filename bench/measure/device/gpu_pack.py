# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the programs that a machine with a GPU checks and measures."""

import json
import pathlib
import subprocess
import sys
import tempfile

from measure.device import gpu_archive, gpu_models
from measure.clock import Clock
from measure.machine import ROOT
from measure.problem import Problem


def compiled(compiler, model, program, options, what):
    found = subprocess.run([compiler, "compile", model, "-q", "-o", program, *options],
                           capture_output=True, text=True, check=False)
    if found.returncode:
        raise Problem(f"transfold does not compile {model}: {found.stderr.strip()}; leave it out "
                      f"with {what}")


def pack(options):
    compiler = options.build / "bin" / "transfold"
    if not compiler.exists():
        raise Problem(f"there is no compiler at {compiler}; build it (ninja -C build), or give "
                      "its folder with --build")
    models = gpu_models.golden_models(options.models)
    precisions = gpu_models.chosen(options.precision, "--precision", gpu_models.PRECISIONS)
    manifest = {"version": gpu_archive.VERSION, "target": options.target, "goldens": [],
                "measured": [], "made_from": commit()}
    clock, target = Clock(60), f"--target={options.target}"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        measured = gpu_models.measured_models(options.measure, folder / "models")
        for model in models:
            clock.say(f"{model}, for its golden")
            compiled(compiler, gpu_models.MODELS / model, folder / model,
                     [target, "--embed-weights"], "--models")
            golden = gpu_models.MODELS / model / "golden"
            manifest["goldens"].append({"name": model, "program": model,
                                        "golden": str(golden.relative_to(ROOT))})
        for model in gpu_models.ROUNDED:
            if model in models:
                clock.say(f"{model}, with products of bfloat16")
                manifest["goldens"].append(rounded(compiler, model, target, folder))
        for model, directory in measured.items():
            for precision in precisions:
                clock.say(f"{model} in {precision}, to be measured")
                program = f"{model}.{precision}"
                compiled(compiler, directory, folder / program, [
                    target, "--without-weights", *gpu_models.PRECISIONS[precision]], "--measure")
                manifest["measured"].append({
                    "name": model, "program": program, "precision": precision,
                    "config": json.loads((directory / "config.json").read_text(
                        encoding="utf-8"))})
        size = gpu_archive.write(options.file, folder, manifest)
    clock.say(f"{options.file}: {size:.1f} MB")
    if size > options.most:
        raise Problem(f"{options.file} has {size:.1f} MB, more than --most {options.most:g}; leave "
                      "out some with --models and --measure")


def rounded(compiler, model, target, folder):
    """A program with products of bfloat16, and what such a program computes on this machine."""
    directory, name = gpu_models.MODELS / model, f"{model}.rounded"
    options = [*gpu_models.PRECISIONS["bf16-products"], "--embed-weights"]
    compiled(compiler, directory, folder / name, [target, *options], "--models")
    compiled(compiler, directory, folder / "own", options, "--models")
    done = subprocess.run([sys.executable, gpu_models.TOOLS / "device" / "alike.py", "--write", folder / "own",
                           directory / "golden", folder / f"{name}.npz", folder / "out"],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        raise Problem(f"the program of {model} for this machine fails: {done.stderr.strip()}")
    return {"name": f"{model}, products of bfloat16", "program": name, "reference": f"{name}.npz",
            "golden": str((directory / "golden").relative_to(ROOT))}


def commit():
    """The commit of the checkout; "unknown" if this is not a checkout."""
    found = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty"],
                           capture_output=True, text=True, check=False)
    return found.stdout.strip() or "unknown"
