"""A graph without circles as an SVG: rows of boxes, with an arrow from each box to those below it."""

from xml.sax.saxutils import escape

ROW_HEIGHT, BOX_HEIGHT, GAP, MARGIN = 64, 28, 22, 12
CHARACTER_WIDTH = 7.4
STYLE = """<style>
.paper { fill: #fcfcfb; } text { fill: #1c1e21; font-family: system-ui, sans-serif; font-size: 13px; text-anchor: middle; }
.arrow { stroke: #5d646d; fill: none; } .head { fill: #5d646d; } .box { fill: #e8f0fa; stroke: #1f5fc4; }
@media (prefers-color-scheme: dark) { .paper { fill: #15181c; } text { fill: #e8eaed; } .arrow { stroke: #a0a8b2; }
  .head { fill: #a0a8b2; } .box { fill: #1d2a3d; stroke: #74a9ff; } }
</style>"""
CROSSING_COST = 150  # as many columns to the side as a crossing is worth


def levels_of(uses):
    """How many rows each box is above the lowest."""
    levels = {}

    def level(box):
        if box not in levels:
            levels[box] = 1 + max((level(other) for other in uses[box]), default=-1)
        return levels[box]

    for box in uses:
        level(box)
    return levels


def rows_and_steps(uses, arrows):
    """Rows, highest first, and steps from row to row: an arrow over several rows has a point (a tuple) in each of those between."""
    levels = levels_of(uses)
    rows = [[] for _ in range(max(levels.values()) + 1)]
    for box in uses:
        rows[levels[box]].append(box)
    steps = []
    for start, end in arrows:
        path = [start, *((start, end, level) for level in range(levels[start] - 1, levels[end], -1)), end]
        for point in path[1:-1]:
            rows[point[2]].append(point)
        steps += zip(path, path[1:])
    return rows[::-1], steps


def width_of(box):
    return len(box) * CHARACTER_WIDTH + 20 if isinstance(box, str) else 4


def place(rows):
    """The middle of each box, the rows one below another around one line."""
    widths = [sum(width_of(box) + GAP for box in row) - GAP for row in rows]
    middles = {}
    for row, width in zip(rows, widths):
        left = MARGIN + (max(widths) - width) / 2
        for box in row:
            middles[box] = left + width_of(box) / 2
            left += width_of(box) + GAP
    return middles, max(widths) + 2 * MARGIN


def num_crossings(steps, middles):
    return sum(
        (middles[one[0]] - middles[other[0]]) * (middles[one[1]] - middles[other[1]]) < 0
        for number, one in enumerate(steps)
        for other in steps[:number]
    )


def cost(rows, steps_below):
    """How many arrows cross, and then how far they go to the side."""
    middles, _ = place(rows)
    crossings = sum(num_crossings(steps, middles) for steps in steps_below)
    return CROSSING_COST * crossings + sum(abs(middles[upper] - middles[lower]) for steps in steps_below for upper, lower in steps)


def order(rows, steps):
    """Exchanges neighbours and others in a row as long as that makes the picture plainer."""
    row_of = {box: number for number, row in enumerate(rows) for box in row}
    steps_below = [[step for step in steps if row_of[step[0]] == number] for number in range(len(rows))]
    best, improves = cost(rows, steps_below), True
    while improves:
        improves = False
        for row in rows:
            for left in range(len(row)):
                for right in range(left + 1, len(row)):
                    row[left], row[right] = row[right], row[left]
                    now = cost(rows, steps_below)
                    if now < best:
                        best, improves = now, True
                    else:
                        row[left], row[right] = row[right], row[left]


def draw(uses, arrows, title):
    """The SVG's text. `uses` has all boxes with those that each stands on; `arrows` are the pairs to draw."""
    rows, steps = rows_and_steps(uses, list(arrows))
    order(rows, steps)
    middles, width = place(rows)
    tops = {box: MARGIN + number * ROW_HEIGHT for number, row in enumerate(rows) for box in row}
    height = MARGIN * 2 + (len(rows) - 1) * ROW_HEIGHT + BOX_HEIGHT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}" viewBox="0 0 {width:.0f} {height}" role="img" aria-label="{escape(title)}">{STYLE}',
        '<rect width="100%" height="100%" class="paper"/>',
        '<defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
        '<path d="M0 0 8 4 0 8z" class="head"/></marker></defs>',
    ]
    for upper, lower in steps:
        start = tops[upper] + (BOX_HEIGHT if isinstance(upper, str) else BOX_HEIGHT / 2)
        end, head = (tops[lower], ' marker-end="url(#head)"') if isinstance(lower, str) else (tops[lower] + BOX_HEIGHT / 2, "")
        parts.append(f'<path d="M{middles[upper]:.1f} {start:.1f}L{middles[lower]:.1f} {end:.1f}" class="arrow"{head}/>')
    for box in middles:
        if isinstance(box, str):
            left = middles[box] - width_of(box) / 2
            parts.append(f'<rect x="{left:.1f}" y="{tops[box]}" width="{width_of(box):.1f}" height="{BOX_HEIGHT}" rx="4" class="box"/>')
            parts.append(f'<text x="{middles[box]:.1f}" y="{tops[box] + 19}">{escape(box)}</text>')
    return "\n".join([*parts, "</svg>", ""])
