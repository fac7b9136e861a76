#!/usr/bin/env python3
"""Runs the benchmarks and keeps their figures under bench/results/<CPU model>/, with what is needed to judge them.

record_results.py BUILD_FOLDER [--size BYTES ...]: one file a run, named by date and commit: machine, compiler, flags, message
size, commit, and a row for each cipher, mode and engine. No host names.
"""

import argparse
import datetime
import json
import pathlib
import re
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def output_of(*command):
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout.strip()


def cpu_model():
    text = pathlib.Path("/proc/cpuinfo").read_text()
    fields = {key: re.search(rf"^{key}\s*:\s*(.*)$", text, re.M) for key in ("model name", "cpu family", "model")}
    fields = {key: match.group(1).strip() if match else "unknown" for key, match in fields.items()}
    return f"{fields['model name']}, family {fields['cpu family']} model {fields['model']}"


def cache_value(build, name):
    match = re.search(rf"^{name}:[A-Z]+=(.*)$", (build / "CMakeCache.txt").read_text(), re.M)
    return match.group(1) if match else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--size", type=int, nargs="+", default=[65536, 1048576])
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    rows = []
    for size in arguments.size:
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            subprocess.run([build / "bench" / "single_core_benchmark", "--size", str(size), "--json", file.name], check=True)
            rows += json.load(file)
    compiler = cache_value(build, "CMAKE_CXX_COMPILER")
    dirty = "-modified" if output_of("git", "status", "--porcelain", "--untracked-files=no") else ""
    commit = output_of("git", "rev-parse", "--short=12", "HEAD") + dirty
    today = datetime.date.today().isoformat()
    result = {
        "cpu": cpu_model(),
        "compiler": output_of(compiler, "--version").splitlines()[0],
        "flags": f"{cache_value(build, 'CMAKE_CXX_FLAGS')} {cache_value(build, 'CMAKE_CXX_FLAGS_RELEASE')}".strip()
        + ", and cmake/instruction_sets.cmake for each kernel",
        "commit": commit,
        "date": today,
        "threads": 1,
        "openssl": output_of("openssl", "version"),
        "rows": rows,
    }
    folder = ROOT / "bench" / "results" / re.sub(r"[^A-Za-z0-9]+", "_", cpu_model()).strip("_")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{today}_{commit}.json"
    path.write_text(json.dumps(result, indent=1) + "\n")
    print(f"kept in {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
