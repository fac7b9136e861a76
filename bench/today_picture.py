"""The picture of what tools/develop/bench_today kept: ours beside the fastest other library, wins and losses on one scale.

A row shows the least of the ratios that today_tables.py has for it, over the releases: what a reader gets at the worst.
"""

import html
import math

from processor_tables import full_name
from today_tables import RELEASES, beside, by_release, is_chosen, job_and_size, key_of

WIDTH, TOP, ROW_HEIGHT, BOTTOM = 810, 54, 24, 46
BARS_LEFT, BARS_RIGHT = 400, 770
LEAST, MOST = 0.3, 32  # of the scale, which is logarithmic
TICKS = (0.5, 1, 2, 4, 8, 16)
STYLE = """
.paper { fill: #fcfcfb; } text { fill: #1c1e21; font-family: system-ui, sans-serif; font-size: 13px; } .quiet { fill: #5d646d; font-size: 12px; }
.end { text-anchor: end; } .middle { text-anchor: middle; } .title { font-weight: 600; font-size: 15px; }
.grid { stroke: #dfe2e6; } .even { stroke: #1c1e21; } .faster { fill: #1f5fc4; } .slower { fill: #c2570c; }
@media (prefers-color-scheme: dark) { .paper { fill: #15181c; } text { fill: #e8eaed; } .quiet { fill: #a0a8b2; }
  .grid { stroke: #343a42; } .even { stroke: #e8eaed; } .faster { fill: #74a9ff; } .slower { fill: #ffa25c; } }
"""
NAMES = {"des-ede3": "triple DES", "aes-256": "AES-256", "serpent-256": "Serpent-256", "twofish-256": "Twofish-256"}
TITLE = "One core beside the fastest other library, at the worst of three Debian releases"


def label(measurement):
    name = f"{NAMES[measurement['cipher']]} in {measurement['mode'].upper()}"
    return name + job_and_size(measurement).removeprefix(full_name(measurement)).replace(" ", ", ", 1).replace(",,", ",")


def worst_rows(results):
    """Job, ratio, the other library and its release, the best first."""
    there = by_release(results)
    rows = []
    for measurement in filter(is_chosen, results["bookworm"]["measurements"]):
        of_releases = [(*beside(there[release][key_of(measurement)]), name) for release, name in RELEASES.items()]
        rows.append((label(measurement), *min(of_releases)))
    return sorted(rows, key=lambda row: -row[1])


def across(ratio):
    return BARS_LEFT + (BARS_RIGHT - BARS_LEFT) * math.log(ratio / LEAST) / math.log(MOST / LEAST)


def text(x, y, words, kind=""):
    return f'<text x="{x:.0f}" y="{y:.0f}" class="{kind}">{html.escape(words)}</text>'


def scale(height):
    for tick in TICKS:
        kind = "even" if tick == 1 else "grid"
        x = across(tick)
        yield f'<line x1="{x:.1f}" y1="{TOP - 10}" x2="{x:.1f}" y2="{height - BOTTOM + 4}" class="{kind}"/>'
        yield text(x, height - BOTTOM + 20, f"{tick:g}", "quiet middle")
    yield text(BARS_LEFT - 12, height - BOTTOM + 20, "times as fast", "quiet end")


def bar(number, job, ratio, other, release):
    y = TOP + number * ROW_HEIGHT
    left, right = sorted((across(1), across(ratio)))
    yield text(8, y + 12, job)
    yield text(BARS_LEFT - 12, y + 12, f"{other}, {release}", "quiet end")
    yield f'<rect x="{left:.1f}" y="{y}" width="{right - left:.1f}" height="15" class="{"faster" if ratio >= 1 else "slower"}"/>'
    if ratio >= 1:
        yield text(right + 5, y + 12, f"{ratio:.2f}")
    else:
        yield text(left - 5, y + 12, f"{ratio:.2f}", "end")


def draw(results):
    rows = worst_rows(results)
    height = TOP + len(rows) * ROW_HEIGHT + BOTTOM
    one = results["bookworm"]
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{TITLE}">'
             f'<style>{STYLE}</style><rect width="100%" height="100%" class="paper"/>',
             text(8, 24, TITLE, "title"), *scale(height)]  # fmt: skip
    for number, row in enumerate(rows):
        parts.extend(bar(number, *row))
    parts.append(text(8, height - 8, f"{one['cpu']}; 64 KiB unless a size is given; commit {one['commit']}, {one['date']}", "quiet"))
    return "\n".join([*parts, "</svg>"]) + "\n"
