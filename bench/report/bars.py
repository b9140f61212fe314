# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results as bars in an SVG; a line through each bar shows the range from the lowest to the
highest round."""

from html import escape

COLOURS = ["#2266aa", "#bb5533", "#558833", "#886699", "#aa8822", "#777777"]
LEFT, WIDTH, BAR = 110, 460, 13


class Drawing:
    def __init__(self):
        self.parts, self.y = [], 10

    def text(self, x, words, size=12, colour="#222222"):
        self.parts.append(f'<text x="{x}" y="{self.y + 10}" font-size="{size}" fill="{colour}">'
                          f'{escape(words)}</text>')

    def bar(self, figures, most, label, colour):
        """figures: median, low and high."""
        scale = WIDTH / most
        middle, end = self.y + BAR / 2 - 1, figures["high"] * scale
        self.parts.append(
            f'<rect x="{LEFT}" y="{self.y}" width="{figures["median"] * scale:.1f}" '
            f'height="{BAR - 2}" fill="{colour}"/><line x1="{LEFT + figures["low"] * scale:.1f}" '
            f'x2="{LEFT + end:.1f}" y1="{middle}" y2="{middle}" stroke="#222222"/>')
        self.text(LEFT + 6 + end, label, 10)
        self.y += BAR

    def panel(self, title, groups):
        """groups: label -> [(name, figures, label of the bar)]."""
        colours = {}
        for bars in groups.values():
            for name, *_ in bars:
                colours.setdefault(name, COLOURS[len(colours) % len(COLOURS)])
        self.text(10, title, 14)
        self.y += 20
        for k, (name, colour) in enumerate(colours.items()):
            self.text(LEFT + 130 * k, name, 12, colour)
        self.y += 18
        most = max(figures["high"] for bars in groups.values() for _, figures, _ in bars)
        for group, bars in groups.items():
            self.text(10, group)
            for name, figures, label in bars:
                self.bar(figures, most, label, colours[name])
            self.y += 8
        self.y += 14

    def svg(self):
        return (f'<svg xmlns="http://www.w3.org/2000/svg" width="760" height="{self.y}" '
                'font-family="sans-serif"><rect width="100%" height="100%" fill="white"/>'
                f'{"".join(self.parts)}</svg>\n')


def with_share(text, share):
    return text if share is None else f"{text}, {100 * share:.0f} %"


def encoder(drawing, found):
    groups = {}
    for row in found["rows"]:
        # Microseconds per token, so that all shapes have the same scale.
        groups[row["shape"]] = [
            (name, {key: value * 1e3 / row["tokens"] for key, value in figures.items()},
             with_share(f"{figures['median'] * 1e3 / row['tokens']:.1f} µs/token",
                        row.get("share", {}).get(name)))
            for name, figures in row["ms"].items()]
    drawing.panel(f"{found['model']}, {found['precision']}, {found['threads']} thread(s): "
                  "shorter is faster", groups)


def decoder(drawing, found):
    for row in found["rows"]:
        drawing.panel(f"{found['model']}, {found['threads']} thread(s), {row['what']}: longer "
                      "is faster",
                      {"": [(name, figures, with_share(f"{figures['median']:.0f} tokens/s",
                                                       row["share"].get(name)))
                            for name, figures in row["per_s"].items()]})


def svg(results):
    drawing = Drawing()
    drawing.text(10, f"{results['processor']}, medians of {results['rounds']} rounds; % of what "
                     "the machine can do")
    drawing.y += 26
    for found in results["encoders"]:
        encoder(drawing, found)
    for found in results["decoders"]:
        decoder(drawing, found)
    return drawing.svg()
