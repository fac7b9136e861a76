#!/usr/bin/python3
"""Keeps what `tools/pack/run_gpu_checks bench` wrote under bench/results/<GPU model>/<date>_<commit>.json.

keep_gpu_result.py RESULTS_FOLDER: prints where. Figures of a modified tree are not kept: nobody can build it again. The file holds the GPU, its clocks, its driver, the date, the commit, and each program's
figures with what it timed: "kernel" (data in the GPU's memory), "kernel, a batch", "end to end" (host memory to host memory),
"end to end, files in tmpfs".
"""

import argparse
import json
import pathlib
import re
import statistics

ROOT = pathlib.Path(__file__).resolve().parent.parent


def read_machine(folder):
    first, date, commit = (folder / "machine.txt").read_text().splitlines()[:3]
    gpu, driver, max_clock, max_memory_clock = (text.strip() for text in first.split(","))
    machine = {"gpu": gpu, "driver": driver, "date": date, "commit": commit,
               "max_clock_mhz": int(max_clock),
               "max_memory_clock_mhz": int(max_memory_clock) if max_memory_clock.isdigit() else None}  # fmt: skip
    if (folder / "clocks.txt").exists():  # what it ran at while kernels were measured
        clocks = [tuple(map(int, line.split(","))) for line in (folder / "clocks.txt").read_text().splitlines() if "," in line]
        machine["median_clock_mhz"] = statistics.median(clock for clock, _ in clocks)
        machine["median_memory_clock_mhz"] = statistics.median(memory for _, memory in clocks)
    return machine


def read_runs(folder):
    names = ["kernel.json", *sorted(path.name for path in folder.glob("batch_*.json")), "host.json", "files.json"]
    runs = [json.loads((folder / name).read_text()) for name in names if (folder / name).exists()]
    wrong = [figure for run in runs for figure in run["figures"] if not figure["right"]]
    if wrong or not runs:
        raise SystemExit(f"keep_gpu_result: nothing is kept: wrong bytes, or no figures: {wrong}")
    return runs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--into", type=pathlib.Path, default=ROOT / "bench" / "results")
    arguments = parser.parse_args()
    result = {"format": "phalanx-gpu-result", **read_machine(arguments.folder), "runs": read_runs(arguments.folder)}
    if result["commit"].endswith("-modified"):
        print(f"not kept: it is of a modified tree ({result['commit']}); it lies in {arguments.folder}")
        return
    place = arguments.into / re.sub(r"[^A-Za-z0-9]+", "_", result["gpu"]).strip("_")
    place.mkdir(parents=True, exist_ok=True)
    path = place / f"{result['date']}_{result['commit']}.json"
    path.write_text(json.dumps(result, indent=1) + "\n")
    print(f"kept in {path}")


if __name__ == "__main__":
    main()
