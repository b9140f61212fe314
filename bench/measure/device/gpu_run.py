# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The run on a machine with a GPU: describes the machine, checks goldens, measures speed."""

from measure.device import gpu_goldens, gpu_machine, gpu_models, gpu_speed
from measure.problem import Problem
from peers import gpu_peers


def device_of(manifest, wanted):
    """The name of the target to run on, as PROGRAM --device takes it."""
    names = ["cpu" if word not in ("cuda", "cuda_80", "opencl", "vulkan", "metal") else word
             for word in manifest["target"].split(",")]
    if wanted and wanted not in names:
        raise Problem(f"--device {wanted}: the archive has programs for {', '.join(names)}; "
                      "`gpu.sh pack --target` chooses the targets")
    return wanted or names[0]


def programs_of(entries, folder, device, options, limits):
    """Our programs by model and precision, and why others are missing."""
    programs, failed = {}, {}
    for entry in entries:
        try:
            program = gpu_speed.Program(entry, folder, device, options, limits)
            programs.setdefault(entry["name"], {})[entry["precision"]] = program
        except Problem as problem:
            failed[entry["program"]] = str(problem)
    return programs, failed


def run(manifest, folder, options, clock):
    device = gpu_machine.Device(device_of(manifest, options.device), max(60, options.minutes * 30))
    machine = gpu_machine.describe(device.name)
    limits, source = gpu_machine.limits_of(machine, options.limits)
    clock.say(", ".join(f"{key} {value}" for key, value in machine.items()))
    entries = manifest["goldens"][:gpu_models.QUICK if options.quick else None]
    results = {"machine": machine, "made_from": manifest["made_from"], "limits": limits,
               "limits_source": source, "decode": options.decode, "models": [], "left_out": []}
    results["goldens"] = gpu_goldens.check_all(entries, folder, device, options.jobs, clock)
    checked = {golden["name"] for golden in results["goldens"]}
    results["left_out"] += [f"the golden of {entry['name']}: more than half of the time was over"
                            for entry in entries if entry["name"] not in checked]
    results["sanitizer"] = gpu_goldens.sanitize(entries, folder, device, options.jobs)
    clock.say(f"compute-sanitizer: {results['sanitizer']}")
    programs, failed = programs_of(manifest["measured"], folder, device, options, limits)
    configs = {entry["name"]: entry["config"] for entry in manifest["measured"]}
    for name, ours in programs.items():
        if clock.is_late():
            results["left_out"].append(f"{name}: the {options.minutes:g} minutes were over")
            continue
        peers, without = gpu_peers.of(name, configs[name], device, options, folder)
        results["models"].append(gpu_speed.measure(name, ours, peers, options, clock)
                                 | {"without": without})
        for peer in peers.values():
            peer.close()
    for model in results["models"]:
        failed |= {f"{model['name']}, {who}": why for who, why in model["failed"].items()
                   if not who.startswith(gpu_peers.NAMES)}
    results["failed"] = failed
    return results
