"""XTS: a data unit of more than 2^20 blocks is not encrypted, and is read with a warning."""

import pytest
from conftest import CHUNK, IV16, aes_xts, random_bytes

MOST = 16 << 20
KEY = random_bytes(64, seed=3)
UNIT = ["--cipher", "aes-256-xts", "--iv", IV16, "--key-file", "key"]
WORDS = ("2^20 blocks", "sectors")


@pytest.fixture
def files(phalanx):
    phalanx.write("key", KEY)
    phalanx.write("new", random_bytes(32))
    return phalanx


def test_is_refused(files):
    files.write("IN", bytes(MOST + 16))
    files.assert_refused(files.run("raw", "encrypt", *UNIT, "IN", "OUT"), 6, *WORDS)
    files.assert_refused(files.run("raw", "encrypt", *UNIT, "-", "OUT", stdin=bytes(MOST + 1)), 6, *WORDS)
    assert files.names() == ["IN", "key", "new"]
    before = files.read("IN")
    files.assert_refused(files.run("raw", "encrypt", *UNIT, "--in-place", "IN"), 6, *WORDS)
    assert files.read("IN") == before and files.names() == ["IN", "key", "new"]


def test_what_a_pipe_gives_ends_before_it(files):
    """Its length is not known: what is too much is not encrypted."""
    done = files.run("raw", "encrypt", *UNIT, stdin=bytes(MOST + 5 * CHUNK))
    assert done.returncode == 6 and len(done.stdout) <= MOST
    assert b"2^20 blocks" in done.stderr


def test_the_longest_is_encrypted(files):
    plain = random_bytes(MOST, seed=4)
    files.write("IN", plain)
    done = files.run("raw", "encrypt", *UNIT, "IN", check=0)
    assert done.stderr == b"" and done.stdout == aes_xts(KEY, bytes.fromhex(IV16), plain)
    files.run("raw", "encrypt", *UNIT, "--in-place", "IN", check=0)
    assert files.read("IN") == done.stdout
    back = files.run("raw", "decrypt", *UNIT, "IN", check=0)
    assert back.stdout == plain and back.stderr == b""


def test_sectors_are_not_one_unit(files):
    sectors = ["--cipher", "aes-256-xts", "--sector-size", "4096", "--key-file", "key"]
    files.write("IN", bytes(MOST + 4096))
    done = files.run("raw", "encrypt", *sectors, "IN", check=0)
    assert done.stderr == b""
    assert files.run("raw", "decrypt", *sectors, stdin=done.stdout, check=0).stderr == b""


@pytest.mark.parametrize("kept, words", [(512 + 17, b"17 of 512 bytes: if its end was cut off, the last 17"), (700, b"188 of 512"), (512 + 32, b"")])
def test_a_volume_that_was_cut_within_a_sector_is_told(files, kept, words):
    """Ciphertext stealing takes any length of 16 bytes and more, so that its length alone is no error."""
    plain = random_bytes(4096, seed=5)
    sectors = ["--cipher", "aes-256-xts", "--sector-size", "512", "--key-file", "key"]
    sealed = files.run("raw", "encrypt", *sectors, stdin=plain, check=0).stdout
    files.write("cut", sealed[:kept])
    done = files.run("raw", "decrypt", *sectors, "cut", check=0)
    num_whole = kept if not words else kept - kept % 16 - 16
    assert done.stdout[:num_whole] == plain[:num_whole] and (done.stdout == plain[:kept]) == (not words)
    assert words in done.stderr and (done.stderr.count(b"warning") == (1 if words else 0))
    assert files.run("raw", "decrypt", *sectors, "--range", "0:512", "cut", check=0).stderr == b""
    if words:
        assert b"last sector" in files.run("raw", "decrypt", *sectors, "--range", "500:14", "cut", check=0).stderr


def warned(done, label=b""):
    assert done.returncode == 0 and done.stderr.count(b"\n") == 1, done.stderr
    assert label + b"warning" in done.stderr and b"2^20 blocks" in done.stderr


def test_is_read_with_a_warning(files):
    """Any bytes are a ciphertext; the beginning of what they give is that of the longest unit that is written."""
    sealed = random_bytes(MOST, seed=4) + bytes(16)
    files.write("IN", sealed)
    files.write("SHORTER", sealed[:MOST])
    expected = files.run("raw", "decrypt", *UNIT, "SHORTER", check=0).stdout
    for source in (["IN"], []):
        done = files.run("raw", "decrypt", *UNIT, *source, stdin=b"" if source else sealed)
        warned(done)
        assert done.stdout[:MOST] == expected and len(done.stdout) == len(sealed)
    assert files.run("raw", "decrypt", *UNIT, "-q", "IN", check=0).stderr == b""
    warned(files.run("raw", "decrypt", *UNIT, "--in-place", "IN"))
    assert files.read("IN") == done.stdout


def test_is_migrated_with_a_warning(files):
    old = ["--from-cipher", "aes-256-xts", "--from-iv", IV16, "--from-key-file", "key", "--key-file", "new", "--doubt-is-ok"]
    sealed = random_bytes(MOST, seed=4) + bytes(16)
    (files.folder / "old").mkdir()
    files.write("old/long", sealed)
    files.write("old/short", sealed[:MOST])
    warned(files.run("migrate", *old, "old/long", "NEW"))
    warned(files.run("migrate", *old, "-", "NEW2", stdin=sealed))
    assert files.run("migrate", *old, "old/short", "NEW3", check=0).stderr == b""
    assert b"warning" not in files.run("migrate", *old, "-q", "old/long", "NEW4", check=0).stderr
    done = files.run("migrate", *old, "--manifest", "M", "--from-tree", "old", "--to-tree", "new-tree", check=0)
    assert done.stderr.count(b"warning") == 1 and b"long: warning" in done.stderr
