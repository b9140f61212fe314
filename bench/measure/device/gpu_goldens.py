# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares programs on a device with float64, by the tools of the tests: golden.py (batches
and single sequences, with the same bits) and steps.py (chunks, greedy search, beams); and programs
with products of bfloat16 with those of a processor (alike.py)."""

import concurrent.futures
import re
import shutil
import sys

from measure.device import gpu_models
from measure.device.gpu_machine import Failed
from measure.machine import ROOT
from measure.problem import Problem

WRONG = re.compile("too far|other bits|not zero|instead of|error: ")
# Tools of compute-sanitizer: out-of-bounds accesses, races on shared memory, barriers that not
# all threads reach.
CHECKS = ("memcheck", "racecheck", "synccheck")
LONGEST_CHECK = 60  # seconds
FAR = re.compile(r"([\d.e+-]+) from (?:float64|the reference), limit ([\d.e+-]+)")


def check(entry, folder, device):
    """Whether a program passes, and its largest error as a fraction of the limit."""
    program, golden = folder / entry["program"], ROOT / entry["golden"]
    tools, tool, said, part = ["golden.py"], "info", "", 0.0
    try:
        goes_on = any(".step(" in each for each in
                      device.answer(program, "info")["entries"])
        if "reference" in entry:
            tools = ["device/alike.py"]
        elif goes_on and (golden / "generated_ids.npy").exists():
            tools.append("steps.py")
        for tool in tools:
            out = folder / "out" / f"{entry['program']}.{tool.replace('/', '.')}"
            words = {"golden.py": [out, "alike"], "steps.py": [out],
                     "device/alike.py": [folder / entry.get("reference", ""), out]}[tool]
            text = device.output([sys.executable, gpu_models.TOOLS / tool, program, golden, *words])
            part = max([part, *(float(off) / float(limit) for off, limit in FAR.findall(text)
                                if float(limit))])
    except Failed as failed:
        telling = [line for line in failed.said if WRONG.search(line)]
        said = f"{tool}: {'; '.join(telling[:3])}" if telling else str(failed)
    except Problem as problem:
        said = str(problem)
    return {"name": entry["name"], "tools": tools, "passed": not said, "said": said,
            "part_of_limit": part}


def check_all(entries, folder, device, jobs, clock):
    """Checks several goldens at a time: most of their time is spent starting processes, which
    share the device. Goldens that have not started after half of the time are left out."""
    found = []

    def unless_late(entry):
        return check(entry, folder, device) if clock.left() > clock.seconds / 2 else None
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for done in concurrent.futures.as_completed([pool.submit(unless_late, entry)
                                                     for entry in entries]):
            if not (golden := done.result()):
                continue
            found.append(golden)
            clock.say(f"golden {len(found)} of {len(entries)}, {golden['name']}: "
                      + ("passes" if golden["passed"]
                         else f"FAILED: {golden['said']}"))
    return sorted(found, key=lambda golden: golden["name"])


def inputs_of(golden):
    """`--in NAME=FILE` for each input array of a golden."""
    computed = ("generated", "beam")
    return [word for path in sorted(golden.glob("*.npy"))
            if not path.stem.endswith("_f64") and not path.stem.startswith(computed)
            for word in ("--in", f"{path.stem}={path}")]


def sanitized(tool, check, entry, folder, device):
    """The errors that one check of compute-sanitizer finds in a golden, run whole and token by
    token; empty if there are none."""
    program, said = folder / entry["program"], []
    goes_on = any(".step(" in each for each in device.answer(program, "info")["entries"])
    for name, options in {"whole": [], "steps": ["--chunk", 1]}.items():
        if name == "steps" and not goes_on:
            continue
        out = folder / "out" / f"{entry['program']}.{check}.{name}"
        try:
            device.output([tool, "--tool", check, "--error-exitcode", 9, program, "eval",
                           *inputs_of(ROOT / entry["golden"]), *options, "--out", out],
                          seconds=LONGEST_CHECK)
        except Failed as failed:
            told = [line.lstrip("= ") for line in failed.said if line.startswith("=====")]
            said.append(f"{check} of {entry['name']}, {name}: "
                        + ("; ".join(filter(None, told[1:4])) or str(failed)))
        except Problem as problem:
            said.append(f"{check} of {entry['name']}, {name}: {problem}")
    return said


def sanitize(entries, folder, device, jobs):
    """The result of compute-sanitizer for the first goldens, or why it did not run."""
    tool = shutil.which("compute-sanitizer")
    if not tool or not device.name.startswith("cuda"):
        return "not run: compute-sanitizer is not on the PATH" if not tool else \
            "not run: it is for CUDA"
    if not entries:
        return "not run: there is no golden"
    chosen = [*entries[:gpu_models.QUICK], *[one for one in entries if "reference" in one]]
    work = [(check, entry) for check in CHECKS for entry in chosen]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        found = pool.map(lambda each: sanitized(tool, *each, folder, device), work)
    said = [line for lines in found for line in lines]
    names = "; ".join(entry["name"] for entry in chosen)
    return f"FAILED: {' | '.join(said)}" if said else \
        f"no error by {', '.join(CHECKS)} in {names}"
