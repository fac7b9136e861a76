#!/usr/bin/env python3
"""The Python package beside `cryptography`, pycryptodome, and the packages that have Serpent or Twofish.

usage: package_speed.py [--json FILE] [--commit NAME] [--seconds S] [--engine NAME]

One process, one run. In each row the sides take turns, every output is compared with the others' before it is timed, and the
figure is the median of the rounds. What is not installed is left out, and said. One core unless the row says otherwise:
`cryptography` and pycryptodome use one, and ours is told to.
"""

import argparse
import functools
import json
import multiprocessing
import os
import pathlib
import statistics
import sys
import threading
import time
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import phalanx

KIB, MIB = 1 << 10, 1 << 20
NUM_ROUNDS = 9

Side = Callable[[], Any]


class Row(NamedTuple):
    """What one job took: bytes per second, or seconds for a call, by each side."""

    job: str
    unit: str
    goal: float | None
    sides: dict[str, float]

    def ratio(self, other: str) -> float:
        ours, theirs = self.sides["phalanx"], self.sides[other]
        return theirs / ours if self.unit == "us" else ours / theirs


def optional(name: str) -> Any:
    try:
        return __import__(name, fromlist=["_"])
    except ImportError:
        print(f"package_speed: {name} is not installed: left out", file=sys.stderr)
        return None


class Measuring:
    """Takes times of jobs, each for about so many seconds, with an engine of ours."""

    def __init__(self, seconds: float, engine: str = "auto") -> None:
        self.seconds = seconds
        self.engine = engine
        self.rows: list[Row] = []

    def _calls(self, side: Side) -> int:
        start = time.perf_counter()
        side()
        once = time.perf_counter() - start
        return max(1, int(self.seconds / NUM_ROUNDS / max(once, 1e-7)))

    def _seconds_of(self, side: Side, calls: int) -> float:
        start = time.perf_counter()
        for _ in range(calls):
            side()
        return (time.perf_counter() - start) / calls

    def run(self, job: str, num_bytes: int, sides: dict[str, Side], goal: float | None = None) -> None:
        """The sides return the same bytes. With no bytes, a call's time in microseconds is what counts."""
        results = {name: bytes(side()) for name, side in sides.items()}
        if len(set(results.values())) != 1:
            sys.exit(f"package_speed: {job}: the results differ: " + ", ".join(results))
        calls = {name: self._calls(side) for name, side in sides.items()}
        times: dict[str, list[float]] = {name: [] for name in sides}
        for _ in range(NUM_ROUNDS):
            for name, side in sides.items():
                times[name].append(self._seconds_of(side, calls[name]))
        medians = {name: statistics.median(values) for name, values in times.items()}
        unit = "MB/s" if num_bytes else "us"
        figures = {name: num_bytes / value / 1e6 if num_bytes else value * 1e6 for name, value in medians.items()}
        row = Row(job, unit, goal, figures)
        self.rows.append(row)
        print(line_of(row), flush=True)


def line_of(row: Row) -> str:
    """A row of the table, in Markdown."""
    cells = [row.job, f"{figure(row.sides['phalanx'])} {row.unit}"]
    others = [name for name in row.sides if name != "phalanx"]
    cells.append("; ".join(f"{name} {figure(row.sides[name])}" for name in others))
    cells.append("; ".join(f"{row.ratio(name):.2f}" for name in others))
    cells.append("" if row.goal is None else f"{row.goal:g}")
    return "| " + " | ".join(cells) + " |"


def figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def run_foreign_data(measure: Measuring, has_avx512: bool) -> None:
    """Triple DES, CBC decryption by decrypt_into."""
    ciphers = optional("cryptography.hazmat.primitives.ciphers")
    algorithms = optional("cryptography.hazmat.decrepit.ciphers.algorithms")
    module = optional("Crypto.Cipher.DES3")
    key, iv = bytes(range(24)), bytes(8)
    for size, goal in ((MIB, 45), (64 * MIB, 30)):
        data = os.urandom(size)
        target = bytearray(size + 16)
        for threads in (1, 0):
            cipher = phalanx.Cipher("des-ede3-cbc", key, measure.engine, threads)

            def ours(cipher: phalanx.Cipher = cipher) -> Any:
                cipher.decrypt_into(data, target, iv=iv, padding="none")
                return memoryview(target)[:size]

            def theirs() -> Any:
                context = ciphers.Cipher(algorithms.TripleDES(key), ciphers.modes.CBC(iv)).decryptor()
                context.update_into(data, target)
                return memoryview(target)[:size]

            sides: dict[str, Side] = {"phalanx": ours}
            if ciphers is not None:
                sides["cryptography"] = theirs
            if module is not None and size == MIB:
                sides["pycryptodome"] = lambda: module.new(key, module.MODE_CBC, iv=iv).decrypt(data)
            cores = "1 core" if threads == 1 else f"{len(os.sched_getaffinity(0))} cores"
            wanted = (goal if has_avx512 else 20) if threads == 0 else None
            measure.run(f"des-ede3-cbc decryption, decrypt_into, {size // MIB} MiB, {cores}", size, sides, wanted)


def run_records(measure: Measuring) -> None:
    """Records with a key each, CBC encryption."""
    module = optional("Crypto.Cipher.DES3")
    num, size = 100_000, KIB
    blob = os.urandom(num * size)
    records = [blob[i : i + size] for i in range(0, len(blob), size)]
    keys = [os.urandom(24) for _ in range(num)]
    ivs = [os.urandom(8) for _ in range(num)]
    cipher = phalanx.Cipher("des-ede3-cbc", keys[0], measure.engine, threads=1, allow_legacy=True)
    part = num // 50  # of which the loop's time is taken: a loop's time grows with its length

    def ours() -> bytes:
        return b"".join(cipher.encrypt_many(records, ivs, keys, padding="none")[:part])

    def loop() -> bytes:
        new, mode = module.new, module.MODE_CBC
        return b"".join([new(k, mode, iv=iv).encrypt(r) for k, iv, r in zip(keys[:part], ivs[:part], records[:part])])

    if module is None:
        return
    if ours() != loop():
        sys.exit("package_speed: records: the results differ")
    times: dict[str, list[float]] = {"phalanx": [], "pycryptodome": []}
    for _ in range(NUM_ROUNDS):
        start = time.perf_counter()
        cipher.encrypt_many(records, ivs, keys, padding="none")
        middle = time.perf_counter()
        loop()
        times["phalanx"].append(num * size / (middle - start) / 1e6)
        times["pycryptodome"].append(part * size / (time.perf_counter() - middle) / 1e6)
    sides = {name: statistics.median(values) for name, values in times.items()}
    row = Row(f"des-ede3-cbc encryption, {num:,} records of 1 KiB, a key each, 1 core", "MB/s", 20, sides)
    measure.rows.append(row)
    print(line_of(row), flush=True)


def run_aes(measure: Measuring) -> None:
    """AES-256 at 64 KiB."""
    ciphers = optional("cryptography.hazmat.primitives.ciphers")
    aead_module = optional("cryptography.hazmat.primitives.ciphers.aead")
    module = optional("Crypto.Cipher.AES")
    if ciphers is None:
        return
    algorithms, modes = ciphers.algorithms, ciphers.modes
    size, iv, key = 64 * KIB, bytes(range(16)), bytes(range(32))
    data, target = os.urandom(64 * KIB), bytearray(64 * KIB + 16)
    goals: dict[str, tuple[str, Any, bytes, float]] = {
        "ctr": ("encryption", modes.CTR(iv), key, 1.5),
        "cbc": ("decryption", modes.CBC(iv), key, 1.5),
        "xts": ("encryption", modes.XTS(iv), bytes(range(64)), 1.0),
    }
    for mode, (way, their_mode, mode_key, goal) in goals.items():
        cipher = phalanx.Cipher(f"aes-256-{mode}", mode_key, measure.engine, threads=1)
        crypt = cipher.encrypt_into if way == "encryption" else cipher.decrypt_into
        keyed = ciphers.Cipher(algorithms.AES(mode_key), their_mode)

        def ours(crypt: Any = crypt) -> Any:
            crypt(data, target, iv=iv, padding="none")
            return memoryview(target)[:size]

        def theirs(keyed: Any = keyed, way: str = way) -> Any:
            context = keyed.encryptor() if way == "encryption" else keyed.decryptor()
            context.update_into(data, target)
            context.finalize()
            return memoryview(target)[:size]

        sides: dict[str, Side] = {"phalanx": ours, "cryptography": theirs}
        if module is not None and mode == "cbc":
            sides["pycryptodome"] = lambda: module.new(key, module.MODE_CBC, iv=iv).decrypt(data)
        if module is not None and mode == "ctr":
            sides["pycryptodome"] = lambda: module.new(key, module.MODE_CTR, nonce=b"", initial_value=iv).encrypt(data)
        measure.run(f"aes-256-{mode} {way}, 64 KiB, 1 core", size, sides, goal)
    aead, pyca = phalanx.Aead("aes-256-gcm", key, measure.engine, threads=1), aead_module.AESGCM(key)
    measure.run(
        "aes-256-gcm, seal, 64 KiB, 1 core",
        size,
        {"phalanx": lambda: aead.seal(iv[:12], data), "cryptography": lambda: pyca.encrypt(iv[:12], data, None)},
        1.0,
    )


def run_calls(measure: Measuring) -> None:
    """16 bytes: what a call costs."""
    ciphers = optional("cryptography.hazmat.primitives.ciphers")
    aead_module = optional("cryptography.hazmat.primitives.ciphers.aead")
    if ciphers is None:
        return
    key, iv, data = bytes(range(32)), bytes(16), bytes(16)
    cipher, aead = phalanx.Cipher("aes-256-cbc", key, measure.engine), phalanx.Aead("aes-256-gcm", key, measure.engine)
    pyca = aead_module.AESGCM(key)
    keyed = ciphers.Cipher(ciphers.algorithms.AES(key), ciphers.modes.CBC(iv))

    def context() -> bytes:
        encryptor = keyed.encryptor()
        result: bytes = encryptor.update(data) + encryptor.finalize()
        return result

    def parts() -> bytes:
        encryptor = cipher.encryptor(iv=iv, padding="none")
        return encryptor.update(data) + encryptor.finalize()

    def anew() -> bytes:
        return phalanx.Cipher("aes-256-cbc", key, measure.engine).encrypt(data, iv=iv, padding="none")

    def context_anew() -> bytes:
        encryptor = ciphers.Cipher(ciphers.algorithms.AES(key), ciphers.modes.CBC(iv)).encryptor()
        result: bytes = encryptor.update(data) + encryptor.finalize()
        return result

    whole: dict[str, Side] = {"phalanx": lambda: cipher.encrypt(data, iv=iv, padding="none"), "cryptography": context}
    measure.run("aes-256-cbc, a call on 16 bytes", 0, whole, 1)
    measure.run("the same with a key that is set for it", 0, {"phalanx": anew, "cryptography": context_anew}, 1)
    measure.run("the same by encryptor, update, finalize", 0, {"phalanx": parts, "cryptography": context}, 1)
    nonce = bytes(12)
    sealing: dict[str, Side] = {"phalanx": lambda: aead.seal(nonce, data), "cryptography": lambda: pyca.encrypt(nonce, data, None)}
    measure.run("aes-256-gcm, seal 16 bytes", 0, sealing, 1)


def run_serpent_and_twofish(measure: Measuring) -> None:
    """Beside every package of PyPI that has them and can be installed. Few have more than single blocks."""
    key, iv = bytes(range(32)), bytes(16)
    sides: dict[str, Side]
    pyserpent, twofish, oxifish = optional("pyserpent"), optional("twofish"), optional("oxifish")
    if pyserpent is not None:
        data = os.urandom(16 * 64)
        theirs = pyserpent.Serpent(key)
        ours = phalanx.Cipher("serpent-256-ecb", key, measure.engine, threads=1, allow_legacy=True)

        def by_blocks() -> bytes:
            return b"".join(theirs.encrypt(data[i : i + 16]) for i in range(0, len(data), 16))

        sides = {"phalanx": lambda: ours.encrypt(data, iv=None, padding="none"), "pyserpent": by_blocks}
        measure.run("serpent-256, 1 KiB by blocks, 1 core", len(data), sides)
    if twofish is not None:
        data = os.urandom(64 * KIB)
        single = twofish.Twofish(key)
        ecb = phalanx.Cipher("twofish-256-ecb", key, measure.engine, threads=1, allow_legacy=True)

        def one_by_one() -> bytes:
            return b"".join(single.encrypt(data[i : i + 16]) for i in range(0, len(data), 16))

        sides = {"phalanx": lambda: ecb.encrypt(data, iv=None, padding="none"), "twofish": one_by_one}
        measure.run("twofish-256, 64 KiB by blocks, 1 core", len(data), sides)
    if oxifish is not None:
        data = os.urandom(MIB)
        keyed = oxifish.TwofishKey(key)
        for mode in ("ctr", "cbc"):
            cipher = phalanx.Cipher(f"twofish-256-{mode}", key, measure.engine, threads=1)
            arguments: dict[str, Any] = {"padding": "none"} if mode == "cbc" else {}
            name = "twofish-256-cbc decryption, 1 MiB, 1 core" if mode == "cbc" else "twofish-256-ctr, 1 MiB, 1 core"
            ours_now = functools.partial(cipher.decrypt, data, iv=iv, padding="none")
            theirs_now = functools.partial(keyed.decrypt, data, mode, iv=iv, **arguments)
            measure.run(name, len(data), {"phalanx": ours_now, "oxifish": theirs_now})


def two_cores() -> list[int]:
    """Two processors of this process that are no threads of one core, as far as the system tells: cores share much.

    Of many the first and one before the middle, since a virtual machine may hide which are neighbours.
    """
    allowed = sorted(os.sched_getaffinity(0))
    others = allowed[max(1, len(allowed) // 2 - 1) :]
    siblings = pathlib.Path(f"/sys/devices/system/cpu/cpu{allowed[0]}/topology/thread_siblings_list")
    neighbours: set[int] = set()
    if siblings.exists():
        for part in siblings.read_text(encoding="ascii").split(","):
            first, _, last = part.strip().partition("-")
            neighbours.update(range(int(first), int(last or first) + 1))
    return [allowed[0], *[cpu for cpu in others if cpu not in neighbours][:1]]


def seconds_of_both(work: Callable[[int], None], fork: bool) -> float:
    """How long two threads or two processes take together, from when both are ready."""
    context = multiprocessing.get_context("fork")
    barrier = context.Barrier(2) if fork else threading.Barrier(2)
    times = context.Array("d", 4, lock=False)

    def run(number: int) -> None:
        barrier.wait()
        times[number] = time.perf_counter()
        work(number)
        times[2 + number] = time.perf_counter()

    kind: Any = context.Process if fork else threading.Thread
    workers = [kind(target=run, args=(number,)) for number in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return float(max(times[2:]) - min(times[:2]))


def run_threads(measure: Measuring) -> None:
    """Two threads of Python, each on a core of its own, beside one of them, and beside two processes, which share no lock."""
    cores, data = two_cores(), os.urandom(MIB)
    if len(cores) < 2:
        print("package_speed: there are no two cores: two threads are left out", file=sys.stderr)
        return
    allowed = os.sched_getaffinity(0)
    for name in ("des-ede3-cbc", "aes-256-ctr"):
        facts = next(facts for facts in phalanx.ciphers() if facts.name == name)
        cipher = phalanx.Cipher(name, bytes(range(facts.key_bytes)), measure.engine, threads=1)
        iv, num_calls = bytes(facts.iv_bytes), 200
        targets = [bytearray(MIB), bytearray(MIB)]

        def work(number: int) -> None:
            os.sched_setaffinity(0, {cores[number]})  # of this thread alone
            for _ in range(num_calls):
                cipher.decrypt_into(data, targets[number], iv=iv, padding="none")
            os.sched_setaffinity(0, allowed)

        def one() -> float:
            start = time.perf_counter()
            work(0)
            return time.perf_counter() - start

        jobs: dict[str, tuple[int, Callable[[], float]]] = {
            "phalanx": (2, functools.partial(seconds_of_both, work, False)),
            "one thread": (1, one),
            "two processes": (2, functools.partial(seconds_of_both, work, True)),
        }
        seconds_of_both(work, False)
        if targets[0] != targets[1] or targets[0] != cipher.decrypt(data, iv=iv, padding="none"):
            sys.exit(f"package_speed: two threads with {name}: the results differ")
        rates: dict[str, list[float]] = {side: [] for side in jobs}
        for _ in range(NUM_ROUNDS):
            for side, (amount, job) in jobs.items():
                rates[side].append(amount * num_calls * MIB / job() / 1e6)
        sides = {side: statistics.median(values) for side, values in rates.items()}
        row = Row(f"{name} decryption, 1 MiB a call, two threads", "MB/s", 2, sides)
        measure.rows.append(row)
        print(line_of(row), flush=True)


def run_import(measure: Measuring) -> None:
    """What an import takes, in a process of its own, beside one that imports nothing."""
    import subprocess

    times: dict[str, list[float]] = {"phalanx": [], "nothing": []}
    for _ in range(NUM_ROUNDS):
        for side, code in (("phalanx", "import phalanx"), ("nothing", "")):
            start = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], check=True)
            times[side].append(time.perf_counter() - start)
    milliseconds = {side: statistics.median(values) * 1e3 for side, values in times.items()}
    taken = milliseconds["phalanx"] - milliseconds["nothing"]
    measure.rows.append(Row("import phalanx", "ms", 60, {"phalanx": taken}))
    print(f"| import phalanx | {taken:.3g} ms | | | 60 at most |", flush=True)


def machine() -> str:
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        pairs = (line.partition(":") for line in file)
        fields = {name.strip(): value.strip() for name, _, value in pairs}
    name = f"{fields.get('model name', '')}, family {fields.get('cpu family')} model {fields.get('model')}"
    return f"{name}, {len(os.sched_getaffinity(0))} cores"


def versions() -> dict[str, str]:
    import importlib.metadata

    found = {"python": sys.version.split()[0], "phalanx": phalanx.__version__}
    for package in ("cryptography", "pycryptodome", "twofish", "oxifish", "pyserpent"):
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            pass
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json")
    parser.add_argument("--commit", default="")
    parser.add_argument("--seconds", type=float, default=2.0, help="for each side of each row")
    parser.add_argument("--engine", default="auto", help="ours; a narrower one than the machine has, such as cpu:avx2")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    engine = phalanx.Cipher("aes-256-ctr", bytes(32), arguments.engine).engine
    print(f"{machine()}; {engine}; {versions()}; commit {arguments.commit}; {time.strftime('%Y-%m-%d', time.gmtime())}")
    print("| job | phalanx | others | ratio | goal |\n|---|---:|---:|---:|---:|")
    measure = Measuring(arguments.seconds, arguments.engine)
    run_foreign_data(measure, engine == "cpu:avx512")
    run_records(measure)
    run_aes(measure)
    run_calls(measure)
    run_serpent_and_twofish(measure)
    run_threads(measure)
    run_import(measure)
    if arguments.json:
        kept = {"machine": machine(), "engine": engine, "versions": versions(), "commit": arguments.commit}
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump({**kept, "rows": [row._asdict() for row in measure.rows]}, file, indent=1)


if __name__ == "__main__":
    main()
