# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of a run of load.py."""

from report import table


def percentile(sorted_values, share):
    return sorted_values[min(len(sorted_values) - 1, int(share * len(sorted_values)))]


def milliseconds(latencies, share):
    return f"{1e3 * percentile(sorted(latencies), share):.0f}" if latencies else "–"


def mebibytes(size):
    return f"{size / (1 << 20):.1f}"


def tokens_per_s(tally):
    return tally["tokens"] / tally["seconds"] if tally["seconds"] else 0


def row(name, tally):
    """tally: the fields of measure.load.Tally."""
    return [name, f"{len(tally['latencies']) / max(tally['seconds'], 1e-9):.1f}", f"{tokens_per_s(tally):.0f}",
            milliseconds(tally["latencies"], 0.5), milliseconds(tally["latencies"], 0.99),
            milliseconds(tally["firsts"], 0.5), milliseconds(tally["firsts"], 0.99),
            str(tally["errors"]), str(tally["differing"])]


def times(rate, other):
    return f"{rate / other:.2f}" if other else "–"


def ratios(results):
    """The gain from batching and the cost of serving: tokens per second of all clients relative to one
    client, and (for our server only) relative to the program without a server."""
    for server in results["servers"]:
        if "alone" not in server:
            continue
        rate = tokens_per_s(server["together"])
        parts = [f"{times(rate, tokens_per_s(server['alone']))} × one after the other"]
        if results.get("own") and server is results["servers"][0]:
            parts.append(f"{times(rate, results['own']['tokens_per_s'])} × {results['own']['what']}")
        yield f"{server['name']}, {results['clients']} clients: " + ", ".join(parts)


HEAD = ["", "requests/s", "tokens/s", "p50 ms", "p99 ms", "first text p50", "p99", "errors", "differ"]


def text(results):
    lines = [f"{results['processor']}; {results['program']}, {results['kind']}: {results['what']}; "
             f"{results['threads']} threads, {results['clients']} clients"]
    rows = [HEAD]
    for server in results["servers"]:
        if "alone" in server:
            rows.append(row(f"{server['name']}, one after the other", server["alone"]))
        rows.append(row(f"{server['name']}, {results['clients']} clients", server["together"]))
    lines += table.aligned(rows)
    if results.get("own"):
        rate = results["own"]["tokens_per_s"]
        lines.append(f"{results['own']['what']}: {'–' if rate is None else f'{rate:.0f}'} tokens/s")
    lines += ratios(results)
    for server in results["servers"]:
        memory = server["memory"]
        lines.append(f"{server['name']}, MiB in memory: {mebibytes(memory['before']['all'])} before, "
                     f"{mebibytes(memory['after']['peak'])} at most, {mebibytes(memory['after']['all'])} after; "
                     f"without mapped files {mebibytes(memory['before']['own'])} before, "
                     f"{mebibytes(memory['after']['own'])} after")
        for done, then in memory.get("on the way", []):
            lines.append(f"  after {done} requests {mebibytes(then['all'])}, without mapped files "
                         f"{mebibytes(then['own'])}")
        busy = server["together"]
        lines.append(f"  codes {busy['statuses']}, {busy['left']} clients left early; clients took "
                     f"{100 * busy['processor'] / max(busy['seconds'], 1e-9):.0f} % of a processor")
    lines.append(f"clients alone, on a server that computes nothing: {results['clients_alone']:.0f} requests/s")
    return "\n".join(lines) + "\n"
