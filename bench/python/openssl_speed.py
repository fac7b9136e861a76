#!/usr/bin/env python3
"""AES-256 of the library beside the OpenSSL that PyPI's `cryptography` carries, by its update_into: one core, one run.

usage: openssl_speed.py LIBRARY.so [--engine NAME] [--json FILE] [--commit NAME] [--seconds S]

Messages of 64 KiB and of 1 MiB. Ours are whole calls of the C interface, the iv and for GCM the tag included; OpenSSL's contexts are
kept from one message to the next, which is the least that a user pays. Every byte of both is compared before the timing and after
it; then the sides take turns, and the figure is the fastest of the rounds, since machines that are shared slow either side at times.
"""

import argparse
import ctypes
import json
import os
import platform
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import cryptography
from cryptography.hazmat.backends.openssl import backend
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

NUM_ROUNDS = 25
SIZES = (64 << 10, 1 << 20)
KEY = bytes(range(32))
IV = bytes(range(100, 116))


class EngineOptions(ctypes.Structure):
    """phalanx_engine_options of phalanx.h."""

    _fields_ = (
        ("struct_bytes", ctypes.c_size_t),
        ("engine", ctypes.c_char_p),
        ("num_threads", ctypes.c_int),
    )


class CipherPolicy(ctypes.Structure):
    """phalanx_cipher_policy of phalanx.h."""

    _fields_ = (
        ("struct_bytes", ctypes.c_size_t),
        ("allow_legacy", ctypes.c_int),
    )


class Job(NamedTuple):
    mode: str
    encrypts: bool
    theirs: Callable[[], Any]


JOBS = (
    Job("ecb", True, modes.ECB),
    Job("ctr", True, lambda: modes.CTR(IV)),
    Job("cbc", False, lambda: modes.CBC(IV)),
    Job("xts", True, lambda: modes.XTS(IV)),
    Job("gcm", True, lambda: modes.GCM(IV[:12])),
)


def key_of(job: Job) -> bytes:
    return KEY + KEY[::-1] if job.mode == "xts" else KEY


class Ours:
    """A cipher of the library under its key, and a message's memory."""

    def __init__(self, library: ctypes.CDLL, engine: str, job: Job, data: bytes) -> None:
        self.library, self.job, self.size = library, job, len(data)
        self.source = ctypes.create_string_buffer(data, len(data))
        self.target = ctypes.create_string_buffer(len(data))
        self.tag = ctypes.create_string_buffer(16)
        self.handle = ctypes.c_void_p()
        options = EngineOptions(ctypes.sizeof(EngineOptions), engine.encode() or None, 1)
        policy = CipherPolicy(ctypes.sizeof(CipherPolicy), 1)
        kind = "aead" if job.mode == "gcm" else "cipher"
        choice = ctypes.c_void_p() if kind == "aead" else ctypes.byref(policy)
        make = getattr(library, f"phalanx_{kind}_new")
        name, key = f"aes-256-{job.mode}".encode(), key_of(job)
        self.check(make(ctypes.byref(self.handle), name, key, ctypes.c_size_t(len(key)), choice, ctypes.byref(options)))
        chosen = ctypes.c_char_p()
        self.check(getattr(library, f"phalanx_{kind}_engine")(self.handle, ctypes.byref(chosen)))
        self.engine = (chosen.value or b"").decode()

    def check(self, code: int) -> None:
        if code != 0:
            sys.exit(f"openssl_speed: aes-256-{self.job.mode}: the library returned {code}")

    def run(self) -> Callable[[], Any]:
        size, none = ctypes.c_size_t(self.size), ctypes.c_void_p()
        if self.job.mode == "gcm":
            nonce, nonce_bytes, nothing = ctypes.c_char_p(IV[:12]), ctypes.c_size_t(12), ctypes.c_size_t(0)
            tag_bytes = ctypes.c_size_t(16)
            seal = self.library.phalanx_aead_seal
            text = (self.source, size, self.target, size)
            return lambda: self.check(seal(self.handle, nonce, nonce_bytes, none, nothing, *text, self.tag, tag_bytes))
        iv = none if self.job.mode == "ecb" else ctypes.c_char_p(IV)
        crypt = self.library.phalanx_cipher_encrypt if self.job.encrypts else self.library.phalanx_cipher_decrypt
        return lambda: self.check(crypt(self.handle, iv, self.source, self.target, size, none))


def their_context(job: Job) -> Any:
    cipher = Cipher(algorithms.AES(key_of(job)), job.theirs())
    return cipher.encryptor() if job.encrypts else cipher.decryptor()


def compare(job: Job, ours: Ours, data: bytes) -> None:
    """Both once over the same message."""
    ours.run()()
    target = bytearray(len(data) + 16)
    their_context(job).update_into(data, target)
    if bytes(target[: len(data)]) != ours.target.raw:
        sys.exit(f"openssl_speed: aes-256-{job.mode}, {len(data)} bytes: the results differ")
    ctypes.memset(ours.target, 0x5A, len(data))


def seconds_of(side: Callable[[], Any], calls: int) -> float:
    start = time.perf_counter()
    for _ in range(calls):
        side()
    return (time.perf_counter() - start) / calls


def measure(library: ctypes.CDLL, engine: str, job: Job, size: int, seconds: float) -> dict[str, Any]:
    data = os.urandom(size)
    ours = Ours(library, engine, job, data)
    compare(job, ours, data)
    context, target = their_context(job), bytearray(size + 16)
    sides: dict[str, Callable[[], Any]] = {"phalanx": ours.run(), "openssl": lambda: context.update_into(data, target)}
    calls = {name: max(1, int(seconds / NUM_ROUNDS / seconds_of(side, 3))) for name, side in sides.items()}
    fastest = dict.fromkeys(sides, float("inf"))
    for _ in range(NUM_ROUNDS):
        for name, side in sides.items():
            fastest[name] = min(fastest[name], seconds_of(side, calls[name]))
    compare(job, ours, data)
    rates = {name: size / value / 1e9 for name, value in fastest.items()}
    return {"mode": job.mode, "direction": "encrypt" if job.encrypts else "decrypt", "bytes": size, "engine": ours.engine, "GB/s": rates}


def processor() -> str:
    """As phalanx-bench names it: the model without its clock and cores, and its numbers."""
    facts: dict[str, str] = {}
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
        for line in file:
            name, _, value = line.partition(":")
            facts.setdefault(name.strip(), value.strip())
    return f"{facts.get('model name', platform.machine())}, family {facts.get('cpu family')} model {facts.get('model')}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", help="libphalanx.so")
    parser.add_argument("--engine", default="")
    parser.add_argument("--json")
    parser.add_argument("--commit", default="")
    parser.add_argument("--seconds", type=float, default=1.0)
    arguments = parser.parse_args()
    library = ctypes.CDLL(os.path.realpath(arguments.library))
    version = backend.openssl_version_text()
    print(f"{processor()}; cryptography {cryptography.__version__}, {version}")
    print("| AES-256 | message | engine | GB/s | OpenSSL | ratio |\n|---|---:|---|---:|---:|---:|")
    rows = []
    for job in JOBS:
        for size in SIZES:
            row = measure(library, arguments.engine, job, size, arguments.seconds)
            ours, theirs = row["GB/s"]["phalanx"], row["GB/s"]["openssl"]
            name = f"{job.mode.upper()} {row['direction']}ion"
            print(f"| {name} | {size >> 10} KiB | {row['engine']} | {ours:.2f} | {theirs:.2f} | {ours / theirs:.2f} |", flush=True)
            rows.append(row)
    if arguments.json:
        result = {"cpu": processor(), "date": time.strftime("%Y-%m-%d"), "commit": arguments.commit, "openssl": version, "rows": rows}
        result["cryptography"] = cryptography.__version__
        with open(arguments.json, "w", encoding="utf-8") as file:
            file.write(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
