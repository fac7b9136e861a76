"""Tables and pictures for every paper's `compare`: as printed, the paper's method here, ours here."""

import argparse
import textwrap

DRAWS = True
try:
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.hashsalt": "phalanx", "svg.fonttype": "none", "font.size": 9})
    import matplotlib.pyplot as pyplot
except ImportError:
    pyplot = None


def read_arguments(description):
    """What a paper's `compare` is asked for."""
    global DRAWS
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", action="store_true", help="print the tables, draw nothing")
    parser.add_argument("--kept", action="store_true", help="of the results under results/papers/ alone, without those of build/papers/results/")
    arguments = parser.parse_args()
    DRAWS = not arguments.tables
    return arguments


def shown(value):
    """A number with three significant digits, text as it is, nothing as a dash."""
    if value is None:
        return "-"
    if isinstance(value, str):
        return value
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def print_table(title, headings, rows, notes=()):
    """A table of text: the first column to the left, the others to the right; `notes`, the "note: ..." lines of a printed table, below."""
    cells = [[shown(value) for value in row] for row in (headings, *rows)]
    widths = [max(map(len, column)) for column in zip(*cells)]
    print(f"\n{title}")
    for number, row in enumerate(cells):
        print("  " + "  ".join(text.ljust(width) if i == 0 else text.rjust(width) for i, (text, width) in enumerate(zip(row, widths))))
        if number == 0:
            print("  " + "  ".join("-" * width for width in widths))
    for note in notes:
        print(f"  {note}")


def can_draw(path):
    if pyplot is None and DRAWS:
        print(f"skipped: {path.name}: no matplotlib (Debian: python3-matplotlib)")
    return DRAWS and pyplot is not None


def draw_lines(path, title, x_label, y_label, lines, note="", **axes):
    """One panel: see draw_panels."""
    draw_panels(path, title, x_label, y_label, [("", lines)], note, **axes)


def draw_panels(path, title, x_label, y_label, panels, note="", logarithmic_x=True, logarithmic_y=True):
    """Draws <path>.svg under a title (paper, number, what): panels side by side over the same axes, each (its title, lines), a line
    (label, xs, ys, style) with a None in ys left out; style as matplotlib's, "o-", dashed for what is printed in the paper. The note
    below says what a star or a guess is. Without matplotlib it draws nothing and says so."""
    if not can_draw(path):
        return
    panels = [(heading, [line for line in lines if any(y is not None for y in line[2])]) for heading, lines in panels]
    legend_inches = LINE_INCHES * max((len(lines) + 1) // 2 for _, lines in panels)
    figure, row = pyplot.subplots(1, len(panels), sharey=True, squeeze=False)
    lay_out(figure, 2.0 + 3.4 * len(panels), 3.0, title, note, legend_inches)
    for axes, (heading, lines) in zip(row[0], panels):
        for label, xs, ys, style in lines:
            axes.plot(*zip(*((x, y) for x, y in zip(xs, ys) if y is not None)), style, label=label, markersize=4, linewidth=1.2)
        if logarithmic_x:
            axes.set_xscale("log", base=2)
        if logarithmic_y:
            axes.set_yscale("log")
        axes.set_title(heading, fontsize=9)
        axes.set_xlabel(x_label)
        axes.grid(True, which="major", alpha=0.3)
        if lines:  # below the axes, not on the lines
            axes.legend(fontsize=7, ncol=2, loc="upper center", bbox_to_anchor=(0.5, -LABEL_INCHES / 3.0), frameon=False)
    row[0][0].set_ylabel(y_label)
    save(figure, path)


def draw_bars(path, title, x_label, bars, note="", logarithmic=True):
    """Draws <path>.svg: horizontal bars from top to bottom. `bars`: (label, value, colour); the value is written beside
    each."""
    if not can_draw(path):
        return
    figure, axes = pyplot.subplots()
    lay_out(figure, 7, 0.22 * len(bars), title, note, 0, left=2.2)
    labels, values, colours = zip(*bars)
    places = range(len(bars), 0, -1)
    drawn = axes.barh(places, values, color=colours, height=0.7)
    axes.bar_label(drawn, [shown(value) for value in values], fontsize=7, padding=2)
    axes.set_yticks(places, labels, fontsize=7)
    if logarithmic:
        axes.set_xscale("log")
    axes.margins(x=0.14, y=0.02)
    axes.set_xlabel(x_label)
    axes.grid(True, axis="x", alpha=0.3)
    save(figure, path)


LINE_INCHES = 0.16  # of a legend and of a note
LABEL_INCHES = 0.5  # under the axes


def lay_out(figure, width, height, title, note, legend_inches, left=0.75):
    """Gives the axes that size in inches; above them the title, below them their labels, the legend and the note, none over another."""
    note = textwrap.fill(note, int(15 * width))
    title_lines, note_lines = title.count("\n") + 1, note.count("\n") + 1 if note else 0
    above = 0.3 + 0.2 * title_lines
    below = LABEL_INCHES + legend_inches + 0.1 + LINE_INCHES * note_lines
    whole = above + height + below
    figure.set_size_inches(width, whole)
    figure.subplots_adjust(left=left / width, right=1 - 0.2 / width, top=1 - above / whole, bottom=below / whole, wspace=0.08)
    figure.suptitle(title, fontsize=10, y=1 - 0.08 / whole)
    figure.text(0.1 / width, (LINE_INCHES * note_lines + 0.03) / whole, note, fontsize=7, va="top")


def save(figure, path):
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path.with_suffix(".svg"), metadata={"Date": None})
    print(f"drawn: {path.with_suffix('.svg')}")
    pyplot.close(figure)
