# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Time per token over a size, both axes logarithmic (base 2); cliffs are red."""

import math
from html import escape

from report.bars import COLOURS

LEFT, TOP, WIDTH, HEIGHT = 70, 40, 560, 260


class Axis:
    """An axis from the power of two below all values to the one above."""

    def __init__(self, values, start, extent):
        self.low = math.floor(math.log2(min(values)))
        self.high = max(math.ceil(math.log2(max(values))), self.low + 1)
        self.start, self.extent = start, extent

    def place(self, value):
        share = (math.log2(value) - self.low) / (self.high - self.low)
        return self.start + share * self.extent

    def ticks(self):
        return [2.0 ** power for power in range(self.low, self.high + 1)]


def microseconds(point):
    return 1e3 * point["milliseconds"] / point["tokens"]


def text(x, y, words, colour="#222222", anchor="start"):
    return (f'<text x="{x:.0f}" y="{y:.0f}" font-size="11" fill="{colour}" '
            f'text-anchor="{anchor}">{escape(words)}</text>')


def line(x1, y1, x2, y2, colour, width=1.0):
    return (f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" '
            f'stroke-width="{width}"/>')


def plot(series, over, top):
    """A plot of all series over the same variable."""
    points = [point for each in series for point in each["points"]]
    x = Axis([point["size"] for point in points], LEFT, WIDTH)
    y = Axis([microseconds(point) for point in points], top + TOP + HEIGHT, -HEIGHT)
    parts = [text(LEFT, top + 16, f"µs for each token, over {over}")]
    for tick in x.ticks():
        parts += [line(x.place(tick), y.start, x.place(tick), y.start - HEIGHT, "#dddddd"),
                  text(x.place(tick), y.start + 16, f"{tick:g}", anchor="middle")]
    for tick in y.ticks():
        parts += [line(LEFT, y.place(tick), LEFT + WIDTH, y.place(tick), "#dddddd"),
                  text(LEFT - 6, y.place(tick) + 4, f"{tick:g}", anchor="end")]
    for number, each in enumerate(series):
        colour = COLOURS[number % len(COLOURS)]
        places = {point["size"]: (x.place(point["size"]), y.place(microseconds(point)))
                  for point in each["points"]}
        jumps = [{cliff["from"], cliff["to"]} for cliff in each["cliffs"]]
        for (small, start), (large, end) in zip(places.items(), list(places.items())[1:]):
            is_cliff = {small, large} in jumps
            parts.append(line(*start, *end, "#dd0000" if is_cliff else colour,
                              3 if is_cliff else 1.5))
        parts += [f'<circle cx="{px:.1f}" cy="{py:.1f}" r="2.5" fill="{colour}"/>'
                  for px, py in places.values()]
        parts.append(text(LEFT + 170 * number, top + 32,
                          f"{each['what']}, {each['threads']} thread(s)", colour))
    return parts


def svg(results):
    parts, top = [text(10, 16, f"{results['program']} on {results['processor']}")], 16
    for over in dict.fromkeys(each["over"] for each in results["series"]):
        parts += plot([each for each in results["series"] if each["over"] == over], over, top)
        top += TOP + HEIGHT + 40
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="760" height="{top}" '
            'font-family="sans-serif"><rect width="100%" height="100%" fill="white"/>'
            f'{"".join(parts)}</svg>\n')


def table(results):
    for each in results["series"]:
        yield f"{each['what']}, {each['threads']} thread(s), over {each['over']}"
        for point in each["points"]:
            rate = (f"{point['operations'] / point['milliseconds'] / 1e6:8.1f} GFLOP/s"
                    if point["operations"] else "")
            yield (f"  {point['size']:6} {point['milliseconds']:11.2f} ms "
                   f"{microseconds(point):9.1f} µs/token {rate}").rstrip()
        for cliff in each["cliffs"]:
            yield f"  cliff from {cliff['from']} to {cliff['to']}: {cliff['why']}"
        if not each["cliffs"]:
            yield "  no cliff"
