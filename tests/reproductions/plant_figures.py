#!/usr/bin/env python3
"""Checks the checks: a stale figure that is put into a page, a cell that is gone, a run that is not the one named, a figure beside one
of another kind, each must be found.

usage: plant_figures.py REPOSITORY      exits 0 if each is found, 1 listing what is not
"""

import pathlib
import sys

import check_prose
import prose_rules

SHORMAN, ALTINOK = "shorman2018_2des_mpi", "altinok2020_bit_level_3des_gpu"
LIN, SWIERCZEWSKI = "lin2017_cbc_3des_cpu", "swierczewski2013_3des_ecb_cuda"
# Six sentences that once stood in a page after its runs were replaced: (what they say, a place of today's page, whether it is a figure
# or words that a condition must keep).
STALE = [
    ("0.96, 0.84, 0.80, 0.61, 0.48 at {{at(\"1MB\")}}.", "figures"),
    ("2 ranks give 1.8 to 2.0 here (by arrays of bits).", "figures"),
    ("Of that a command takes 1.7 to 4.5 ms whatever the ranks.", "figures"),
    ("Crypting {{at(\"1MB\")}} is 0.7 ms.", "figures"),
    ("An array of one `int` a bit takes 2.1 s.", "figures"),
    ("Here these columns rise, like all others. {{true: all(rises([theirs(wide, words, size, ranks) for size in printed_rows(\"2\")]) "
     "for ranks in within(wide))}}", "words"),
]  # fmt: skip
WRONG = [  # paper, a sentence, what must be said of it
    (SHORMAN, 'It takes {{xeon("2", "3MB", "2", "method", "time")}} s.', "has no cell"),
    (SHORMAN, 'It prints {{printed("2", "1MB", "3")}} s.', "has no number"),
    (SHORMAN, 'In the TCP run it takes {{xeon("2", "1MB", "2", "method", "time")}} s.', "a figure of"),
    (SHORMAN, 'It takes {{earlier("2", "1MB", "2", "method", "time")}} s.', "a figure of"),
    (ALTINOK, 'On the H100 it takes {{kernels(h200, mb)}} ms.', "a figure of"),
    (ALTINOK, 'It is {{kernels(h900, mb)}} ms.', "h900"),
    (ALTINOK, "Three launches take three times as long.", "three times"),
    (ALTINOK, "It takes twelve microseconds, 36 % of it.", "36 %"),
    (ALTINOK, "It falls. {{true: falls([kernels(h200, size) for size in sizes(h200)])}}", "not true any more"),
    (SHORMAN, "With sixteen ranks.", "sixteen ranks"),
    (SHORMAN, "It has 1,181 ms.", "1,181"),
    (SHORMAN, "It has `1,181` ms.", "1,181"),
    (SHORMAN, "| a | 1,181 |", "1,181"),
    (SHORMAN, "- It has 5GB/s.", "5"),
]  # fmt: skip
RULE = "\n|---|---:|---:|\n"
SPEED_UP = 'printed_seconds(i7 + "1 thread") / printed_seconds(i7 + "4 threads")'
UNLIKE = [  # paper, what is written, what must be said of it
    (LIN, f'| a | printed | Xeon |{RULE}| a block | {{{{optimized}}}} | {{{{merged(xeon)}}}} |', "not like with like"),
    (LIN, 'Printed is {{optimized}}, and the Xeon takes {{merged(xeon)}} cycles.', "'sum of stages' beside others"),
    (LIN, '{{table(["", "printed", "Xeon"], [["a", optimized, merged(xeon)]])}}', "not like with like"),
    (LIN, 'On the Xeon it is {{change(merged(xeon), optimized)}}.', "not like with like"),
    (LIN, '{{true: merged(xeon) > optimized}}', "not like with like"),
    (LIN, f'| a | Xeon | b |{RULE}| a | {{{{merged(xeon)}}}} | - |\n| b | {{{{stages(xeon, "OpenSSL")}}}} | - |', "'sum of stages' under others"),
    (SHORMAN, f'| a | b | c |{RULE}| a | {{{{theirs(xeon, words, "1MB", "2")}}}} | {{{{ours(xeon, "1MB", "2")}}}} |', "whole, file to file beside s, whole, command"),
    (SHORMAN, f'| a | b | c |{RULE}| a | {{{{xeon("2", "1MB", SEQUENTIAL, "ours", "time")}}}} | {{{{ours(xeon, "1MB", "2")}}}} |', "not like with like"),
    (SHORMAN, '{{true: theirs(xeon, words, "8KB", "2") < ours(xeon, "8KB", "2")}}', "not like with like"),
    (SWIERCZEWSKI, f'| a | printed | b |{RULE}| a | {{{{digits({SPEED_UP}, 2)}}}} | - |', "4.00 is derived from printed, and stands as printed"),
    (SWIERCZEWSKI, f'| a | b | c |{RULE}| printed | {{{{{SPEED_UP}}}}} | - |', "is derived from printed, and stands as printed"),
    (SWIERCZEWSKI, f'| a | printed | b |{RULE}| a | {{{{gpu(h200, "method")}}}} | - |', "is measured here, and stands as printed"),
    (SWIERCZEWSKI, f'| a | H200 | b |{RULE}| a | {{{{over_one("4 threads")}}}} | - |', "is printed, and stands as one of ours"),
    (SWIERCZEWSKI, f'| a | printed | b |{RULE}| a | {{{{over_one("4 threads")}}}} (derived from printed) | - |', "is printed, and stands as derived"),
    (SWIERCZEWSKI, f'Its speed-up is printed as {{{{{SPEED_UP}}}}}.', "derived from printed, and stands as printed"),
    (SWIERCZEWSKI, f'Its speed-up is {{{{{SPEED_UP}}}}}.', "derived from printed ones, and no word says so"),
    (SWIERCZEWSKI, f'| a | H200 | b |{RULE}| a | {{{{gpu(h200, "method")}}}} | {{{{1e3 * gpu(h200, "ours")}}}} |', "s, whole, computation beside ms"),
    (ALTINOK, 'On the H200 it is {{loop_whole(h200, mb) / kernels(h200, mb)}} times.', "not like with like"),
    (ALTINOK, 'On the H200 it is {{kernels(h200, mb)}} ({{kernels(h200, "4 (32B)")}} to {{kernels(h200, "4 (32B)")}}) ms.', "outside of its own range"),
    (ALTINOK, f'| a | H200 | b |{RULE}| a | {{{{kernels(h200, mb)}}}} ({{{{kernels(h200, largest)}}}} to {{{{kernels(h200, largest)}}}}) | - |',
     "outside of its own range"),
]  # fmt: skip


def problems_with(render_pages, paper, sentence):
    """What is said of a page with one paragraph more."""
    path = render_pages.FOLDER / paper / "README.md.in"
    page = render_pages.Page(path, path.read_text() + "\n" + sentence + "\n")
    return [problem for problem in prose_rules.problems_of(page, render_pages.blocks_of(page.body))]


def check_stale(render_pages):
    for sentence, kind in STALE:
        expected = "typed by hand" if kind == "figures" else "not true any more"
        if not any(expected in problem for problem in problems_with(render_pages, SHORMAN, sentence)):
            yield f"not found: {sentence}"


def check_wrong(render_pages):
    for paper, sentence, expected in WRONG + UNLIKE:
        problems = problems_with(render_pages, paper, sentence)
        if not any(expected in problem for problem in problems):
            yield f"not found: {sentence} ({problems or 'nothing was said'})"


def check_made_page(render_pages):
    """A figure that is changed in the page that is made, and not in its source."""
    path = render_pages.FOLDER / SHORMAN / "README.md"
    made = render_pages.Page(render_pages.FOLDER / SHORMAN / "README.md.in").markdown()
    if made != path.read_text() or made == made.replace("0.97", "0.96"):
        yield f"{path} is not as it is made, or has no figure to change"


def check_first_screen(render_pages):
    text = (render_pages.FOLDER / LIN / "README.md").read_text()
    for there, wrong in (("**To rerun**", "To rerun"), (" s on the ", " minutes on the "), ("[Table I](#", "[Tables](#"), ("\n**Table I**", "\nTable I")):
        if there not in text or not list(check_prose.problems_of_first_screen(text.replace(there, wrong))):
            yield f"not found: a first screen with {wrong!r} in place of {there!r}"


def main():
    sys.path.insert(0, str(pathlib.Path(sys.argv[1]).resolve() / "reproductions"))
    import render_pages

    clean = problems_with(render_pages, SHORMAN, "A sentence.")
    problems = [*(f"without a planted figure: {problem}" for problem in clean), *check_stale(render_pages), *check_wrong(render_pages)]
    problems.extend([*check_made_page(render_pages), *check_first_screen(render_pages)])
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
