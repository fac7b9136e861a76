"""Bare messages (--bare) go to and from the package cryptography, which has C2SP chunked encryption as `cobblestone`."""

import pathlib
import subprocess
import sys

import pytest

cobblestone = pytest.importorskip("cryptography.cobblestone", reason="cryptography 50 is not installed")

SUITES = {
    "aes-128": (cobblestone.Cobblestone128Encryptor, cobblestone.Cobblestone128Decryptor),
    "aes-256": (cobblestone.Cobblestone256Encryptor, cobblestone.Cobblestone256Decryptor),
}
CHUNK = 16384
LENGTHS = (0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 3_000_000)


def phalanx(*arguments: str, stdin: bytes) -> bytes:
    done = subprocess.run([sys.executable, "-m", "phalanx", *arguments], input=stdin, capture_output=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("cipher", SUITES)
@pytest.mark.parametrize("context", [b"", b"a context"])
def test_both_ways(tmp_path: pathlib.Path, cipher: str, context: bytes) -> None:
    encryptor, decryptor = SUITES[cipher]
    key = encryptor.generate_key()
    (tmp_path / "key").write_bytes(key)
    (tmp_path / "key").chmod(0o600)
    options = ["--bare", "--cipher", cipher, "--key-file", str(tmp_path / "key")]
    if context:
        options += ["--context", context.hex()]
    for length in LENGTHS:
        plain = bytes(range(256)) * (length // 256 + 1)
        plain = plain[:length]
        theirs = encryptor(key, context)
        assert phalanx("decrypt", *options, stdin=theirs.update(plain) + theirs.finalize()) == plain
        opened = decryptor(key, context)
        assert opened.update(phalanx("encrypt", *options, stdin=plain)) + opened.finalize() == plain
