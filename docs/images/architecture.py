#!/usr/bin/env python3
"""Draws architecture.svg, the picture of docs/architecture.md: python3 docs/images/architecture.py > docs/images/architecture.svg"""

INK, LINE, FILL, BASE, MUTED = "#1c2733", "#47617a", "#eef3f8", "#f6f1e4", "#55626f"

# folder: place in the order of includes (if one), x, y, width, what it answers
BOXES = {
    "settings, study": ("", 30, 130, 190, "8, 9: file or settings", "as values"),
    "model": (5, 330, 130, 190, "what is known", "about f"),
    "acquisition": (6, 606, 130, 174, "Information: what an", "answer is worth"),
    "selection": (7, 850, 130, 190, "which candidate", "to buy next"),
    "campaign, upkeep": ("", 330, 370, 190, "12, 13: what has happened,", "what comes next"),
    "conduct": (14, 606, 370, 174, "the loop of run,", "retries, jobs"),
    "annotation": (10, 850, 370, 190, "programs and", "simulations that answer"),
    "explain, judgement": ("", 30, 370, 190, "15, 16: why this one,", "may it be trusted"),
    "views, pictures, pages": ("", 30, 510, 190, "18 to 20: what is shown,", "as data, SVG, HTML"),
    "store": (11, 330, 510, 190, "SQLite, PostgreSQL,", "memory"),
    "service": (21, 606, 510, 174, "HTTP, roles,", "labelling, the page"),
}
STRIPS = [
    (30, 14, 1010, 40, "apps/acuity: the program.  python/: bindings and package.  They may use every folder below.", FILL),
    (30, 630, 1010, 40, "17  experiments: the data sets and runs of the paper, with a loop of their own over model, acquisition, selection", FILL),
    (30, 682, 1010, 40, "4  text: how results are written: tables, CSV, JSON", BASE),
    (30, 734, 1010, 40, "3  data: Points, Pool, Level, Channel, Offer, Annotation, Observation, Table (the values that all folders share)", BASE),
    (30, 786, 1010, 40, "2  numerics: kernels per instruction set, Cholesky factor, random draws, normal tails, formulas", BASE),
    (30, 838, 1010, 40, "1  base: errors, text helpers, clock, checksums, threads, ranks", BASE),
]
HEIGHT = 80

# Points of an arrow, the place of its label, the types that pass
ARROWS = [
    ([(220, 170), (330, 170)], (275, 160), ["Prior, Pool"]),
    ([(520, 170), (606, 170)], (563, 160), ["Marginals"]),
    ([(780, 170), (850, 170)], (815, 160), ["Score"]),
    ([(125, 130), (125, 88), (945, 88), (945, 130)], (535, 80), ["Offer (Level, Channel), Acquisition, Candidates"]),
    ([(470, 210), (470, 250), (910, 250), (910, 210)], (690, 242), ["PoolBelief"]),
    ([(945, 210), (945, 310), (495, 310), (495, 370)], (690, 302), ["Suggestion"]),
    ([(520, 392), (606, 392)], (563, 382), ["Suggestion"]),
    ([(606, 432), (520, 432)], (563, 450), ["Answer"]),
    ([(780, 392), (850, 392)], (815, 382), ["Request"]),
    ([(850, 432), (780, 432)], (815, 450), ["Reply"]),
    ([(380, 370), (380, 210)], (372, 340), ["Annotation,", "Observation"]),
    ([(125, 210), (125, 290), (345, 290), (345, 370)], (228, 282), ["Study"]),
    ([(330, 410), (220, 410)], (275, 398), ["State"]),
    ([(125, 450), (125, 510)], (118, 485), ["CalibrationVerdict,", "Explanation"]),
    ([(425, 450), (425, 510)], (416, 485), ["Event"]),
    ([(606, 550), (563, 550), (563, 470), (490, 470), (490, 450)], (525, 487), ["Answer"]),
    ([(220, 580), (250, 580), (250, 612), (692, 612), (692, 590)], (455, 606), ["CampaignData"]),
]


def text(x, y, words, size=14, anchor="middle", colour=INK, weight="normal"):
    return (f'<text x="{x}" y="{y}" font-size="{size}" text-anchor="{anchor}" fill="{colour}" '
            f'font-weight="{weight}">{words}</text>')


def box(name, order, x, y, width, *lines):
    parts = [f'<rect x="{x}" y="{y}" width="{width}" height="{HEIGHT}" rx="6" fill="{FILL}" stroke="{LINE}"/>',
             text(x + 12, y + 24, str(order), 13, "start", MUTED),
             text(x + width / 2, y + 25, name, 16 if order else 14, weight="bold")]
    parts += [text(x + width / 2, y + 47 + 18 * k, line, 13, colour=MUTED) for k, line in enumerate(lines)]
    return parts


def main():
    parts = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1070 894" font-family="DejaVu Sans, Helvetica, Arial, sans-serif">',
             "<title>The folders of acuity and the types that pass between them</title>",
             '<defs><marker id="head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto">'
             f'<path d="M0 0 10 5 0 10z" fill="{LINE}"/></marker></defs>',
             '<rect width="1070" height="894" fill="#ffffff"/>']
    for x, y, width, height, words, fill in STRIPS:
        parts.append(f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="6" fill="{fill}" stroke="{LINE}"/>')
        parts.append(text(x + 14, y + 25, words, 13, "start"))
    for name, values in BOXES.items():
        parts += box(name, *values)
    for points, (x, y), lines in ARROWS:
        way = " ".join(f"{a},{b}" for a, b in points)
        parts.append(f'<polyline points="{way}" fill="none" stroke="{LINE}" stroke-width="1.5" marker-end="url(#head)"/>')
        vertical = len(points) == 2 and points[0][0] == points[1][0]
        anchor = "end" if vertical and lines == ["Suggestion"] else "start" if vertical else "middle"
        shift = 16 if anchor == "start" else 0
        parts += [text(x + shift, y + 17 * k, line, 13, anchor) for k, line in enumerate(lines)]
    print("\n".join(parts + ["</svg>"]))


main()
