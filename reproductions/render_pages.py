#!/usr/bin/python3
"""Writes the pages of reproductions/: README.md from README.md.in (see page_figures.py), and tables.md, the full tables, from
what `compare` prints.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import textwrap
import types
import typing

import page_figures
import paper_results
import quantities
from page_figures import Missing
from quantities import Quantity

FOLDER = paper_results.REPRODUCTIONS
PLACEHOLDER = re.compile(r"\{\{(.+?)\}\}", re.DOTALL)
WHEN = re.compile(r"<!-- when ([a-z0-9_]+) -->\n(.*?)<!-- end -->\n", re.DOTALL)
NAMES = re.compile(r"<!-- figures\n(.*?)-->\n", re.DOTALL)
FIXED_BLOCK = re.compile(r"(```|\||#|<!--)")
ITEM = re.compile(r"(?:[-*]|[0-9]+[.]) +")
STARTS_A_BLOCK = re.compile(r"(?:[-+*#>]|#+|[0-9]+[.)])(?: |$)")
MADE = "<!-- made by render_pages.py from README.md.in -->\n"
WIDTH = 120


class Said(typing.NamedTuple):
    """What a placeholder says."""

    text: str
    series: frozenset = frozenset()  # whose figures it has
    origin: str | None = None  # see quantities.py; None if it says no figure
    kinds: tuple = ()


class Page:
    """The source of a page, and what its placeholders say."""

    def __init__(self, path, text=None):
        self.path, self.used, self.problems = path, set(), []
        self.text = text if text is not None else path.read_text()
        if path.parent == FOLDER:
            self.words = {paper.split("_")[0]: types.SimpleNamespace(**page_figures.words_of_paper(paper, self.used)) for paper in paper_results.PAPERS}
        else:
            self.words = page_figures.words_of_paper(path.parent.name, self.used)
        self.overview = path.parent == FOLDER
        self.series = [word for word in self.words.values() if isinstance(word, page_figures.Series)]
        named = [vars(word) for word in self.words.values() if isinstance(word, types.SimpleNamespace)]
        self.all_series = self.series + [word for words in named for word in words.values() if isinstance(word, page_figures.Series)]
        self.words.update(page_figures.FUNCTIONS)
        self.values = []  # of each placeholder, what it says
        for names in NAMES.findall(self.text):
            exec(names, self.words)  # the project's own pages
        text = WHEN.sub(lambda match: match.group(2) if self.words.get(match.group(1)) else "", NAMES.sub("", self.text))
        self.body = PLACEHOLDER.sub(self._mark, text)

    def _mark(self, match):
        """Puts a mark in the placeholder's place, so that what it says is told from what is typed."""
        self.values.append(self._value(" ".join(match.group(1).split())))
        return f"\0{len(self.values) - 1}\0" if self.values[-1].text else "\0\0"

    def _value(self, expression):
        self.used.clear()
        kind, _, rest = expression.partition(": ")
        try:
            if kind == "true":
                if not eval(rest, self.words):
                    self.problems.append(f"not true any more: {rest}")
                return Said("")
            value, of_runs = self._of_runs(rest if kind == "spread" else expression)
            origin, kinds = self._meaning(value)
            said = page_figures.say(value) + (self._spread(value, of_runs) if kind == "spread" else "")
            return Said(said, self._used_series(), origin, kinds)
        except Exception as error:  # whatever a page's Python does wrong
            self.problems.append(f"{{{{{expression}}}}}: {error if isinstance(error, Missing) else repr(error)}")
            return Said("?")

    def _used_series(self):
        return frozenset(one for one in self.used if isinstance(one, page_figures.Series))

    def _meaning(self, value):
        """Where the figures of a value come from, and their kinds. Text that was put together by hand is judged by what was asked for it."""
        found = [value] if isinstance(value, Quantity) else getattr(value, "quantities", [])
        if found:
            origins = {one.origin for one in found}
            return origins.pop() if len(origins) == 1 else quantities.joined(*origins), tuple(one.kind for one in found)
        if isinstance(value, page_figures.Words) or not self.used:
            return None, ()
        asked = {quantities.HERE if one != quantities.PRINTED else quantities.DERIVED for one in self.used}
        return quantities.joined(*asked), ()

    def _of_runs(self, expression):
        """What an expression says, and what it says of each run where there are several. Of one figure it is the median of the runs."""
        value = eval(expression, self.words)
        series = self._used_series()
        num_runs = min((one.num_runs for one in series), default=1)
        if num_runs == 1 or not quantities.is_one_figure(value):
            return value, []
        values = []
        try:
            for number in range(num_runs):
                for one in series:
                    one.results.only = number
                values.append(eval(expression, self.words))
        finally:
            for one in series:
                one.results.only = None
        return quantities.middle_of_runs(values), values

    def _spread(self, value, of_runs):
        """The least and the most of the runs."""
        if not of_runs:
            return ""
        problem = quantities.outside_of_its_range(value, of_runs)
        if problem:
            raise Missing(problem)
        return f" ({page_figures.span(of_runs)})"

    def filled(self, text):
        text = re.sub(r"[ \n]?\0\0", "", text)
        return re.sub(r"\0([0-9]+)\0", lambda match: self.values[int(match.group(1))].text, text)

    def markdown(self):
        blocks = [self._block(block, fixed) for block, fixed in blocks_of(self.body)]
        text = re.sub(r"\n{3,}", "\n\n", "\n".join(blocks) + "\n")
        return MADE + text.lstrip("\n")

    def _block(self, block, fixed):
        if fixed or FIXED_BLOCK.match(self.filled(block)):  # a placeholder may be a table
            return self.filled(block)
        item = ITEM.match(block)
        indent = " " * (len(item.group()) if item else 0)
        words = " ".join(self.filled(block).split())
        lines = textwrap.wrap(words, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
        if any(STARTS_A_BLOCK.match(line.strip()) for line in lines[1:]):
            self.problems.append(f"a line that Markdown takes for another block; word it otherwise: {words[:80]}")
        return "\n".join(lines)


def blocks_of(text):
    """(text, whether it stays as it is): paragraphs and items of lists, which are filled anew, and lines of tables, headings, code."""
    block, in_code = [], False
    for line in text.split("\n"):
        if line.startswith("```"):
            in_code = not in_code
        fixed = in_code or line.startswith("```") or FIXED_BLOCK.match(line) or not line.strip()
        if fixed or ITEM.match(line):
            if block:
                yield "\n".join(block), False
            block = []
        if fixed:
            yield line, True
        else:
            block.append(line)
    if block:
        yield "\n".join(block), False


def tables_page(paper):
    """What `compare` prints, under a heading for each series."""
    done = subprocess.run([sys.executable, FOLDER / paper / "compare", "--tables", "--kept"], capture_output=True, text=True)
    if done.returncode:
        raise Missing(f"{paper}/compare: {done.stderr.strip()}")
    titles = tuple(results.title() for results in paper_results.newest_results(paper, made=False))
    sections = [[]]
    for line in done.stdout.splitlines():
        if line.startswith(titles):
            sections.append([f"## {line}", "", "```"])
        else:
            sections[-1].append(line.rstrip())
    lines = "\n".join("\n".join(section).rstrip() + "\n```\n" for section in sections[1:])
    return f"<!-- made by render_pages.py from what `compare` prints -->\n# All tables of {paper}\n\n{lines}"


def pages(papers):
    """Every page that is made: its path, its text, what is wrong."""
    for folder in [FOLDER, *(FOLDER / paper for paper in paper_results.PAPERS)]:
        if papers and folder.name not in papers:
            continue
        if (folder / "README.md.in").exists():
            page = Page(folder / "README.md.in")
            yield folder / "README.md", page.markdown(), page.problems
        if folder != FOLDER:
            yield folder / "tables.md", tables_page(folder.name), []


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 if a page is not what its source and the results say")
    parser.add_argument("papers", nargs="*", metavar="PAPER", help="a folder of reproductions/, or `reproductions`, whose page it is; all without")
    arguments = parser.parse_args()
    unknown = set(arguments.papers) - {FOLDER.name, *paper_results.PAPERS}
    if unknown:
        parser.error(f"no paper is called {', '.join(sorted(unknown))}")
    failed = False
    for path, text, problems in pages(arguments.papers):
        name = path.relative_to(FOLDER.parent)
        for problem in problems:
            failed = True
            print(f"{name}.in: {problem}")
        if path.exists() and path.read_text() == text:
            continue
        if arguments.check:
            failed = True
            print(f"{name} is not what its source and the results say: run reproductions/render_pages.py")
        elif not problems:
            path.write_text(text)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
