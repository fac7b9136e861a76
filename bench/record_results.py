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


def run_program(program, size):
    """The program's own account of one message size."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        subprocess.run([program, "--size", str(size), "--json", file.name], check=True)
        return json.load(file)


def commit_here():
    dirty = "-modified" if output_of("git", "status", "--porcelain", "--untracked-files=no") else ""
    return output_of("git", "rev-parse", "--short=12", "HEAD") + dirty


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--size", type=int, nargs="+", default=[65536, 1048576])
    parser.add_argument("--commit", help="what the build was made from, where this is no git checkout")
    parser.add_argument("--into", type=pathlib.Path, default=ROOT / "bench" / "results")
    arguments = parser.parse_args()
    runs = [run_program(arguments.build.resolve() / "bench" / "single_core_benchmark", size) for size in arguments.size]
    commit = arguments.commit or commit_here()
    today = datetime.date.today().isoformat()
    result = {"cpu": cpu_model(), "commit": commit, "date": today, **runs[0]}
    result["rows"] = [row for run in runs for row in run["rows"]]
    folder = arguments.into / re.sub(r"[^A-Za-z0-9]+", "_", cpu_model()).strip("_")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{today}_{commit}.json"
    path.write_text(json.dumps(result, indent=1) + "\n")
    print(f"kept in {path}")


if __name__ == "__main__":
    main()
