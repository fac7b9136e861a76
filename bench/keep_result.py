#!/usr/bin/python3
"""Keeps a result of `phalanx-bench --json` under bench/results/<CPU or GPU model>/<date>_<commit>.json; one of
bench/cluster/measure_ranks.py with `_ranks` and the number of processors in its name, and one of tools/develop/bench_today with the Debian
release whose libraries it is beside.

keep_result.py [--of RELEASE] FILE: prints where. The folder is named by the GPU if a GPU engine took part, else by the processor; the file holds
the machine, the compiler, the commit and every figure, and no host name. Figures of a modified tree are not kept: nobody can build it
again.
"""

import argparse
import json
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent


def machine_of(result):
    engines = {figure["name"] for measurement in result.get("measurements", []) for figure in measurement["figures"]}
    on_gpu = any(name.startswith("cuda") for name in engines)
    return result["gpu"] if on_gpu and result.get("gpu") else result["cpu"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--into", type=pathlib.Path, default=ROOT / "bench" / "results")
    parser.add_argument("--of", default="", metavar="RELEASE")
    arguments = parser.parse_args()
    result = json.loads(arguments.file.read_text())
    if result["commit"].endswith("-modified"):
        print(f"not kept: it is of a modified tree ({result['commit']}); it lies in {arguments.file}")
        return
    folder = arguments.into / re.sub(r"[^A-Za-z0-9]+", "_", machine_of(result)).strip("_")
    folder.mkdir(parents=True, exist_ok=True)
    of_ranks = f"_ranks_{result['processors']}" if "ranks" in result else ""
    path = folder / f"{result['date']}_{result['commit'] or 'unknown'}{of_ranks}{arguments.of and '_' + arguments.of}.json"
    path.write_text(json.dumps(result, indent=1) + "\n")
    print(f"kept in {path}")


if __name__ == "__main__":
    main()
