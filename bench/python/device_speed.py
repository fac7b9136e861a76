#!/usr/bin/env python3
"""Encryption of data in a GPU's memory: by C++, by CuPy and by PyTorch, in turn, on the same machine.

usage: device_speed.py GPU_CALL_BENCHMARK [--json FILE] [--quick]

GPU_CALL_BENCHMARK is the program of bench/gpu. Each side encrypts zeros from one buffer to another NUM_CALLS times between
two events, on a stream of its own; medians of all rounds; every side compares its last output with the CPU's. Prints a
table, and the ratio to C++.
"""

import argparse
import json
import statistics
import subprocess
import sys
from typing import Any

import phalanx

NAMES = ["aes-256-ctr", "aes-256-ecb", "des-ede3-ctr", "serpent-256-ctr", "twofish-256-ctr"]
SIZES = [16 << 20, 64 << 20, 256 << 20, 1 << 30]
NUM_ROUNDS, NUM_RUNS = 3, 5


def calls_for(size: int) -> int:
    return max(4, (2 << 30) // size)


def keyed(name: str) -> tuple[phalanx.Cipher, bytes | None]:
    facts = next(facts for facts in phalanx.ciphers() if facts.name == name)
    return phalanx.Cipher(name, bytes(range(facts.key_bytes)), allow_legacy=True), bytes(facts.iv_bytes) or None


def by_cpp(program: str, name: str, size: int) -> list[float]:
    command = [program, name, str(size), str(calls_for(size)), str(NUM_RUNS)]
    return [float(line) for line in subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()]


def by_cupy(cupy: Any, name: str, size: int, expected: bytes) -> list[float]:
    cipher, iv = keyed(name)
    speeds = []
    with cupy.cuda.Stream(non_blocking=True) as stream:
        source, target = cupy.zeros(size, dtype=cupy.uint8), cupy.empty(size, dtype=cupy.uint8)
        cipher.encrypt_into(source, target, iv=iv, padding="none")
        stream.synchronize()
        for _ in range(NUM_RUNS):
            first, last = cupy.cuda.Event(), cupy.cuda.Event()
            first.record(stream)
            for _ in range(calls_for(size)):
                cipher.encrypt_into(source, target, iv=iv, padding="none")
            last.record(stream)
            last.synchronize()
            speeds.append(size * calls_for(size) / (cupy.cuda.get_elapsed_time(first, last) / 1e3))
        if target.tobytes() != expected:
            sys.exit(f"device_speed: CuPy's {name} of {size} bytes differs")
        del source, target
    cupy.get_default_memory_pool().free_all_blocks()
    return speeds


def by_torch(torch: Any, name: str, size: int, expected: bytes) -> list[float]:
    cipher, iv = keyed(name)
    speeds = []
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        source = torch.zeros(size, dtype=torch.uint8, device="cuda")
        target = torch.empty_like(source)
        cipher.encrypt_into(source, target, iv=iv, padding="none")
        stream.synchronize()
        for _ in range(NUM_RUNS):
            first, last = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            first.record(stream)
            for _ in range(calls_for(size)):
                cipher.encrypt_into(source, target, iv=iv, padding="none")
            last.record(stream)
            last.synchronize()
            speeds.append(size * calls_for(size) / (first.elapsed_time(last) / 1e3))
        if target.cpu().numpy().tobytes() != expected:
            sys.exit(f"device_speed: PyTorch's {name} of {size} bytes differs")
        del source, target
    torch.cuda.empty_cache()
    return speeds


def optional(name: str) -> Any:
    try:
        return __import__(name)
    except ImportError:
        return None


def measure(program: str, name: str, size: int) -> dict[str, float]:
    cipher, iv = keyed(name)
    expected = cipher.encrypt(bytes(size), iv=iv, padding="none")
    speeds: dict[str, list[float]] = {}
    cupy, torch = optional("cupy"), optional("torch")
    for _ in range(NUM_ROUNDS):
        speeds.setdefault("C++", []).extend(by_cpp(program, name, size))
        if cupy is not None:
            speeds.setdefault("CuPy", []).extend(by_cupy(cupy, name, size, expected))
        if torch is not None and torch.cuda.is_available():
            speeds.setdefault("PyTorch", []).extend(by_torch(torch, name, size, expected))
    return {side: statistics.median(values) for side, values in speeds.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--json")
    parser.add_argument("--quick", action="store_true", help="one cipher and two sizes")
    arguments = parser.parse_args()
    gpu = next(engine.description for engine in phalanx.engines() if engine.name == "cuda")
    print(f"{gpu}; GB/s of encryption from buffer to buffer; medians of {NUM_ROUNDS * NUM_RUNS} runs; every output compared")
    print("| cipher | MiB | C++ | CuPy | of C++ | PyTorch | of C++ |\n|---|---:|---:|---:|---:|---:|---:|")
    rows = []
    for name in NAMES[:1] if arguments.quick else NAMES:
        for size in SIZES[1:3] if arguments.quick else SIZES:
            found = measure(arguments.program, name, size)
            rows.append({"cipher": name, "bytes": size, "bytes_per_second": found})
            cells = [f"{found['C++'] / 1e9:.1f}"]
            for side in ("CuPy", "PyTorch"):
                cells += [f"{found[side] / 1e9:.1f}", f"{found[side] / found['C++']:.3f}"] if side in found else ["", ""]
            print(f"| {name} | {size >> 20} | {' | '.join(cells)} |", flush=True)
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump({"gpu": gpu, "phalanx": phalanx.__version__, "rows": rows}, file, indent=1)


if __name__ == "__main__":
    main()
