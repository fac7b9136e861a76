#!/usr/bin/env python3
"""How phalanx-mpi's time falls with ranks on this machine, with all that it is compared with, in one run.

  measure_ranks.py --program RANK_BENCHMARK --json FILE [--mpirun MPIRUN] [--copy PARALLEL_COPY] [--folder DIR] [--seconds N]
                   [--strong MIB] [--weak MIB] [--rounds N] [--commit COMMIT] [--most-ranks N]

Starts rank_benchmark with 1, 2, 4, ... ranks, up to as many as there are processors, and prints a table. What does not fit into
--seconds (420) is left out, and said. Every output is checked by rank_benchmark. FILE is for bench/keep_result.py.
"""

import argparse
import datetime
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

# Ranks talk through shared memory, and no network interface has to be there. For Open MPI 4 and 5.
COPY_METHODS = ["pread-pwrite", "pread-mapped", "mapped-mapped"]
LOCAL = ["--mca", "pml", "ob1", "--mca", "btl", "^tcp,openib,ofi,uct,usnic"]


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--mpirun", default=shutil.which("mpirun"))
    parser.add_argument("--copy")
    parser.add_argument("--json", type=pathlib.Path, required=True)
    parser.add_argument("--folder", help="where the files lie for a while: /dev/shm, if they have room there")
    parser.add_argument("--seconds", type=float, default=420)
    parser.add_argument("--strong", type=int, default=512)
    parser.add_argument("--weak", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--commit", default="")
    parser.add_argument("--most-ranks", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    arguments.folder = arguments.folder or roomy_folder(arguments)
    return arguments


def roomy_folder(arguments):
    needed = 4 * max(arguments.strong, arguments.weak * arguments.most_ranks) << 20
    space = os.statvfs("/dev/shm") if os.path.isdir("/dev/shm") else None
    return "/dev/shm" if space and space.f_bavail * space.f_frsize > needed else tempfile.gettempdir()


def file_system_of(folder):
    return subprocess.run(["stat", "-f", "-c", "%T", folder], capture_output=True, text=True).stdout.strip()


def run_ranks(arguments, num_ranks, folder, seconds, binding):
    as_root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
    command = [arguments.mpirun, *as_root, "-n", str(num_ranks), "--bind-to", binding, *LOCAL, arguments.program, folder]
    command += map(str, (arguments.strong, arguments.weak, arguments.rounds))
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=max(1, seconds))


def figures_of(text, machine):
    lines = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    machine.update(*(line for line in lines if "cpu" in line))
    return [line for line in lines if "ranks" in line]


def empty(folder):
    """Ranks that ran out of time may be removing their files, too."""
    for left in pathlib.Path(folder).iterdir():
        left.unlink(missing_ok=True)


def measure(arguments, folder, machine):
    """All figures, and what was left out."""
    start, figures, left_out, binding = time.monotonic(), [], [], "core"
    num_ranks = 1
    while num_ranks <= arguments.most_ranks:
        rest = arguments.seconds - (time.monotonic() - start)
        try:
            done = run_ranks(arguments, num_ranks, folder, rest, binding)
            if done.returncode != 0 and binding == "core":  # a sandbox may not bind
                binding = "none"
                done = run_ranks(arguments, num_ranks, folder, rest, binding)
            if done.returncode != 0:
                sys.exit(f"measure_ranks: {num_ranks} ranks ended with {done.returncode}:\n{done.stderr[-2000:]}")
            figures += figures_of(done.stdout, machine)
        except subprocess.TimeoutExpired as expired:
            figures += figures_of((expired.stdout or b"").decode().rpartition("\n")[0], machine)
            left_out.append(f"{num_ranks} ranks: no time was left")
            break
        finally:
            empty(folder)
        print(f"{num_ranks} ranks done after {time.monotonic() - start:.0f} s", flush=True)
        num_ranks *= 2
    return figures, left_out, binding


def copy_rates(arguments, folder):
    """What parallel_copy reaches from file to file, GB/s: the best of three of its methods, for each number of threads."""
    rates, name = {}, os.path.join(folder, "IN")
    if not arguments.copy:
        return rates
    with open(name, "wb") as file:
        for _ in range(arguments.strong):
            file.write(os.urandom(1 << 20))
    num_threads = 1
    while num_threads <= arguments.most_ranks:
        found = []
        for method in COPY_METHODS:
            command = [arguments.copy, "--threads", str(num_threads), "--rounds", str(arguments.rounds), "--only", method, name, os.path.join(folder, "OUT")]
            done = subprocess.run(command, capture_output=True, text=True, timeout=60)
            if done.returncode == 0:
                found.append(float(done.stdout.split()[1]))
        rates[num_threads] = max(found)
        num_threads *= 2
    empty(folder)
    return rates


def rate(figure):
    return figure["bytes"] / statistics.median(figure["seconds"]) / 1e9


def print_table(figures):
    columns = sorted({figure["ranks"] for figure in figures})
    rows = {}
    for figure in figures:
        rows.setdefault((figure["cipher"], figure["what"], figure["method"]), {})[figure["ranks"]] = rate(figure)
    print(f"{'GB/s, ranks:':<58}" + "".join(f"{column:>8}" for column in columns))
    for (cipher, what, method), values in rows.items():
        print(f"{cipher:<14}{what:<22}{method:<22}" + "".join(f"{values[column]:>8.2f}" if column in values else f"{'':>8}" for column in columns))


def main():
    arguments = parse()
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        rates = copy_rates(arguments, folder)
        machine = {}
        figures, left_out, binding = measure(arguments, folder, machine)
    version = subprocess.run([arguments.mpirun, "--version"], capture_output=True, text=True).stdout.splitlines()
    result = {
        "date": datetime.date.today().isoformat(), "commit": arguments.commit, **machine, "processors": os.cpu_count(),
        "mpi": version[0] if version else "", "binding": binding, "folder": file_system_of(arguments.folder),
        "strong_mib": arguments.strong, "weak_mib": arguments.weak, "rounds": arguments.rounds,
        "parallel_copy_gb_per_s": rates, "left_out": left_out, "ranks": figures,
    }  # fmt: skip
    arguments.json.write_text(json.dumps(result, indent=1) + "\n")
    print_table(figures)
    print("parallel_copy, GB/s by threads:", " ".join(f"{threads}: {value:.2f}" for threads, value in rates.items()))
    for line in left_out:
        print("left out:", line)


if __name__ == "__main__":
    main()
