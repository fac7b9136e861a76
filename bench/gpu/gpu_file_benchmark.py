#!/usr/bin/env python3
"""phalanx raw over --engine cuda and cpu from file to file in memory (tmpfs), beside cp.

gpu_file_benchmark.py PATH_OF_PHALANX [--json FILE] [--bytes N] [--folder /dev/shm]

The same random file each time, into a new file; the programs take turns, and the medians are shown, in GB/s of the file. What cuda and
cpu wrote is compared. Exits 1 if it differs.
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
    with open(path, "wb") as file:
        for at in range(0, num_bytes, 1 << 24):
            file.write(os.urandom(min(1 << 24, num_bytes - at)))


def seconds_of(command, out):
    if out.exists():
        out.unlink()
    begin = time.perf_counter()
    subprocess.run(command, check=True)
    return time.perf_counter() - begin


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
    rates = {which: size / statistics.median(times) / 1e9 for which, times in seconds.items()}
    return {"cipher": name, "direction": "encrypt", "bytes": size, "cp_gigabytes_per_second": rates["cp"],
            "cuda_gigabytes_per_second": rates["cuda"], "cpu_gigabytes_per_second": rates["cpu"], "right": right}  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("phalanx", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--bytes", type=int, default=2 << 30)
    parser.add_argument("--folder", type=pathlib.Path, default="/dev/shm")
    arguments = parser.parse_args()
    figures = []
    with tempfile.TemporaryDirectory(dir=arguments.folder) as name:
        folder = pathlib.Path(name)
        make_file(folder / "plain", arguments.bytes)
        for cipher, key_bytes, iv_bytes in JOBS:
            (folder / "key").write_bytes(os.urandom(key_bytes))
            figures.append(measure(arguments.phalanx, folder, cipher, folder / "key", os.urandom(iv_bytes).hex()))
            print(json.dumps(figures[-1]), flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps({"scope": "end to end, files in tmpfs", "figures": figures}, indent=1) + "\n")
    sys.exit(0 if all(figure["right"] for figure in figures) else 1)


if __name__ == "__main__":
    main()
