#!/usr/bin/python3
"""Puts the figures of kept results into the documents, and draws docs/pictures/ anew.

update_documents.py RESULT.json.xz [--program build/bin/phalanx-bench]
    docs/notes/speed_beside_libraries.md, and the pictures, which are those of `phalanx-bench --results RESULT.json --pictures`;
    or docs/notes/gpus.md, if the result is of `tools/pack/run_gpu_checks bench`, or of some of its benchmarks: then the others'
    tables stay
update_documents.py --today
    docs/performance.md, docs/notes/speed_beside_libraries.md and docs/pictures/beside_today.svg, of the newest results that
    tools/develop/bench_today kept
--check: changes nothing; exits 1 where a document says something else

A table stands between a line `<!-- figures: NAME -->`, of today's libraries `<!-- today: NAME -->`, and the next
`<!-- end of figures -->` or `<!-- end of today -->`; NAME says which table it is.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "results"))
import gpu_tables  # noqa: E402
import kept_results  # noqa: E402
import processor_tables  # noqa: E402
import today_picture  # noqa: E402
import today_tables  # noqa: E402

SPEED_PAGE = "docs/notes/speed_beside_libraries.md"


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    of_what = parser.add_mutually_exclusive_group(required=True)
    of_what.add_argument("result", nargs="?", type=pathlib.Path)
    of_what.add_argument("--today", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build" / "bin" / "phalanx-bench")
    return parser.parse_args()


def update(pages, mark, tables, result, check):
    """Returns what was not as the result says: pages, and that a table has no place."""
    block = re.compile(rf"(<!-- {mark}: (\w+) -->\n).*?(<!-- end of {mark} -->)", re.DOTALL)
    stale, num_places = [], 0
    for page in pages:
        before = (ROOT / page).read_text()
        num_places += sum(name in tables for _, name, _ in block.findall(before))
        after = block.sub(lambda match: match[1] + tables[match[2]](result) + "\n" + match[3] if match[2] in tables else match[0], before)
        if after != before:
            stale.append(page)
            if not check:
                (ROOT / page).write_text(after)
    return stale + (["a table is missing"] if num_places < len(tables) else [])


def update_picture(name, drawn, check):
    """Returns the picture's name where it was not as the result says."""
    path = ROOT / name
    if path.exists() and path.read_text() == drawn:
        return []
    if not check:
        path.write_text(drawn)
    return [name]


def draw_pictures(program, result):
    pictures = ROOT / "docs" / "pictures"
    pictures.mkdir(exist_ok=True)
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(result, file)
        file.flush()
        subprocess.run([program, "--results", file.name, "--pictures", pictures, "--force"], check=True, stdout=subprocess.DEVNULL)


def main():
    arguments = read_arguments()
    check = arguments.check
    if arguments.today:
        results = today_tables.newest_results(kept_results.FOLDER / "bench")
        stale = update(["docs/performance.md", SPEED_PAGE], "today", today_tables.TABLES, results, check)
        stale += update_picture("docs/pictures/beside_today.svg", today_picture.draw(results), check)
    elif (result := kept_results.read(arguments.result)).get("format") == "phalanx-gpu-result":
        stale = update(["docs/notes/gpus.md"], "figures", gpu_tables.tables_of(result), result, check)
    else:
        stale = update([SPEED_PAGE], "figures", processor_tables.TABLES, result, check)
        if not check:
            draw_pictures(arguments.program, result)
    if check and stale:
        print(f"not as the kept results say: {', '.join(stale)}; bench/update_documents.py renews them")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
