#!/usr/bin/env python3
"""phalanx over --engine cuda and cpu from file to file in memory (tmpfs): `raw`, beside cp, or `encrypt` and `decrypt`.

gpu_file_benchmark.py PATH_OF_PHALANX [--containers] [--json FILE] [--bytes N] [--folder /dev/shm]

The same random file each time, into a new file; the programs take turns, and the medians are shown, in GB/s of the file. What cuda and
cpu wrote is compared; of containers, what was decrypted with the file. Exits 1 if it differs. A container of 3 MB shows what the
start takes, which `without_the_start` takes off.
"""

import argparse
import filecmp
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

JOBS = [("aes-256-ctr", 32, 16), ("des-ede3-ctr", 24, 8)]
ENGINES = ("cuda", "cpu")
NUM_RUNS = 3


def make_file(path, num_bytes):
    """Random: 16 MiB, and each further 16 MiB the ones before, moved by a byte."""
    piece = os.urandom(1 << 24)
    with open(path, "wb") as file:
        for at in range(0, num_bytes, len(piece)):
            file.write(piece[: num_bytes - at])
            piece = piece[1:] + piece[:1]


def seconds_of(command, out):
    if out.exists():
        out.unlink()
    begin = time.perf_counter()
    subprocess.run(command, check=True)
    return time.perf_counter() - begin


def median_rate(num_bytes, times, start=0.0):
    return num_bytes / (statistics.median(times) - start) / 1e9


def measure(phalanx, folder, name, key, iv):
    plain = folder / "plain"
    outs = {"cp": folder / "copy", **{engine: folder / engine for engine in ENGINES}}
    commands = {"cp": ["cp", plain, outs["cp"]]}
    for engine in ENGINES:
        commands[engine] = [phalanx, "raw", "encrypt", "--engine", engine, "--cipher", name, "--iv", iv, "--key-file", key, "-q",
                            "--allow-legacy", plain, outs[engine]]  # fmt: skip
    seconds = {which: [] for which in commands}
    for _ in range(NUM_RUNS):
        for which, command in commands.items():
            seconds[which].append(seconds_of(command, outs[which]))
            if which == "cp":
                outs[which].unlink()
    right = filecmp.cmp(outs["cuda"], outs["cpu"], shallow=False)
    size = plain.stat().st_size
    rates = {which: median_rate(size, times) for which, times in seconds.items()}
    return {"cipher": name, "direction": "encrypt", "bytes": size, "cp_gigabytes_per_second": rates["cp"],
            "cuda_gigabytes_per_second": rates["cuda"], "cpu_gigabytes_per_second": rates["cpu"], "right": right}  # fmt: skip


def measure_raw(phalanx, folder):
    figures = []
    for cipher, key_bytes, iv_bytes in JOBS:
        (folder / "key").write_bytes(os.urandom(key_bytes))
        figures.append(measure(phalanx, folder, cipher, folder / "key", os.urandom(iv_bytes).hex()))
    return figures


def commands_of_containers(phalanx, folder, plain, engine):
    """By direction, each with the file that it writes. The second reads what the first wrote."""
    container = folder / f"{plain.name}.{engine}.phalanx"
    options = ["--engine", engine, "--key-file", folder / "key", "-q"]
    return {"encrypt": ([phalanx, "encrypt", *options, "-o", container, plain], container),
            "decrypt": ([phalanx, "decrypt", *options, "-o", folder / engine, container], folder / engine)}  # fmt: skip


def seconds_of_containers(phalanx, folder, plain, num_runs):
    """By direction and engine; and whether every byte of the last run is right."""
    seconds = {(direction, engine): [] for direction in ("encrypt", "decrypt") for engine in ENGINES}
    right = True
    for run in range(num_runs):
        for engine in ENGINES:
            commands = commands_of_containers(phalanx, folder, plain, engine)
            for direction, (command, out) in commands.items():
                seconds[direction, engine].append(seconds_of(command, out))
            if run == num_runs - 1:
                right &= filecmp.cmp(plain, folder / engine, shallow=False)
            for _, out in commands.values():
                out.unlink()
    return seconds, right


def measure_containers(phalanx, folder, num_bytes):
    """The figures of both directions."""
    (folder / "key").write_bytes(os.urandom(32))
    make_file(folder / "small", 3_000_000)
    starts, _ = seconds_of_containers(phalanx, folder, folder / "small", 5)
    seconds, right = seconds_of_containers(phalanx, folder, folder / "plain", NUM_RUNS)
    figures = []
    for direction in ("encrypt", "decrypt"):
        figure = {"direction": direction, "bytes": num_bytes}
        for engine in ENGINES:
            start = statistics.median(starts[direction, engine])
            figure[f"{engine}_seconds"] = [round(one, 3) for one in seconds[direction, engine]]
            figure[f"{engine}_start_seconds"] = round(start, 4)
            figure[f"{engine}_gigabytes_per_second"] = median_rate(num_bytes, seconds[direction, engine])
            figure[f"{engine}_gigabytes_per_second_without_the_start"] = median_rate(num_bytes, seconds[direction, engine], start)
        figures.append({**figure, "right": right})
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("phalanx", type=pathlib.Path)
    parser.add_argument("--containers", action="store_true")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--bytes", type=int, default=2 << 30)
    parser.add_argument("--folder", type=pathlib.Path, default="/dev/shm")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.folder) as name:
        folder = pathlib.Path(name)
        make_file(folder / "plain", arguments.bytes)
        if arguments.containers:
            scope, figures = "end to end, containers in tmpfs", measure_containers(arguments.phalanx, folder, arguments.bytes)
        else:
            scope, figures = "end to end, files in tmpfs", measure_raw(arguments.phalanx, folder)
        for figure in figures:
            print(json.dumps(figure))
    if arguments.json:
        arguments.json.write_text(json.dumps({"scope": scope, "figures": figures}, indent=1) + "\n")
    sys.exit(0 if all(figure["right"] for figure in figures) else 1)


if __name__ == "__main__":
    main()
