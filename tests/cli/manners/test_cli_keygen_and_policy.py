"""keygen, engines, and what is refused by policy."""

import json
import stat

import pytest
from conftest import IV8, IV16, KEY_BYTES, random_bytes

WEAK = ["0101010101010101", "fefefefefefefefe", "e0e0e0e0f1f1f1f1", "1f1f1f1f0e0e0e0e", "0000000000000000"]
SEMI_WEAK = [
    "01fe01fe01fe01fe", "fe01fe01fe01fe01", "1fe01fe00ef10ef1", "e01fe01ff10ef10e", "01e001e001f101f1", "e001e001f101f101",
    "1ffe1ffe0efe0efe", "fe1ffe1ffe0efe0e", "011f011f010e010e", "1f011f010e010e01", "e0fee0fef1fef1fe", "fee0fee0fef1fef1",
]  # fmt: skip
GOOD = "133457799bbcdff1"


def test_default_key(phalanx):
    phalanx.run("keygen", "key", check=0, umask=0)
    assert len(phalanx.read("key")) == 32
    assert stat.S_IMODE((phalanx.folder / "key").stat().st_mode) == 0o600
    assert phalanx.run("keygen", check=0).stdout != phalanx.run("keygen", check=0).stdout


def test_hex(phalanx):
    text = phalanx.run("keygen", "--hex", "-", check=0).stdout
    assert len(bytes.fromhex(text.decode())) == 32 and text.endswith(b"\n") and text == text.lower()


@pytest.mark.parametrize("cipher", [*KEY_BYTES, "3DES", "AES-256-CBC", "aes-128-xts", "serpent-256-xts"])
def test_key_of_a_cipher(phalanx, cipher):
    name = {"3DES": "des-ede3", "AES-256-CBC": "aes-256"}.get(cipher, cipher.removesuffix("-xts"))
    size = KEY_BYTES[name] * (2 if cipher.endswith("xts") else 1)
    for _ in range(5):
        key = phalanx.run("keygen", "--cipher", cipher, check=0).stdout
        assert len(key) == size
        if "des" in name:
            assert all(byte.bit_count() % 2 == 1 for byte in key)
            parts = [key[i : i + 8] for i in range(0, size, 8)]
            assert len(set(parts)) == len(parts) and not {part.hex() for part in parts} & {*WEAK, *SEMI_WEAK}


def test_keygen_refuses_to_overwrite_and_keeps_0600_when_forced(phalanx):
    phalanx.write("key", b"old").chmod(0o644)
    phalanx.assert_refused(phalanx.run("keygen", "key"), 2, "exists", "--force")
    phalanx.run("keygen", "--force", "key", check=0)
    assert stat.S_IMODE((phalanx.folder / "key").stat().st_mode) == 0o600 and len(phalanx.read("key")) == 32


def test_keygen_unknown_cipher(phalanx):
    phalanx.assert_refused(phalanx.run("keygen", "--cipher", "rot13", "key"), 2, "rot13")
    assert phalanx.names() == []


@pytest.mark.parametrize("name", ["des-cbc", "2des-ctr", "des-ede-cbc", "des-ede3-cbc", "3des-ofb", "aes-256-ecb", "serpent-128-ecb"])
def test_legacy_is_written_only_on_demand_and_always_read(phalanx, key, name):
    cipher = name.rpartition("-")[0]
    key_file, _ = key({"3des": "des-ede3"}.get(cipher, cipher))
    options = ["--cipher", name, "--key-file", key_file]
    options += [] if "ecb" in name else ["--iv", IV8 if "des" in name else IV16]
    phalanx.assert_refused(phalanx.run("raw", "encrypt", *options, "-", "OUT", stdin=b"x"), 6, "--allow-legacy")
    assert "OUT" not in phalanx.names()
    sealed = phalanx.run("raw", "encrypt", *options, "--allow-legacy", stdin=b"text", check=0).stdout
    assert phalanx.run("raw", "decrypt", *options, stdin=sealed, check=0).stdout == b"text"


def test_in_place_needs_it_too(phalanx, key):
    key_file, _ = key("des")
    phalanx.write("FILE", b"12345678")
    options = f"--cipher des-ctr --iv {IV8} --key-file {key_file} --in-place FILE".split()
    phalanx.assert_refused(phalanx.run("raw", "encrypt", *options), 6, "--allow-legacy")
    assert phalanx.read("FILE") == b"12345678"


def test_fast_passphrase_derivation_is_written_only_on_demand(phalanx):
    phalanx.write("pass", b"phrase\n")
    options = "--openssl --cipher aes256 --no-pbkdf2 --passphrase-file pass".split()
    phalanx.assert_refused(phalanx.run("raw", "encrypt", *options, stdin=b"x"), 6, "--allow-legacy")
    sealed = phalanx.run("raw", "encrypt", *options, "--allow-legacy", stdin=b"x", check=0).stdout
    assert phalanx.run("raw", "decrypt", *options, stdin=sealed, check=0).stdout == b"x"


def crypt_with_key(phalanx, direction, name, key, *options):
    phalanx.write("weak", key)
    iv = IV8 if "des" in name else IV16
    return phalanx.run(
        "raw", direction, "--cipher", name, "--iv", iv, "--key-file", "weak", "--allow-legacy", *options, stdin=bytes(99)
    )


@pytest.mark.parametrize("weak", WEAK + SEMI_WEAK)
def test_weak_des_keys(phalanx, weak):
    key = bytes.fromhex(weak)
    other_parity = bytes(byte ^ 1 for byte in key)
    for bad in (key, other_parity):
        phalanx.assert_refused(crypt_with_key(phalanx, "encrypt", "des-cbc", bad), 6, "weak", "--allow-weak-key")
    assert crypt_with_key(phalanx, "encrypt", "des-cbc", key, "--allow-weak-key").returncode == 0
    assert crypt_with_key(phalanx, "decrypt", "des-ctr", key).returncode == 0
    one_off = bytes([key[0] ^ 2]) + key[1:]
    assert crypt_with_key(phalanx, "encrypt", "des-cbc", one_off).returncode == 0


def test_keys_with_equal_parts(phalanx):
    one, two = bytes.fromhex(GOOD), random_bytes(8)
    weak = bytes.fromhex(WEAK[1])
    for name, key in [("2des-ctr", one + one), ("3des-ctr", one + one + two), ("3des-ctr", one + two + two), ("des-ede-ctr", two + two)]:
        phalanx.assert_refused(crypt_with_key(phalanx, "encrypt", name, key), 6, "equal")
        assert crypt_with_key(phalanx, "decrypt", name, key).returncode == 0
    phalanx.assert_refused(crypt_with_key(phalanx, "encrypt", "3des-ctr", one + two + weak), 6, "weak")
    assert crypt_with_key(phalanx, "encrypt", "3des-ctr", one + two + one).returncode == 0
    half = random_bytes(16)
    phalanx.assert_refused(crypt_with_key(phalanx, "encrypt", "aes-128-xts", half + half), 6, "halves")
    assert crypt_with_key(phalanx, "encrypt", "aes-128-xts", half + half, "--allow-weak-key").returncode == 0


@pytest.mark.parametrize("name", ["des-ede3-ctr", "des-ede-ctr"])
def test_triple_des_past_a_million_blocks_warns(phalanx, key, name):
    key_file, _ = key(name.removesuffix("-ctr"))
    options = ["--cipher", name, "--iv", IV8, "--key-file", key_file, "--allow-legacy"]
    limit = 8 << 20
    at_limit = phalanx.run("raw", "encrypt", *options, "-", "/dev/null", stdin=bytes(limit), check=0)
    past = phalanx.run("raw", "encrypt", *options, "-", "/dev/null", stdin=bytes(limit + 8), check=0)
    quiet = phalanx.run("raw", "encrypt", *options, "-q", "-", "/dev/null", stdin=bytes(limit + 8), check=0)
    assert at_limit.stderr == b"" and quiet.stderr == b""
    assert b"warning" in past.stderr and b"2^20" in past.stderr and past.stderr.count(b"\n") == 1


def test_engines(phalanx):
    done = phalanx.run("engines", check=0)
    lines = done.stdout.decode().splitlines()
    rows = {line.split()[0]: line for line in lines[1:]}
    assert {"cpu:scalar", "cpu:avx2", "cpu:avx2+vaes", "cpu:avx512"} <= set(rows)
    assert rows["cpu:scalar"].split()[1] == "yes" and rows["cpu:scalar"].endswith("ok")


def test_engines_as_json(phalanx):
    entries = {entry["name"]: entry for entry in json.loads(phalanx.run("engines", "--json", check=0).stdout)}
    assert {"cpu:scalar", "cpu:avx2", "cpu:avx2+vaes", "cpu:avx512"} <= set(entries)
    for entry in entries.values():
        assert entry["description"]
        if entry["usable"]:
            assert entry["self_test"] == "ok" and entry["reason"] is None and entry["failure"] is None
        else:
            assert entry["self_test"] is None and entry["reason"]


def test_every_usable_engine_can_be_forced_and_the_others_are_errors(phalanx, key):
    key_file, _ = key("aes-128")
    options = ["--cipher", "aes-128-ctr", "--iv", IV16, "--key-file", key_file, "-v"]
    results = set()
    for entry in json.loads(phalanx.run("engines", "--json", check=0).stdout):
        done = phalanx.run("raw", "encrypt", *options, "--engine", entry["name"], stdin=bytes(1000))
        if entry["usable"]:
            assert done.returncode == 0 and entry["name"].encode() in done.stderr
            results.add(done.stdout)
        else:
            phalanx.assert_refused(done, 2, entry["name"], "cpu:scalar")
    assert len(results) == 1


def test_engine_from_the_environment(phalanx, key):
    import os

    key_file, _ = key("aes-128")
    options = ["--cipher", "aes-128-ctr", "--iv", IV16, "--key-file", key_file, "-v"]
    scalar = {**os.environ, "PHALANX_ENGINE": "cpu:scalar"}
    done = phalanx.run("raw", "encrypt", *options, stdin=b"x", env=scalar, check=0)
    assert b"runs on cpu:scalar (PHALANX_ENGINE" in done.stderr
    done = phalanx.run("raw", "encrypt", *options, "--engine", "auto", stdin=b"x", env=scalar, check=0)
    assert b"(auto" in done.stderr
    broken = {**os.environ, "PHALANX_ENGINE": "warp"}
    phalanx.assert_refused(phalanx.run("raw", "encrypt", *options, stdin=b"x", env=broken), 2, "warp", "cpu:scalar")
