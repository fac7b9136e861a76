"""The tables that a result of GPUs gives docs/notes/gpus.md.

The ceilings are made of bench/gpu/gpu_operations.json and the clock and the number of multiprocessors of the result.
"""

import json
import pathlib
import statistics

from table_text import number, size_text, table

OPERATIONS = json.loads((pathlib.Path(__file__).resolve().parent / "gpu" / "gpu_operations.json").read_text())
COLUMNS = [("ecb", "encrypt"), ("ecb", "decrypt"), ("cbc", "decrypt"), ("cfb", "decrypt"), ("ctr", "encrypt"),
           ("xts", "encrypt"), ("xts", "decrypt"), ("gcm", "encrypt")]  # fmt: skip


def runs(result, scope):
    return [run for run in result["runs"] if run["scope"] == scope]


def split_name(name):
    cipher, _, mode = name.rpartition("-")
    return cipher, mode


def ceiling(result, run, cipher, mode, direction):
    """GB/s; None where the operations are not known."""
    counts = OPERATIONS["ciphers"].get(cipher)
    if counts is None or (mode == "gcm" and "gcm encrypt" not in counts):
        return None
    in_a_cycle = OPERATIONS["operations_in_a_cycle_of_a_multiprocessor"][counts["unit"]]
    in_a_second = in_a_cycle * run["multiprocessors"] * result["max_clock_mhz"] * 1e6
    block_bytes = 8 if "des" in cipher else 16
    return in_a_second / counts.get(f"{mode} {direction}", counts["*"]) * block_bytes / 1e9


def kernels(result):
    (run,) = runs(result, "kernel")
    rates = {(*split_name(f["cipher"]), f["direction"]): f["gigabytes_per_second"] for f in run["figures"]}
    rows = []
    for cipher in OPERATIONS["ciphers"]:
        row = [cipher]
        for mode, direction in COLUMNS:
            rate = rates.get((cipher, mode, direction))
            most = ceiling(result, run, cipher, mode, direction)
            row.append("-" if rate is None else number(rate) + (f" ({rate / most:.2f})" if most else ""))
        rows.append(row)
    headings = ["GB/s (of the ceiling)", *(f"{mode.upper()} {direction}" for mode, direction in COLUMNS)]
    return table(headings, ["---", *["---:"] * len(COLUMNS)], rows) + "\n\n" + origin(result, run)


def driver_and_commit(result):
    return f"driver {result['driver']}; commit {result['commit']}, {result['date']}"


def origin(result, run):
    return (f"gpu_kernel_benchmark: kernels alone, {size_text(run['figures'][0]['bytes'])} of data in device memory; {result['gpu']}, "
            f"{run['multiprocessors']} multiprocessors at {result['max_clock_mhz']} MHz, {driver_and_commit(result)}; a copy "
            f"of device memory runs at {number(run['copy_gigabytes_per_second'])} GB/s.")


def batches(result):
    rows = [[f["cipher"], f"{f['messages']:,} of {size_text(f['message_bytes'])}", number(f["gigabytes_per_second"])]
            for run in runs(result, "kernel, a batch") for f in run["figures"]]  # fmt: skip
    return table(["encryption, a key each, in place", "messages", "GB/s"], ["---", "---", "---:"], rows) + (
        f"\n\ngpu_batch_benchmark: kernels alone, the expanding of keys included; {result['gpu']}, {driver_and_commit(result)}.")


def calls(result):
    (run,) = runs(result, "short calls")
    rows = [[f["what"], size_text(f["bytes"]) if f["bytes"] else "", *(f"{f[f'{which}_microseconds']:.1f}" for which in (
                "stream", "worst_stream", "returns_after", "with_the_wait", "fastest_with_the_wait"))]
            for f in run["figures"]]  # fmt: skip
    headings = ["us", "", "of the stream, best", "worst", "until it returns", "with the wait", "fastest"]
    return table(headings, ["---", "---", *["---:"] * 5], rows) + (
        f"\n\ngpu_call_benchmark: {result['gpu']}, {driver_and_commit(result)}.")  # fmt: skip


def host(result):
    (run,) = runs(result, "end to end")
    rows = [[size_text(f["bytes"]), f["cipher"], f["direction"], f["engine"], number(f["page_locked_gigabytes_per_second"]),
             f"{f['page_locked_gigabytes_per_second'] / f['link_gigabytes_per_second']:.2f}",
             number(f["link_gigabytes_per_second"]), number(f["pageable_gigabytes_per_second"])]
            for f in run["figures"]]  # fmt: skip
    headings = ["", "", "", "engine", "page-locked, GB/s", "of the link", "the link each way at once, GB/s", "pageable, GB/s"]
    return table(headings, ["---", "---", "---", "---", *["---:"] * 4], rows)


def files(result):
    (run,) = runs(result, "end to end, files in tmpfs")
    rows = [[f"{f['cipher']}, {size_text(f['bytes'])}",
             *(number(f[f"{who}_gigabytes_per_second"]) for who in ("cuda", "cpu", "cp"))] for f in run["figures"]]  # fmt: skip
    return table(["phalanx raw encrypt, GB/s", "--engine cuda", "--engine cpu", "cp"], ["---", "---:", "---:", "---:"], rows)


def seconds_text(seconds):
    return f"{min(seconds):.2f}, {statistics.median(seconds):.2f}"


def program(result):
    (run,) = runs(result, "end to end, containers in tmpfs")
    rows = []
    for f in run["figures"]:
        cpu, cuda = f["cpu_seconds"], f["cuda_seconds"]
        bare = [(which(cpu) - f["cpu_start_seconds"]) / (which(cuda) - f["cuda_start_seconds"]) for which in (min, statistics.median)]
        rows.append([f["direction"], seconds_text(cpu), seconds_text(cuda),
                     f"{min(cpu) / min(cuda):.2f}, {statistics.median(cpu) / statistics.median(cuda):.2f}",
                     ", ".join(f"{ratio:.2f}" for ratio in bare)])  # fmt: skip
    headings = [f"seconds, {size_text(run['figures'][0]['bytes'])}", "`cpu`: fastest, median", "`cuda`", "rate, `cuda` over `cpu`",
                "without the start"]  # fmt: skip
    return table(headings, ["---", *["---:"] * 4], rows) + f"\n\n{result['gpu']}, {driver_and_commit(result)}."


TABLES = {"kernels": ("kernel", kernels), "batches": ("kernel, a batch", batches), "host": ("end to end", host),
          "calls": ("short calls", calls), "files": ("end to end, files in tmpfs", files),
          "program": ("end to end, containers in tmpfs", program)}  # fmt: skip


def tables_of(result):
    """Those that the result has figures for: it may be of some of the benchmarks."""
    return {name: table_of for name, (scope, table_of) in TABLES.items() if runs(result, scope)}
