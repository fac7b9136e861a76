"""A key file of as many hex digits as the key has bytes, without a line end: half of a key's bits, and hardly meant."""

import pytest
from conftest import IV8, IV16, KEY_BYTES, random_bytes, unknown_format

DIGITS = random_bytes(64, seed=11).hex()
PLAIN = unknown_format(3000)
SUITES = {"aes-256": 32, "aes-128": 16, "serpent-256": 32, "twofish-256": 32}
RAW = {f"{cipher}-ctr": size for cipher, size in KEY_BYTES.items()} | {"aes-128-xts": 32, "aes-192-xts": 48, "aes-256-xts": 64}


@pytest.fixture
def files(phalanx):
    for size in (8, 16, 24, 32, 48, 64):
        phalanx.write(f"digits{size}", DIGITS[:size].encode())
    phalanx.write("upper", DIGITS[:32].upper().encode())
    phalanx.write("good", random_bytes(32))
    phalanx.write("good16", random_bytes(16))
    phalanx.write("IN", PLAIN)
    for suite, size in SUITES.items():
        phalanx.run("encrypt", "--cipher", suite, "--key-file", f"digits{size}", "--raw-key", "IN", f"BOX-{suite}", check=0)
    return phalanx


def refused(files, done, size, option="--raw-key"):
    files.assert_refused(done, 2, f"holds {size} hex digits and no line end", f"{2 * size} digits", option)
    assert DIGITS[:6].encode() not in done.stderr and "OUT" not in files.names()


def warned(done, size):
    assert done.returncode == 0 and done.stderr.count(b"warning") == 1, done.stderr
    assert f"holds {size} hex digits and no line end".encode() in done.stderr and DIGITS[:6].encode() not in done.stderr


@pytest.mark.parametrize("suite", SUITES)
def test_containers(files, suite):
    size, box = SUITES[suite], f"BOX-{suite}"
    refused(files, files.run("encrypt", "--cipher", suite, "--key-file", f"digits{size}", "IN", "OUT"), size)
    for arguments in (["decrypt", box], ["verify", box], ["decrypt", "--range", "5:7", box]):
        done = files.run(*arguments, "--key-file", f"digits{size}")
        warned(done, size)
        for option in ("-q", "--raw-key"):
            assert b"warning" not in files.run(*arguments, "--key-file", f"digits{size}", option, check=0).stderr


def test_the_other_ways_of_sealing(files):
    refused(files, files.run("encrypt", "--key-file", "upper", "IN", "OUT"), 32)
    refused(files, files.run("encrypt", "--key-file", "-", "IN", "OUT", stdin=DIGITS[:32].encode()), 32)
    refused(files, files.run("encrypt", "--bare", "--key-file", "digits32", "IN", "OUT"), 32)
    refused(files, files.run("encrypt", "--key-file", "good", "--key-file", "digits32", "IN", "OUT"), 32)
    with (files.folder / "digits32").open("rb") as file:
        refused(files, files.run("encrypt", "--key-fd", file.fileno(), "IN", "OUT", pass_fds=[file.fileno()]), 32)
    done = files.run("encrypt", "--each", "--key-file", "digits32", "IN")
    assert done.returncode == 2 and b"--raw-key" in done.stderr and "IN.phalanx" not in files.names()


def test_recipients(files):
    files.run("encrypt", "--key-file", "good", "IN", "BOX", check=0)
    before = files.read("BOX")
    refused(files, files.run("recipients", "add", "--key-file", "good", "--add-key-file", "digits32", "BOX"), 32, "--add-raw-key")
    assert files.read("BOX") == before
    files.run("recipients", "add", "--key-file", "good", "--add-key-file", "digits32", "--add-raw-key", "BOX", check=0)
    warned(files.run("recipients", "add", "--key-file", "digits32", "--add-key-file", "upper", "--add-raw-key", "BOX"), 32)


def test_a_warning_is_given_once_and_for_a_key_that_is_used(files):
    """The digits are of a key for aes-128, and of 32 bytes for the others."""
    assert files.run("verify", "--key-file", "digits16", "--key-file", "good", "BOX-aes-128").stderr.count(b"warning") == 1
    files.write("hex16", DIGITS[:32].encode())
    files.run("encrypt", "--cipher", "aes-128", "--key-file", "hex16", "IN", "HEX", check=0)
    assert b"warning" not in files.run("verify", "--key-file", "hex16", "HEX", check=0).stderr
    done = files.run("verify", "--key-file", "digits32", "BOX-aes-256", "BOX-serpent-256", "BOX-twofish-256")
    assert done.returncode == 0 and done.stderr.count(b"warning") == 1


@pytest.mark.parametrize("cipher", RAW)
def test_raw(files, cipher):
    size = RAW[cipher]
    iv = IV8 if "des" in cipher else IV16
    options = ["--cipher", cipher, "--iv", iv, "--key-file", f"digits{size}"]
    sealing = ["raw", "encrypt", *options, "--allow-legacy", "--allow-weak-key"]
    refused(files, files.run(*sealing, "IN", "OUT"), size)
    before = files.read("IN")
    refused(files, files.run(*sealing, "--in-place", "IN"), size)
    assert files.read("IN") == before
    done = files.run(*sealing, "--raw-key", "IN", check=0)
    assert done.stderr == b""
    opened = files.run("raw", "decrypt", *options, stdin=done.stdout)
    warned(opened, size)
    assert opened.stdout == PLAIN


def test_migrate(files):
    sealing = ["raw", "encrypt", "--cipher", "aes-256-cbc", "--iv", IV16, "--key-file", "digits32", "--raw-key"]
    files.run(*sealing, "IN", "OLD", check=0)
    old = ["--from-cipher", "aes-256-cbc", "--from-iv", IV16, "--from-key-file", "digits32", "--doubt-is-ok"]
    done = files.run("migrate", *old, "--key-file", "good", "OLD", "NEW")
    warned(done, 32)
    done = files.run("migrate", *old, "--from-raw-key", "--key-file", "good", "OLD", "NEW2", check=0)
    assert done.stderr == b""
    refused(files, files.run("migrate", *old, "--from-raw-key", "--key-file", "digits32", "OLD", "OUT"), 32)
    both = ["--from-cipher", "aes-256-cbc,aes-128-cbc", *old[2:]]
    done = files.run("migrate", *both, "--key-file", "good", "OLD", "NEW3", check=0)
    assert b"warning" not in done.stderr and files.run("decrypt", "--key-file", "good", "NEW3", check=0).stdout == PLAIN


@pytest.mark.parametrize("content", [DIGITS[:31].encode() + b"g", DIGITS[:31].encode() + b"\n", random_bytes(32), DIGITS.encode()[:64] + b"\n",
                                     DIGITS.encode()[:64]], ids=["a letter", "31 and LF", "random", "64 and LF", "64"])  # fmt: skip
def test_other_keys_are_not_spoken_of(files, content):
    files.write("key", content)
    assert files.run("encrypt", "--key-file", "key", "IN", "OUT", check=0).stderr == b""
    assert files.run("decrypt", "--key-file", "key", "OUT", check=0).stderr == b""
