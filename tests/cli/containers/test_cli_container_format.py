"""The program against docs/format.md: the reader in Python, which was written from it, reads what the program writes, and the
program reads the corpus of containers, which was written in Python. Skipped where the package cryptography is missing."""

import hashlib
import os
import pathlib
import sys

import pytest
from conftest import random_bytes

VECTORS = pathlib.Path(__file__).parents[2] / "vectors"
sys.path.insert(0, str(VECTORS.parent / "container"))
pytest.importorskip("cryptography", reason="cryptography is not installed")
pytest.importorskip("libgcrypt_gcm", reason="libgcrypt is not installed")

import check_reader  # noqa: E402
import read_container as reader  # noqa: E402

KEY_BYTES = {"aes-256": 32, "aes-128": 16, "serpent-256": 32, "twofish-256": 32}


@pytest.mark.parametrize("suite", KEY_BYTES)
@pytest.mark.parametrize("size", [0, 16384, 5 * 16384 + 3])
def test_the_reader_reads_what_the_program_writes(phalanx, suite, size):
    key, plain = random_bytes(KEY_BYTES[suite]), random_bytes(size)
    phalanx.write("key", key)
    phalanx.write("pass", b"two words\r\nmore")
    phalanx.write("in", plain)
    secrets = ["--key-file", "key", "--passphrase-file", "pass", "--scrypt-log-n", "10"]
    phalanx.run("encrypt", "--cipher", suite, *secrets, "in", "out", check=0)
    sealed = phalanx.read("out")
    assert reader.open_container(sealed, 1, key) == plain
    assert reader.open_container(sealed, 2, b"two words") == plain
    phalanx.run("encrypt", "--bare", "--context", "00ff", "--cipher", suite, "--key-file", "key", "in", "bare", check=0)
    phalanx.run("encrypt", "--cipher", suite, "--context", "00ff", "--bind-name", *secrets, "in", "bound", "-q", check=0)
    sealed = phalanx.read("bound")
    assert reader.open_container(sealed, 1, key, b"\x00\xff", b"in") == plain
    assert reader.open_container(sealed, 2, b"two words", b"\x00\xff", any_name=True) == plain
    number = next(number for number, (name, _, _) in reader.SUITES.items() if name == suite)
    assert reader.open_message(number, key, b"\x00\xff", phalanx.read("bare")) == plain


def test_the_program_opens_the_corpus(phalanx):
    for record in (record for version in (1, 2) for record in check_reader.records_of(VECTORS / "containers" / f"version_{version}.txt")):
        context = ["--context", record["context"]] if "context" in record else []
        name = ["--name", os.fsdecode(check_reader.expand(record["name"]))] if "name" in record else []
        phalanx.write("sealed", check_reader.expand(record["sealed"]))
        option = "--key-file" if "key" in record else "--passphrase-file"
        phalanx.write("secret", bytes.fromhex(record["key"] if "key" in record else record["passphrase"]))
        done = phalanx.run("decrypt", option, "secret", *context, *name, "sealed", check=0)
        assert hashlib.sha512(done.stdout).hexdigest() == record["plain_sha512"], record["seed"]
