"""Threads, forked processes, and what an import brings along."""

import concurrent.futures
import multiprocessing
import os
import pathlib
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest

import phalanx
from phalanx import _native

CIPHER = phalanx.Cipher("aes-256-ctr", bytes(range(32)))
DATA = os.urandom(1 << 20)
SEALED = CIPHER.encrypt(DATA, iv=bytes(16))


def seal_one(number: int) -> bytes:
    """In another process: forked with an object that was used, or started anew."""
    iv = number.to_bytes(16, "big")
    return CIPHER.encrypt(bytes(200_000 + number), iv=iv) + phalanx.Aead("aes-128-gcm", bytes(16)).seal(iv[:12], DATA[:100_000])


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
            phalanx.Cipher("aes-256-ctr", bytes(32)).encrypt(DATA[:50_000], iv=bytes(16))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    statuses = []
    for _ in range(20):
        child = os.fork()
        if child == 0:
            os._exit(0 if CIPHER.encrypt(DATA, iv=bytes(16)) == SEALED and phalanx.Secret(b"x") else 1)
        statuses.append(os.waitpid(child, 0)[1])
    done.set()
    for thread in threads:
        thread.join()
    assert statuses == [0] * 20


def test_threads_share_a_cipher() -> None:
    def work(number: int) -> bool:
        return all(CIPHER.decrypt(SEALED[: 1000 * i], iv=bytes(16)) == DATA[: 1000 * i] for i in range(number, number + 20))

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(20)))


def counts_while_it_works(data: bytes) -> int:
    """How far this thread counts while another is in one long call."""
    serial = phalanx.Cipher("des-ede3-ofb", bytes(range(24)), threads=1, allow_legacy=True)
    finished = threading.Event()

    def work() -> None:
        serial.encrypt(data, iv=bytes(8))
        finished.set()

    thread = threading.Thread(target=work)
    thread.start()
    counted = 0
    while not finished.is_set():
        counted += 1
    thread.join()
    return counted


def test_another_thread_runs_meanwhile() -> None:
    """The lock was given away. A busy machine may not let this thread run for as long as a call takes: not ten times, though."""
    data = bytes(8 << 20)  # most of a second
    assert any(counts_while_it_works(data) > 1000 for _ in range(10))


MESSAGES_BY_PARTS: dict[str, Callable[[], Any]] = {
    "Incremental": lambda: phalanx.Cipher("des-ede3-ofb", bytes(range(24)), allow_legacy=True).encryptor(iv=bytes(8)),
    "GcmStream": lambda: _native.GcmStream("aes-256-gcm", bytes(32), bytes(12), True),
    "ByteFeedback": lambda: _native.ByteFeedback("aes-256", bytes(32), bytes(16), True),
}


def is_refused_meanwhile(stream: Any) -> bool:
    """Whether this thread is refused while another is in one long call."""
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
            refused = "another thread is using this object" in str(error)
    thread.join()
    return refused


@pytest.mark.parametrize("kind", MESSAGES_BY_PARTS)
def test_an_object_for_one_thread_says_so(kind: str) -> None:
    assert any(is_refused_meanwhile(MESSAGES_BY_PARTS[kind]()) for _ in range(50))


def test_a_file_for_one_thread_says_so(tmp_path: pathlib.Path) -> None:
    """Two threads read from a pipe: one waits for its bytes, and the other, which is refused, writes them."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writing = os.open(pipe, os.O_RDWR)  # without waiting for a reader
    reader = _native.ForeignFileReader(pipe, phalanx.ForeignFormat("aes-256-ctr", key=bytes(32), iv=bytes(16)))
    refusals: list[str] = []

    def read() -> None:
        try:
            reader.read_into(bytearray(10))
        except phalanx.UsageError as error:
            refusals.append(str(error))
            os.write(writing, bytes(10))
            os.close(writing)

    threads = [threading.Thread(target=read) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert refusals == ["another thread is reading this file: let one do it"]


ENDS_OF_A_CHILD: dict[str, Callable[[Any], object]] = {
    "exit": lambda file: sys.exit(0),
    "close": lambda file: file.close(),
    "discard": lambda file: file.discard(),
    "write": lambda file: file.write(bytes(200_000)),
    "forgotten": lambda file: None,
}


@pytest.mark.parametrize("end", ENDS_OF_A_CHILD)
def test_a_child_leaves_the_file_of_its_parent(tmp_path: pathlib.Path, end: str) -> None:
    """However it ends: the container is the parent's to finish."""
    path = tmp_path / "new"
    with phalanx.open(path, "wb", key=bytes(32)) as file:
        file.write(DATA[:100_000])
        child = os.fork()
        if child == 0:
            try:
                with file:
                    ENDS_OF_A_CHILD[end](file)
            except (SystemExit, phalanx.ForkError):
                pass
            finally:
                del file
                os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        file.write(DATA[100_000:])
    with phalanx.open(path, key=bytes(32)) as written:
        assert written.read() == DATA
    assert os.listdir(tmp_path) == ["new"]


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


def test_a_limit_of_threads() -> None:
    cipher = phalanx.Cipher("aes-256-ctr", bytes(32))
    expected = cipher.encrypt(bytes(1 << 22), iv=bytes(16))
    for most in (1, 2, 0):
        phalanx.limit_threads(most)
        assert cipher.encrypt(bytes(1 << 22), iv=bytes(16)) == expected
    with pytest.raises(phalanx.UsageError, match="limit"):
        phalanx.limit_threads(-1)


def test_a_second_interpreter_is_refused() -> None:
    """And the first one goes on: its classes stay its own (mod_wsgi; pyca/cryptography#12080)."""
    code = """
import sys, phalanx
try:
    import _interpreters as interpreters
    run = interpreters.exec
except ImportError:
    import _xxsubinterpreters as interpreters
    run = interpreters.run_string

def works():
    assert phalanx.Cipher("aes-256-ctr", bytes(32)).encrypt(b"x", iv=bytes(16))
    assert phalanx.unseal(phalanx.seal(b"x", key=bytes(32)), key=bytes(32)) == b"x"
    try:
        phalanx.Cipher("nope", bytes(32))
    except phalanx.Error as error:
        return type(error).__name__

assert works() == "UsageError"
for _ in range(2):
    other = interpreters.create()
    run(other, "import sys; sys.path[:0] = %r\\n" % sys.path + '''
try:
    import phalanx
    print("imported")
except ImportError as error:
    print(error)
''')
    assert works() == "UsageError"
    interpreters.destroy(other)
print(works())
"""
    refusal = "phalanx serves one interpreter of a process, and another one has imported it: import it there, or in a process of its own"
    assert run_python(code).splitlines() == [refusal, refusal, "UsageError"]
