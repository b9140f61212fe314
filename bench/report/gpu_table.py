# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The results of a machine with a GPU, as Markdown for a note."""

from report.table import spread

MOST_KERNELS = 8


def rows_of(head, rows):
    yield "| " + " | ".join(head) + " |"
    yield "|" + " --- |" * len(head)
    for row in rows:
        yield "| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |"
    yield ""


def machine(results):
    yield f"# Programs on {results['machine'].get('name', results['machine']['processor'])}"
    yield ""
    yield from rows_of(("", ""), [*results["machine"].items(), ("made from", results["made_from"]),
                                  ("limits a second: 10⁹ operations in float32, bytes, operations in bfloat16",
                                   f"{results['limits'] or '–'} ({results['limits_source']})"),
                                  ("compute-sanitizer", results["sanitizer"])])


def goldens(results):
    passed = sum(golden["passed"] for golden in results["goldens"])
    yield f"## Goldens: {passed} of {len(results['goldens'])} pass"
    yield ""
    yield from rows_of(("model", "checked by", "largest part of its limit", ""), [
        (golden["name"], ", ".join(golden["tools"]), f"{golden['part_of_limit']:.2f}",
         "passes" if golden["passed"] else f"FAILED: {golden['said']}")
        for golden in results["goldens"]])


def digits(figures):
    return 3 if figures["high"] < 10 else 1 if figures["high"] < 1000 else 0


def speed(model, results):
    yield f"## {model['name']}"
    yield ""
    if model["rows"]:
        names = sorted({who for cells in model["rows"].values() for who in cells},
                       key=lambda who: (not who.startswith("transfold"), who))
        rounds = f"{model['rounds']} round{'s' * (model['rounds'] > 1)}"
        yield f"Medians of {rounds} (lowest–highest); weights are made up."
        yield ""
        yield from rows_of(("", *names), [
            (what, *(spread(cells[who], digits(cells[who])) if who in cells else "–"
                     for who in names))
            for what, cells in model["rows"].items()])
    behind, tokens = results["decode"]
    if model["no_steps"]:
        yield "- no decoding: these programs have no decode steps on the device, and prompts are " \
              "whole sequences with all logits"
    elif any(what.startswith("decode") for what in model["rows"]):
        yield f"- decode: {tokens} tokens after a prompt of {behind}"
    for who, why in (model["how"] | model["failed"]).items():
        yield f"- {who}: {why}"
    for who, why in model["without"].items():
        yield f"- without {who}: {why}"
    yield ""


def achieved(found, peak):
    """The rates of all kernels together, from the time of an unprofiled run."""
    told = f"{found['operations_per_s'] / 1e9:.1f} Gop/s"
    if peak:
        told += f" ({100 * found['operations_per_s'] / 1e9 / peak:.1f} %)"
    if found["weights_per_s"]:
        told += f", {found['weights_per_s'] / 1e9:.1f} GB/s of weights"
    if found["share_of_memory"]:
        told += f" ({100 * found['share_of_memory']:.1f} % of memory)"
    return told


def kernels(model, results):
    limits = [float(number) for number in (results["limits"] or "").split(",") if number]
    for precision, told in model["kernels"].items():
        # The last number is that of tensor cores.
        peak = limits[-1 if len(limits) > 2 and precision == "bf16-products" else 0] if limits else None
        for what, found in told.items():
            rows = found["kernels"]
            total = sum(row["ms"] for row in rows)
            yield (f"{model['name']} in {precision}, {what.split(',')[0]}: "
                   f"{achieved(found, peak)}; {total:.3f} ms in "
                   f"{sum(row['launches'] for row in rows)} launches, each awaited")
            yield ""
            yield from rows_of(("kernel", "launches", "ms", "of all", "of the nearer limit"), [
                (f"`{row['kernel']}`", row["launches"], f"{row['ms']:.3f}",
                 f"{100 * row['ms'] / total:.0f} %",
                 f"{100 * row['share']:.0f} % of {row['limit']}" if row.get("share") else "–")
                for row in rows[:MOST_KERNELS]])


def text(results):
    lines = [*machine(results), *goldens(results)]
    for model in results["models"]:
        lines += speed(model, results)
    if results["failed"] or results["left_out"]:
        lines += ["## Not measured", ""]
        lines += [f"- {who}: {why}" for who, why in results["failed"].items()]
        lines += [f"- {why}" for why in results["left_out"]] + [""]
    if any(model["kernels"] for model in results["models"]):
        lines += ["## Kernels", ""]
    for model in results["models"]:
        lines += kernels(model, results)
    return "\n".join(lines).rstrip() + "\n"
