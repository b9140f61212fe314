# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A strict parser of the metrics at /metrics, following Prometheus' text format 0.0.4."""

import re

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\"n])*"'
HELP = re.compile(rf"# HELP ({NAME}) (\S.*)")
TYPE = re.compile(rf"# TYPE ({NAME}) (counter|gauge|histogram)")
SAMPLE = re.compile(rf"({NAME})(?:\{{({LABEL}(?:,{LABEL})*)\}})? (\S+)")
SUFFIXES = {"counter": [""], "gauge": [""], "histogram": ["_bucket", "_sum", "_count"]}


def families(text):
    """The type of each metric, and its samples: triples of a name, labels and a number."""
    assert text.endswith("\n"), text[-100:]
    found, current = {}, None
    lines = iter(text.splitlines())
    for line in lines:
        if line.startswith("#"):
            told, kind = HELP.fullmatch(line), TYPE.fullmatch(next(lines, ""))
            assert told and kind and told[1] == kind[1], f"no HELP and then TYPE of one name: {line}"
            current = told[1]
            assert current not in found, f"{current} is there twice"
            found[current] = (kind[2], [])
            continue
        sample = SAMPLE.fullmatch(line)
        assert sample and current, f"no sample: {line}"
        kind, samples = found[current]
        assert sample[1] in [current + suffix for suffix in SUFFIXES[kind]], f"not of {current}: {line}"
        samples.append((sample[1], tuple(re.findall(LABEL, sample[2] or "")), float(sample[3])))
    return found


def check_histogram(name, samples):
    """Checks for each set of labels: the cumulative counts of the bounds, the last of which is
    +Inf, a sum and a count."""
    numbers = {(sample, labels): value for sample, labels, value in samples}
    for labels in {labels for sample, labels, _ in samples if sample == name + "_count"}:
        bounds = [(float(re.search(r'le="([^"]*)"', ",".join(each))[1]), value) for sample, each, value in samples
                  if sample == name + "_bucket" and tuple(x for x in each if not x.startswith("le=")) == labels]
        assert bounds and bounds == sorted(bounds), (name, labels, bounds)
        assert [value for _, value in bounds] == sorted(value for _, value in bounds), (name, labels, bounds)
        assert bounds[-1] == (float("inf"), numbers[name + "_count", labels]), (name, labels, bounds)
        assert numbers[name + "_sum", labels] >= 0
    assert len({labels for sample, labels, _ in samples if sample == name + "_sum"}) \
        == len({labels for sample, labels, _ in samples if sample == name + "_count"})


def check(server):
    """Checks and returns all metrics of a server."""
    connection = server.connect()
    connection.request("GET", "/metrics")
    response = connection.getresponse()
    text = response.read().decode("utf-8")
    connection.close()
    assert response.status == 200 and response.getheader("Content-Type") == "text/plain; version=0.0.4"
    found = families(text)
    assert {"transfold_requests_total", "transfold_request_seconds", "transfold_active_requests"} <= set(found)
    for name, (kind, samples) in found.items():
        series = [(sample, labels) for sample, labels, _ in samples]
        assert len(set(series)) == len(series), f"{name} has a series twice: {series}"
        assert name.endswith("_total") == (kind == "counter"), (name, kind)
        assert kind == "gauge" or all(value >= 0 for _, _, value in samples), samples
        for _, labels, _ in samples:
            names = [label.partition("=")[0] for label in labels]
            assert len(set(names)) == len(names), labels
        if kind == "histogram":
            check_histogram(name, samples)
    return found
