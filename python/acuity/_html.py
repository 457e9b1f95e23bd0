"""How a campaign is shown in Jupyter: static, no script, readable on light and dark."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any

import numpy as np

from ._inputs import any_named

if TYPE_CHECKING:
    from ._campaign import Campaign

# Distinguishable with colour blindness, and readable on light and dark backgrounds.
BLUE, YELLOW, ORANGE = "#2080c0", "#e69f00", "#d55e00"
WIDTH = 320


def _is_control(code: int) -> bool:
    """What changes the look of other characters, or is no character at all: as src/numerics/text.cpp has it."""
    return (
        code < 0x20
        or 0x7F <= code <= 0x9F
        or code in (0x61C, 0x200E, 0x200F, 0xFEFF, 0xFFFE, 0xFFFF)
        or 0x2028 <= code <= 0x202E
        or 0x2066 <= code <= 0x2069
        or 0xD800 <= code <= 0xDFFF
    )


def one_line(text: str) -> str:
    """Text from data on one line: control characters as escapes."""
    return "".join(repr(letter)[1:-1] if _is_control(ord(letter)) else letter for letter in text)


def escape(text: str) -> str:
    """Text from data between tags or in a quoted attribute; the only way of text into a page."""
    return html.escape(one_line(text), quote=True)


def _number(value: float) -> str:
    return f"{value:.6g}"


def table_html(title: str, rows: dict[str, Any]) -> str:
    """Names and values as a small table."""
    cells = "".join(
        f'<tr><td style="text-align:left"><b>{escape(str(name))}</b></td><td style="text-align:left">{escape(_shown(value))}</td></tr>'
        for name, value in rows.items()
    )
    return f"<table><caption>{escape(title)}</caption>{cells}</table>"


def columns_html(columns: dict[str, Any], most: int = 10) -> str:
    """Columns of numbers as a table: the first rows, and how many there are."""
    count = len(next(iter(columns.values())))
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(_shown(values[k]))}</td>" for values in columns.values()) + "</tr>" for k in range(min(count, most))
    )
    more = f"<div>{count} rows, the first {most} shown</div>" if count > most else ""
    return f"<table><tr>{head}</tr>{body}</table>{more}"


def _shown(value: Any) -> str:
    if isinstance(value, (float, np.floating)):
        return _number(float(value))
    text = str(value)
    return text if len(text) <= 200 else text[:190] + " ..."


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="11" fill="currentColor">{escape(text)}</text>'


def _svg(height: float, about: str, content: str) -> str:
    return f'<svg style="display:block" width="{WIDTH + 2}" height="{height:.0f}" role="img" aria-label="{escape(about)}">{content}</svg>'


def _bar(status: dict[str, Any], unit: str) -> str:
    budget, spent, escrow = status["budget"], status["spent"], status["escrow"]
    money = f"{_number(spent)} of {_number(budget)}" if np.isfinite(budget) else _number(spent)
    money += f"{' ' + unit if unit else ''} spent, {_number(escrow)} reserved"
    words = f"<div>{escape(money)}</div>"
    if not np.isfinite(budget) or budget <= 0:
        return words
    first = min(1.0, spent / budget) * WIDTH
    second = min(WIDTH - first, escrow / budget * WIDTH)
    frame = f'<rect x="0.5" y="0.5" width="{WIDTH + 1}" height="13" fill="none" stroke="currentColor" stroke-opacity="0.5"/>'
    filled = f'<rect x="1" y="1" width="{first:.1f}" height="12" fill="{BLUE}"/>'
    held = f'<rect x="{1 + first:.1f}" y="1" width="{second:.1f}" height="12" fill="{YELLOW}"/>'
    return _svg(14, money, frame + filled + held) + words


def _row(cells: list[str], tag: str) -> str:
    return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"


def _cell(campaign: "Campaign", name: str, value: Any) -> str:
    if name == "y" and campaign.classes:
        return campaign.classes[int(value > 0)]
    if isinstance(value, (float, np.floating)):
        return "" if np.isnan(value) else f"{value:.4g}"  # nan: only its noise is known
    return "" if value is None else str(value)


def _last(campaign: "Campaign", count: int = 5) -> str:
    columns = campaign.annotations(frame=False)
    if not len(columns["id"]):
        return "<div>no answers yet</div>"
    shown = ["id", "point", "alpha" if "alpha" in columns else "level", "y", "cost"]
    rows = [_row([*shown[:-1], f"cost ({campaign.unit})" if campaign.unit else "cost"], "th")]
    for i in range(max(0, len(columns["id"]) - count), len(columns["id"])):
        cells = [_cell(campaign, name, columns[name][i]) for name in shown]
        if not campaign.binary:  # the standard deviation of its noise
            cells[3] += f" ± {np.sqrt(columns['noise_variance'][i]):.2g}"
        rows.append(_row(cells, "td"))
    return '<table style="color:inherit;margin:0">' + "".join(rows) + "</table>"


_MAPS: dict[str, Any] = {"log": np.log, "fraction": lambda y: np.arcsin(np.sqrt(y)), "rate": np.sqrt}


def _curve(campaign: "Campaign") -> str:
    """The belief along one input, with the answers."""
    low, high = float(campaign.pool.min()), float(campaign.pool.max())
    x = np.linspace(low, high, 121)
    mean, variance = campaign.latent(x[:, None])
    sd = np.sqrt(variance)
    columns = campaign.annotations(frame=False)
    inside = (columns[campaign.inputs[0]] >= low) & (columns[campaign.inputs[0]] <= high)
    dots, answers = columns[campaign.inputs[0]][inside], columns["y"][inside]
    if campaign.binary:
        dots, answers = dots[:0], answers[:0]
    elif campaign.scale != "linear":
        answers = _MAPS[campaign.scale](answers)  # the scale of mean and sd
    below, above = mean - 2 * sd, mean + 2 * sd
    bottom, top = float(np.min([*below, *answers])), float(np.max([*above, *answers]))
    height = 120.0
    across = WIDTH / (high - low) if high > low else 0.0
    up = height / (top - bottom) if top > bottom else 0.0

    def at(a: float, b: float) -> tuple[float, float]:
        return 1 + (a - low) * across, 4 + height - (b - bottom) * up

    def path(a: Any, b: Any) -> str:
        return " ".join("{:.1f},{:.1f}".format(*at(*pair)) for pair in zip(a, b))

    drawn = f'<polygon points="{path([*x, *x[::-1]], [*above, *below[::-1]])}" fill="{BLUE}" fill-opacity="0.25"/>'
    drawn += f'<polyline points="{path(x, mean)}" fill="none" stroke="{BLUE}" stroke-width="1.5"/>'
    for a, b in zip(dots.tolist(), answers.tolist()):
        across_at, down_at = at(a, b)
        drawn += f'<circle cx="{across_at:.1f}" cy="{down_at:.1f}" r="2.5" fill="{ORANGE}"/>'
    drawn += _text(1, height + 20, _number(low), "start") + _text(WIDTH + 1, height + 20, _number(high), "end")
    drawn += _text(WIDTH / 2, height + 20, campaign.inputs[0][:30], "middle")
    what = "the latent f" if campaign.binary else campaign.target or "f"
    what = {"log": "the logarithm of ", "fraction": "the arcsine of the root of ", "rate": "the root of "}.get(campaign.scale, "") + what
    return _svg(height + 26, f"the belief about {what}, two standard deviations either side, and the answers", drawn)


def _spend(campaign: "Campaign", status: dict[str, Any]) -> str:
    """What was spent on each precision, if there is more than one input."""
    levels = sorted(status["levels"], key=lambda level: -float(level["spent"]))[:8]
    if not levels:
        return ""
    most = max(float(level["spent"]) for level in levels) or 1.0
    bars = ""
    for i, level in enumerate(levels):
        length = (WIDTH - 170.0) * float(level["spent"]) / most
        bars += _text(98, 16 * i + 12, str(level["level"])[:16], "end")
        bars += f'<rect x="104" y="{16 * i + 2}" width="{length:.1f}" height="12" fill="{BLUE}"/>'
        unit = " " + campaign.unit[:12] if campaign.unit else ""
        bars += _text(108 + length, 16 * i + 12, _number(float(level["spent"])) + unit, "start")
    return _svg(16 * len(levels) + 4, f"what was spent on each level{', in ' + campaign.unit if campaign.unit else ''}", bars)


def campaign_html(campaign: "Campaign") -> str:
    """Budget bar, counts, last annotations, one small picture."""
    status = campaign.status()
    where = escape(campaign.address) if campaign.address else "in memory"
    counts = f"{status['annotations']} annotations, {status['pending']} pending, {status['failed']} failed"
    one_number = len(campaign.inputs) == 1 and not any_named(campaign.inputs)
    picture = _curve(campaign) if one_number else _spend(campaign, status)
    return (
        '<div style="display:flex;flex-wrap:wrap;gap:0.5em 2em;align-items:flex-start;line-height:1.5"><div>'
        f"<div><b>{escape(campaign.name)}</b> ({where})</div>{_bar(status, campaign.unit)}<div>{counts}</div>{picture}</div>"
        f"<div>{_last(campaign)}</div></div>"
    )
