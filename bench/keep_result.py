#!/usr/bin/python3
"""Keeps what was measured under results/bench/<CPU or GPU model>/<date>_<commit>.json.xz; a result of bench/cluster/measure_ranks.py
with `_ranks` and the number of processors in its name, one of tools/develop/bench_today with the Debian release whose libraries it
is beside.

keep_result.py [--of RELEASE] FILE      of `phalanx-bench --json`, or of one of those two: prints where
keep_result.py FOLDER                   of `tools/pack/run_gpu_checks bench`, whose files become one

The model is the GPU's if a GPU took part, else the processor's; the file holds the machine, the compiler or the driver, the commit
and every figure, and no host name. A figure of a GPU has what was timed: "kernel" (data in the GPU's memory), "kernel, a batch",
"aead" and "device cipher" (calls of DeviceAead and DeviceCipher), "short calls" (of DeviceCipher), "containers" and "parquet" (to and
from device memory), "end to end" (host memory to host memory), "end to end, files in tmpfs", "end to end, containers in tmpfs".
Figures of a modified tree are not kept: nobody can build it again.
"""

import argparse
import json
import pathlib
import re
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "results"))
import kept_results  # noqa: E402


def read_gpu_machine(folder):
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


def read_gpu_runs(folder):
    batches = sorted(path.name for path in folder.glob("batch_*.json"))
    names = ["kernel.json", *batches, "aead.json", "device_cipher.json", "call.json", "container.json", "parquet.json",
             "parquet_small_pages.json", "host.json", "files.json", "program.json"]  # fmt: skip
    runs = [json.loads((folder / name).read_text()) for name in names if (folder / name).exists()]
    wrong = [figure for run in runs for figure in run["figures"] if not figure["right"]]
    if wrong or not runs:
        raise SystemExit(f"keep_result: nothing is kept: wrong bytes, or no figures: {wrong}")
    return runs


def read_result(path):
    if path.is_dir():
        return {"format": "phalanx-gpu-result", **read_gpu_machine(path), "runs": read_gpu_runs(path)}
    return json.loads(path.read_text())


def machine_of(result):
    engines = {figure["name"] for measurement in result.get("measurements", []) for figure in measurement["figures"]}
    on_gpu = result.get("format") == "phalanx-gpu-result" or any(name.startswith("cuda") for name in engines)
    return result["gpu"] if on_gpu and result.get("gpu") else result["cpu"]


def name_of(result, release):
    of_ranks = f"_ranks_{result['processors']}" if "ranks" in result else ""
    return f"{result['date']}_{result['commit'] or 'unknown'}{of_ranks}{release and '_' + release}{kept_results.ENDING}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("measured", type=pathlib.Path, metavar="FILE|FOLDER")
    parser.add_argument("--into", type=pathlib.Path, default=kept_results.FOLDER / "bench")
    parser.add_argument("--of", default="", metavar="RELEASE")
    arguments = parser.parse_args()
    result = read_result(arguments.measured)
    if result["commit"].endswith("-modified"):
        print(f"not kept: it is of a modified tree ({result['commit']}); it lies in {arguments.measured}")
        return
    folder = arguments.into / re.sub(r"[^A-Za-z0-9]+", "_", machine_of(result)).strip("_")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name_of(result, arguments.of)
    kept_results.write(path, result)
    print(f"kept in {path}")


if __name__ == "__main__":
    main()
