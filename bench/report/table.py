# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results as text for a terminal."""


def aligned(rows):
    """Columns as wide as their widest cell; the first is left-aligned, others right-aligned."""
    widths = [max(len(row[k]) for row in rows if k < len(row))
              for k in range(max(map(len, rows)))]
    for row in rows:
        yield "  ".join(cell.ljust(width) if k == 0 else cell.rjust(width)
                        for k, (cell, width) in enumerate(zip(row, widths))).rstrip()


def lines_up(rows):
    """The same, indented."""
    for line in aligned(rows):
        yield "  " + line


def spread(figures, digits):
    """The median, and the range of the rounds."""
    return "{:.{d}f} ({:.{d}f}–{:.{d}f})".format(
        figures["median"], figures["low"], figures["high"], d=digits)


def percent(share):
    return "–" if share is None else f"{100 * share:.0f} %"


def machine(limits):
    named = {"gflops": "{:.0f} GFLOP/s in float32", "bf16_gflops": "{:.0f} in bfloat16",
             "int8_gops": "{:.0f} Gop/s in int8", "gigabytes_per_second": "reads {:.1f} GB/s"}
    told = [text.format(limits[key]) for key, text in named.items() if limits.get(key)]
    return "the machine: " + ", ".join(told) if told else (
        "the machine is not measured: ninja -C build bench-machine")


def encoder(found):
    threads = f"{found['threads']} thread{'s' * (found['threads'] > 1)}"
    yield f"{found['model']}, {found['precision']}, {threads}; {machine(found['limits'])}"
    names = list(found["rows"][0]["ms"])
    rows = [["shape", *(f"{name}, ms" for name in names), "best peer / ours"]]
    for row in found["rows"]:
        cells = [f"{spread(row['ms'][name], 2)} {percent(row.get('share', {}).get(name))}"
                 for name in names]
        rows.append([row["shape"], *cells, f"{row['ratio']:.2f}" if row["ratio"] else "–"])
    yield from lines_up(rows)
    if found.get("errors"):
        rows = [["error against float64", "largest", "1 − cosine", "in a batch", ""]]
        for name, error in found["errors"].items():
            rows.append([name, f"{error['alone']['largest']:.1e}",
                         f"{error['alone']['cosine']:.1e}",
                         f"{error['together']['largest']:.1e}",
                         f"{error['together']['cosine']:.1e}"])
        yield from lines_up(rows)
    for shape, kinds in found.get("kinds", {}).items():
        rows = [[f"{shape} by kind, ms", *next(iter(kinds.values()))]]
        rows += [[kind, *(f"{each:.3f}" for each in sums.values())]
                 for kind, sums in kinds.items()]
        yield from lines_up(rows)
    yield from peers(found)


def peers(found):
    for name, how in found["how"].items():
        yield f"  {name}: {how}"
    for name, why in found["without"].items():
        yield f"  without {name}: {why}"
    yield ""


def decoder(found):
    yield (f"{found['model']}, {found['threads']} thread{'s' * (found['threads'] > 1)}; "
           f"{machine(found['limits'])}")
    rows = [["tokens/s", *found["rows"][0]["per_s"]]]
    for row in found["rows"]:
        cells = []
        for name, figures in row["per_s"].items():
            ratio = row["ratio"].get(name)
            cells.append(f"{spread(figures, 0)} {percent(row['share'].get(name))}"
                         + (f" ×{ratio:.2f}" if ratio else ""))
        rows.append([row["what"], *cells])
    yield from lines_up(rows)
    yield (f"  decode: {found['tokens']} tokens after a prompt of {found['prompts'][0]}; % of "
           "reading memory there, of multiplying in prompts; × llama.cpp")
    yield from peers(found)


def text(results):
    lines = [f"{results['processor']}; medians of {results['rounds']} rounds (lowest–highest), "
             "% of what the machine can do", ""]
    for found in results["encoders"]:
        lines += encoder(found)
    for found in results["decoders"]:
        lines += decoder(found)
    return "\n".join(lines).rstrip() + "\n"
