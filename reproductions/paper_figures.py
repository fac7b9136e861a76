"""Tables and pictures for every paper's `compare`: as printed, the paper's method here, ours here."""

try:
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.hashsalt": "phalanx", "svg.fonttype": "none", "font.size": 9})
    import matplotlib.pyplot as pyplot
except ImportError:
    pyplot = None


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


def draw_lines(path, title, x_label, y_label, lines, logarithmic_x=True, logarithmic_y=True):
    """One panel: see draw_panels."""
    draw_panels(path, x_label, y_label, [(title, lines)], logarithmic_x, logarithmic_y)


def draw_panels(path, x_label, y_label, panels, logarithmic_x=True, logarithmic_y=True):
    """Draws <path>.svg: panels side by side over the same axes, each (title, lines), a line (label, xs, ys, style) with a
    None in ys left out; style as matplotlib's, "o-", dashed for what is printed in the paper. Without matplotlib it draws nothing and
    says so."""
    if pyplot is None:
        print(f"skipped: {path.name}: no matplotlib (Debian: python3-matplotlib)")
        return
    figure, row = pyplot.subplots(1, len(panels), figsize=(2.6 + 4.4 * len(panels), 4.2), sharey=True, squeeze=False)
    for axes, (title, lines) in zip(row[0], panels):
        for label, xs, ys, style in lines:
            points = [(x, y) for x, y in zip(xs, ys) if y is not None]
            if points:
                axes.plot(*zip(*points), style, label=label, markersize=4, linewidth=1.2)
        if logarithmic_x:
            axes.set_xscale("log", base=2)
        if logarithmic_y:
            axes.set_yscale("log")
        axes.set(title=title, xlabel=x_label)
        axes.grid(True, which="major", alpha=0.3)
        axes.legend(fontsize=7)
    row[0][0].set_ylabel(y_label)
    figure.tight_layout()
    figure.savefig(path.with_suffix(".svg"), metadata={"Date": None})
    pyplot.close(figure)


def draw_bars(path, title, x_label, bars, logarithmic=True):
    """Draws <path>.svg: horizontal bars from top to bottom. `bars`: (label, value, colour); the value is written beside
    each."""
    if pyplot is None:
        print(f"skipped: {path.name}: no matplotlib (Debian: python3-matplotlib)")
        return
    figure, axes = pyplot.subplots(figsize=(7, 0.6 + 0.24 * len(bars)))
    labels, values, colours = zip(*bars)
    places = range(len(bars), 0, -1)
    drawn = axes.barh(places, values, color=colours, height=0.7)
    axes.bar_label(drawn, [shown(value) for value in values], fontsize=7, padding=2)
    axes.set_yticks(places, labels, fontsize=7)
    if logarithmic:
        axes.set_xscale("log")
    axes.margins(x=0.12)
    axes.set(title=title, xlabel=x_label)
    axes.grid(True, axis="x", alpha=0.3)
    figure.tight_layout()
    figure.savefig(path.with_suffix(".svg"), metadata={"Date": None})
    pyplot.close(figure)
