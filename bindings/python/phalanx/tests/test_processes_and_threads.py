"""Threads, forked processes, and what an import brings along."""

import concurrent.futures
import multiprocessing
import os
import subprocess
import sys
import threading

import pytest

import phalanx

CIPHER = phalanx.Cipher("aes-256-ctr", bytes(range(32)))
DATA = os.urandom(1 << 20)
SEALED = CIPHER.encrypt(DATA, bytes(16))


def seal_one(number: int) -> bytes:
    """In another process: forked with an object that was used, or started anew."""
    iv = number.to_bytes(16, "big")
    return CIPHER.encrypt(bytes(200_000 + number), iv) + phalanx.Aead("aes-128-gcm", bytes(16)).seal(iv, DATA[:100_000])


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_multiprocessing(method: str) -> None:
    with multiprocessing.get_context(method).Pool(3) as pool:
        results = pool.map(seal_one, range(6))
    # DATA is another where the module is imported anew: the part of it is compared only after a fork.
    for number, result in enumerate(results):
        own = seal_one(number)
        assert len(result) == len(own)
        assert result[: 200_000 + number] == own[: 200_000 + number]
        assert method != "fork" or result == own


def test_forks_while_threads_work() -> None:
    """Other threads hold the library's locks at some of the forks; no child waits for one of them."""
    done = threading.Event()

    def work() -> None:
        while not done.is_set():
            phalanx.Cipher("aes-256-ctr", bytes(32)).encrypt(DATA[:50_000], bytes(16))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    statuses = []
    for _ in range(20):
        child = os.fork()
        if child == 0:
            os._exit(0 if CIPHER.encrypt(DATA, bytes(16)) == SEALED and phalanx.Secret(b"x") else 1)
        statuses.append(os.waitpid(child, 0)[1])
    done.set()
    for thread in threads:
        thread.join()
    assert statuses == [0] * 20


def test_threads_share_a_cipher() -> None:
    def work(number: int) -> bool:
        return all(CIPHER.decrypt(SEALED[: 1000 * i], bytes(16)) == DATA[: 1000 * i] for i in range(number, number + 20))

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(20)))


def test_another_thread_runs_meanwhile() -> None:
    """While a long call works, this thread counts: the lock was given away."""
    data = bytes(8 << 20)
    serial = phalanx.Cipher("des-ede3-ofb", bytes(range(24)), threads=1)  # takes most of a second
    finished = threading.Event()

    def work() -> None:
        serial.encrypt(data, bytes(8))
        finished.set()

    thread = threading.Thread(target=work)
    thread.start()
    counted = 0
    while not finished.is_set():
        counted += 1
    thread.join()
    assert counted > 1000


def test_an_object_for_one_thread_says_so() -> None:
    stream = phalanx.Cipher("des-ede3-ofb", bytes(range(24))).encryptor(bytes(8))
    started = threading.Event()

    def long_call() -> None:
        started.set()
        stream.update(bytes(4 << 20))

    thread = threading.Thread(target=long_call)
    thread.start()
    started.wait()
    refused = False
    while thread.is_alive() and not refused:
        try:
            stream.update(b"")
        except phalanx.UsageError as error:
            refused = "another thread" in str(error)
    thread.join()
    assert refused


def run_python(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_an_import_brings_little() -> None:
    heavy = "numpy asyncio ctypes hashlib tempfile subprocess logging inspect dataclasses tqdm ssl socket".split()
    code = "import sys; before = set(sys.modules); import phalanx; print(*(set(sys.modules) - before))"
    assert set(run_python(code).split()).isdisjoint(heavy)


def test_the_program() -> None:
    from phalanx import __version__

    command = [sys.executable, "-m", "phalanx"]
    assert __version__ in subprocess.run([*command, "version"], capture_output=True, text=True, check=True).stdout
    failed = subprocess.run([*command, "nonsense"], capture_output=True, text=True, check=False)
    assert failed.returncode == 2
    assert failed.stderr.startswith("phalanx: unknown command")
    sealed = subprocess.run(
        [*command, "raw", "encrypt", "--cipher", "aes-128-ctr", "--key-env", "KEY", "--iv", "00" * 16],
        input=b"sixteen letters.",
        env={**os.environ, "KEY": "00" * 16},
        capture_output=True,
        check=True,
    )
    assert sealed.stdout.hex() == "158033a08aef421be4298e2daf465800"
