#!/usr/bin/python3
"""Unpacks the kept results of phalanx-bench, for its option --kept, and prints their paths, the newest last.

unpack_kept.py FOLDER [--of results/bench]
"""

import argparse
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "results"))
import kept_results  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--of", type=pathlib.Path, default=kept_results.FOLDER / "bench")
    arguments = parser.parse_args()
    runs = {path: kept_results.read(path) for path in sorted(arguments.of.glob(f"*/*{kept_results.ENDING}"))}
    runs = {path: run for path, run in runs.items() if run.get("format") == "phalanx-bench"}
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for path, run in sorted(runs.items(), key=lambda entry: (entry[1]["date"], entry[0].name)):
        plain = arguments.folder / f"{path.parent.name}_{path.name.removesuffix('.xz')}"
        plain.write_text(json.dumps(run))
        print(plain)


if __name__ == "__main__":
    main()
