"""How a campaign shows itself in Jupyter: static, no script, readable on light and dark."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ._campaign import Campaign

# Told apart by people who do not see all colours, and on light as on dark (Okabe and Ito).
SPENT, HELD, MEAN, POINT = "#0072b2", "#e69f00", "#0072b2", "#d55e00"


def _number(value: float) -> str:
    return f"{value:.6g}"


def _bar(status: dict[str, Any], unit: str) -> str:
    budget, spent, escrow = status["budget"], status["spent"], status["escrow"]
    money = f"{_number(spent)} spent"
    if np.isfinite(budget):
        money = f"{_number(spent)} of {_number(budget)} spent"
    money += f"{' (' + escape(unit) + ')' if unit else ''}, {_number(escrow)} in escrow"
    if not np.isfinite(budget) or budget <= 0:
        return f"<div>{money}</div>"
    first = min(1.0, spent / budget) * 300
    second = min(300 - first, escrow / budget * 300)
    return (
        f'<svg width="302" height="14" role="img" aria-label="{money}"><rect x="0.5" y="0.5" width="301" height="13" '
        f'fill="none" stroke="currentColor" stroke-opacity="0.5"/><rect x="1" y="1" width="{first:.1f}" height="12" '
        f'fill="{SPENT}"/><rect x="{1 + first:.1f}" y="1" width="{second:.1f}" height="12" fill="{HELD}"/></svg>'
        f"<div>{money}</div>"
    )


def _row(cells: list[str], tag: str) -> str:
    return "<tr>" + "".join(f"<{tag}>{cell}</{tag}>" for cell in cells) + "</tr>"


def _last(campaign: "Campaign", count: int = 5) -> str:
    columns = campaign.annotations(frame=False)
    if not len(columns["id"]):
        return "<div>no answers yet</div>"
    shown = ["id", "point", "alpha" if "alpha" in columns else "level", "y", "cost"]
    rows = [_row(shown, "th")]
    for i in range(max(0, len(columns["id"]) - count), len(columns["id"])):
        cells = []
        for name in shown:
            value = columns[name][i]
            cells.append(_number(float(value)) if isinstance(value, (float, np.floating)) else escape(str(value)))
        rows.append(_row(cells, "td"))
    return "<table>" + "".join(rows) + "</table>"


def _curve(campaign: "Campaign") -> str:
    """The belief along one input, with the answers."""
    low, high = float(campaign.pool.min()), float(campaign.pool.max())
    x = np.linspace(low, high, 121)[:, None]
    mean, variance = campaign.latent(x)
    sd = np.sqrt(variance)
    columns = campaign.annotations(frame=False)
    dots, answers = columns[campaign.inputs[0]], columns["y"]
    below, above = mean - 2 * sd, mean + 2 * sd
    if campaign.binary:
        answers = np.empty(0)
    bottom = float(min([below.min(), *answers])) if len(answers) else float(below.min())
    top = float(max([above.max(), *answers])) if len(answers) else float(above.max())
    width, height = 300.0, 110.0
    across = width / (high - low) if high > low else 0.0
    up = height / (top - bottom) if top > bottom else 0.0

    def at(a: float, b: float) -> str:
        return f"{1 + (a - low) * across:.1f},{1 + height - (b - bottom) * up:.1f}"

    band = " ".join([at(a, b) for a, b in zip(x[:, 0], above)] + [at(a, b) for a, b in zip(x[::-1, 0], below[::-1])])
    line = " ".join(at(a, b) for a, b in zip(x[:, 0], mean))
    marks = ""
    for a, b in zip(dots, answers):
        horizontal, vertical = at(float(a), float(b)).split(",")
        marks += f'<circle cx="{horizontal}" cy="{vertical}" r="2" fill="{POINT}"/>'
    return (
        f'<svg width="{width + 2:.0f}" height="{height + 2:.0f}" role="img" aria-label="the belief about f, two standard '
        f'deviations either side, and the answers"><polygon points="{band}" fill="{MEAN}" fill-opacity="0.25"/>'
        f'<polyline points="{line}" fill="none" stroke="{MEAN}" stroke-width="1.5"/>{marks}</svg>'
    )


def _spend(campaign: "Campaign") -> str:
    """What was spent on each precision, where there is more than one input."""
    levels = campaign.status()["levels"]
    if not levels:
        return ""
    most = max(level["spent"] for level in levels) or 1.0
    shown = sorted(levels, key=lambda level: -float(level["spent"]))[:8]
    height = 16 * len(shown) + 2
    bars = ""
    for i, level in enumerate(shown):
        length = 170.0 * level["spent"] / most
        bars += (
            f'<text x="98" y="{16 * i + 12}" text-anchor="end" font-size="11" fill="currentColor">'
            f"{escape(str(level['level']))[:16]}</text>"
            f'<rect x="104" y="{16 * i + 2}" width="{length:.1f}" height="12" fill="{SPENT}"/>'
        )
    return f'<svg width="302" height="{height}" role="img" aria-label="what was spent on each level">{bars}</svg>'


def campaign_html(campaign: "Campaign") -> str:
    """Budget bar, counts, last annotations, one small picture."""
    status = campaign.status()
    where = escape(str(campaign.path)) if campaign.path else "in memory"
    counts = f"{status['annotations']} annotations, {status['pending']} pending, {status['failed']} failed"
    picture = _curve(campaign) if len(campaign.inputs) == 1 else _spend(campaign)
    return (
        f"<div><div><b>{escape(campaign.name) or 'campaign'}</b> ({where})</div>{_bar(status, campaign.unit)}"
        f"<div>{counts}</div>{picture}{_last(campaign)}</div>"
    )
