"""Lines, bands, points and cells as a self-contained SVG file, for users without a plotting library.

It follows the reader's light or dark ground. Colours can be distinguished by people with colour blindness (Okabe and Ito),
and shapes and dashes say the same once more.
"""

from html import escape

import numpy as np

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 400, 70, 620, 70, 350
SHAPES = {
    "circle": "M{x:.1f} {y:.1f}m-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0",
    "square": "M{x:.1f} {y:.1f}m-4-4h8v8h-8z",
    "triangle": "M{x:.1f} {y:.1f}m0-6l5.5 9.5h-11z",
}
STYLE = """text{font-family:Helvetica,Arial,sans-serif;font-size:13px;fill:#222}.title{font-size:16px;font-weight:bold}
.ground{fill:#fff}.grid{stroke:#888;stroke-opacity:.3}.edge{stroke:#fff;stroke-width:.7}.blue{color:#0072b2}.orange{color:#d55e00}
.green{color:#008a64}.grey{color:#767676}@media(prefers-color-scheme:dark){text{fill:#e8e8e8}.ground{fill:#16181c}
.edge{stroke:#16181c}.blue{color:#56b4e9}.orange{color:#ff8c42}.green{color:#2cc79b}.grey{color:#a6a6a6}}"""


class Picture:
    """One panel. Say what is in it in the order in which it is drawn, then save it."""

    def __init__(self, title, x, y, x_range, y_range, log_y=False):
        self.title, self.names, self.log_y = title, (x, y), log_y
        self.x_range, self.y_range = x_range, np.log10(y_range) if log_y else y_range
        self.parts, self.keys = [], []

    def _at(self, x, y):
        """Where a point lies; what is outside of the panel is put on its edge."""
        (x0, x1), (y0, y1) = self.x_range, self.y_range
        across = (np.asarray(x, float) - x0) / (x1 - x0)
        up = ((np.log10(y) if self.log_y else np.asarray(y, float)) - y0) / (y1 - y0)
        return LEFT + np.clip(across, 0, 1) * (RIGHT - LEFT), BOTTOM - np.clip(up, 0, 1) * (BOTTOM - TOP)

    def _path(self, x, y):
        return "M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in zip(*self._at(x, y)))

    def line(self, x, y, colour, label="", dashes="none"):
        look = f'class="{colour}" fill="none" stroke="currentColor" stroke-width="2" stroke-dasharray="{dashes}"'
        self.parts.append(f'<path {look} d="{self._path(x, y)}"/>')
        self._key(label, f'<path {look} d="M0-4h20"/>')

    def band(self, x, low, high, colour):
        there_and_back = self._path(np.r_[x, x[::-1]], np.r_[high, low[::-1]])
        self.parts.append(f'<path class="{colour}" fill="currentColor" fill-opacity="0.2" d="{there_and_back}Z"/>')

    def points(self, x, y, colour, label="", shape="circle"):
        look = f'class="{colour} edge" fill="currentColor"'
        marks = "".join(SHAPES[shape].format(x=a, y=b) for a, b in zip(*self._at(x, y)))
        self.parts.append(f'<path {look} d="{marks}"/>')
        self._key(label, f'<path {look} d="{SHAPES[shape].format(x=10, y=-4)}"/>')

    def cells(self, x, y, shares):
        """A grid of rectangles around x and y: orange where shares[j][i] is 1, blue where it is 0, nothing at one half."""
        half_width, half_height = (RIGHT - LEFT) / (len(x) - 1) / 2, (BOTTOM - TOP) / (len(y) - 1) / 2
        boxes = {}
        for b, row in zip(y, np.round(np.asarray(shares) * 20) / 20):
            edges = np.flatnonzero(np.diff(row, prepend=np.nan, append=np.nan))  # where the next shade begins
            for first, after in zip(edges, edges[1:]):
                (left, right), middle = self._at([x[first], x[after - 1]], [b, b])
                left, right = max(left - half_width, LEFT), min(right + half_width, RIGHT)
                top, bottom = max(middle[0] - half_height, TOP), min(middle[0] + half_height, BOTTOM)
                boxes.setdefault(row[first], []).append(f"M{left:.1f} {top:.1f}H{right:.1f}V{bottom:.1f}H{left:.1f}z")
        for share, paths in sorted(boxes.items()):
            look = f'class="{"orange" if share > 0.5 else "blue"}" fill="currentColor" fill-opacity="{abs(share - 0.5):.2f}"'
            self.parts.append(f'<path {look} d="{"".join(paths)}"/>')

    def _key(self, label, mark):
        if label:
            self.keys.append((label, mark))

    def _axes(self):
        (x0, x1), (y0, y1) = self.x_range, self.y_range
        for value in _round_numbers(x0, x1):
            across = LEFT + (value - x0) / (x1 - x0) * (RIGHT - LEFT)
            yield f'<text text-anchor="middle" x="{across:.1f}" y="{BOTTOM + 18}">{value:g}</text>'
        values = [m * 10.0**e for e in range(-9, 9) for m in (1, 2, 5)] if self.log_y else _round_numbers(y0, y1)
        for value in values:
            place = np.log10(value) if self.log_y else value
            if y0 <= place <= y1:
                up = BOTTOM - (place - y0) / (y1 - y0) * (BOTTOM - TOP)
                yield f'<path class="grid" d="M{LEFT} {up:.1f}H{RIGHT}"/>'
                yield f'<text text-anchor="end" x="{LEFT - 8}" y="{up + 4:.1f}">{value:g}</text>'
        middle = (TOP + BOTTOM) / 2
        yield f'<text text-anchor="middle" x="{(LEFT + RIGHT) / 2}" y="{HEIGHT - 12}">{escape(self.names[0])}</text>'
        yield f'<text text-anchor="middle" transform="translate(18 {middle})rotate(-90)">{escape(self.names[1])}</text>'

    def _legend(self):
        across = LEFT
        for label, mark in self.keys:
            yield f'<g transform="translate({across:.0f} 56)">{mark}<text x="26">{escape(label)}</text></g>'
            across += 50 + 7 * len(label)

    def save(self, path):
        head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img">'
        about = f'<title>{escape(self.title)}</title><style>{STYLE}</style><rect class="ground" width="100%" height="100%"/>'
        title = f'<text class="title" x="{LEFT}" y="30">{escape(self.title)}</text>'
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join([head, about, title, *self._axes(), *self._legend(), *self.parts, "</svg>\n"]))


def _round_numbers(low, high, about=6):
    """Numbers that people like, at equal distances."""
    rough = (high - low) / about
    step = min((m * 10.0 ** np.floor(np.log10(rough)) for m in (1, 2, 5, 10)), key=lambda one: abs(one - rough))
    return np.arange(np.ceil(low / step - 1e-9), np.floor(high / step + 1e-9) + 1) * step + 0.0  # no -0
