"""Keys and ivs in hex: what stands between the digits is named, and only digits are counted."""

import pytest
from conftest import IV16, random_bytes

CTR = "raw encrypt --cipher aes-256-ctr".split()


@pytest.fixture
def files(phalanx):
    phalanx.write("IN", b"something")
    phalanx.write("key", random_bytes(32))
    return phalanx


@pytest.mark.parametrize(
    "iv, words",
    [
        (IV16 + " ", "32 hex digits, with spaces among them"), (f"0x{IV16}", "32 hex digits, with '0x' before them"),
        (f"{IV16[:16]}\n{IV16[16:]}", "32 hex digits, with line ends among them"), (IV16[:-1], "31 hex digits, an odd number"),
        (":".join(IV16[i : i + 2] for i in range(0, 32, 2)), "32 hex digits, with ':' among them"),
        (IV16[:-1] + "g", "not a hex digit, at place 32"),
    ],
)  # fmt: skip
def test_iv(files, iv, words):
    done = files.run(*CTR, "--iv", iv, "--key-file", "key", "IN", "OUT")
    files.assert_refused(done, 2, "--iv", words)


@pytest.mark.parametrize(
    "shape, words",
    [
        (lambda digits: f"{digits[:32]}\n{digits[32:]}\n", "64 hex digits, with line ends among them"),
        (lambda digits: "\n".join(digits[i : i + 16] for i in range(0, 64, 16)) + "\n", "hex digits, with line ends among them"),
        (lambda digits: " ".join(digits[i : i + 2] for i in range(0, 64, 2)) + "\n", "hex digits, with spaces among them"),
        (lambda digits: f"0x{digits}\n", "hex digits, with '0x' before them"),
        (lambda digits: digits[:60] + "\n", "60 hex digits: the key is 32 bytes"),
        (lambda digits: digits[:32] + "\n", "32 hex digits: the key is 32 bytes"),
        (lambda digits: "no key at all\n", "14 bytes: the key is 32 bytes"),
    ],
)  # fmt: skip
def test_key_file(files, shape, words):
    digits = random_bytes(32, seed=5).hex()
    files.write("digits", shape(digits).encode())
    done = files.run(*CTR, "--iv", IV16, "--key-file", "digits", "IN", "OUT")
    files.assert_refused(done, 2, "digits", words)
    assert digits[:8].encode() not in done.stderr
