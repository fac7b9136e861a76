"""raw encrypt and decrypt against the real `openssl enc`, and around, at every kind of length."""

import subprocess

import pytest
from conftest import CHUNK, IV16, KEY_BYTES, PROGRAM, aes_xts, iv_for, openssl, random_bytes

LENGTHS = [0, 1, 7, 8, 9, 15, 16, 17, 31, 4096, 65536 + 5]
EDGES = [CHUNK - 1, CHUNK, CHUNK + 1, CHUNK + 15, CHUNK + 16, CHUNK + 17, 2 * CHUNK + 33]

# Our names, and what `openssl enc` calls the same.
SHARED = {
    "des-cbc": "-provider legacy -provider default -des-cbc",
    "des-ede-ecb": "-des-ede",
    "des-ede-cbc": "-des-ede-cbc",
    "des-ede3-ecb": "-des-ede3",
    "des-ede3-cbc": "-des-ede3-cbc",
    "des-ede3-cfb": "-des-ede3-cfb",
    "des-ede3-ofb": "-des-ede3-ofb",
    "aes-128-ecb": "-aes-128-ecb",
    "aes-256-cbc": "-aes-256-cbc",
    "aes-192-ctr": "-aes-192-ctr",
    "aes-256-cfb": "-aes-256-cfb",
    "aes-256-ofb": "-aes-256-ofb",
}


def cipher_of(name):
    return name.rpartition("-")[0]


def iv_options(name, prefix):
    return [] if name.endswith("-ecb") else [f"{prefix}iv", iv_for(cipher_of(name))]


@pytest.mark.parametrize("name", SHARED)
def test_same_bytes_as_openssl_both_ways(phalanx, key, name):
    key_file, digits = key(cipher_of(name))
    flags = SHARED[name].split()
    for length in [13, 4096, CHUNK + 21]:
        plain = random_bytes(length)
        theirs = openssl("enc", *flags, "-K", digits, *iv_options(name, "-"), stdin=plain)
        ours = phalanx.run(
            *("raw", "encrypt", "--cipher", name, "--key-file", key_file, "--allow-legacy", "-q"),
            *iv_options(name, "--"), stdin=plain, check=0,
        )  # fmt: skip
        assert ours.stdout == theirs
        back = phalanx.run(
            "raw", "decrypt", "--cipher", name, "--key-file", key_file, *iv_options(name, "--"), stdin=theirs, check=0
        )
        assert back.stdout == plain


@pytest.mark.parametrize("name", ["des-ede3-cbc", "aes-128-ecb", "aes-256-ctr", "aes-256-cfb", "des-ofb", "aes-128-xts"])
def test_every_length_comes_back(phalanx, key, name):
    key_file, _ = key(name if name.endswith("xts") else cipher_of(name))
    options = ["--cipher", name, "--key-file", key_file, "-q", *iv_options(name, "--")]
    for length in LENGTHS + EDGES:
        if name.endswith("xts") and length < 16:
            continue
        plain = random_bytes(length)
        sealed = phalanx.run("raw", "encrypt", "--allow-legacy", *options, stdin=plain, check=0).stdout
        assert phalanx.run("raw", "decrypt", *options, stdin=sealed, check=0).stdout == plain
        assert length < 8 or sealed != plain


@pytest.mark.parametrize("cipher", KEY_BYTES)
def test_every_cipher_comes_back(phalanx, key, cipher):
    key_file, _ = key(cipher)
    plain = random_bytes(100_003)
    options = ["--cipher", f"{cipher}-cbc", "--key-file", key_file, "--iv", iv_for(cipher)]
    sealed = phalanx.run("raw", "encrypt", "--allow-legacy", *options, stdin=plain, check=0).stdout
    assert len(sealed) > len(plain)
    assert phalanx.run("raw", "decrypt", *options, stdin=sealed, check=0).stdout == plain


@pytest.mark.parametrize("padding", ["pkcs7", "x923", "iso7816", "zero", "none"])
def test_paddings(phalanx, key, padding):
    key_file, digits = key("aes-128")
    options = ["--cipher", "aes-128-ecb", "--key-file", key_file, "--padding", padding]
    for length in [0, 1, 15, 16, 17, 32, CHUNK, CHUNK + 1]:
        if padding == "none" and length % 16:
            continue
        plain = random_bytes(length, seed=3)
        plain = plain[:-1] + b"\x01" if plain else plain  # zero padding takes zeros that end the message
        sealed = phalanx.run("raw", "encrypt", "--allow-legacy", *options, stdin=plain, check=0).stdout
        padded = openssl("enc", "-d", "-nopad", "-aes-128-ecb", "-K", digits, stdin=sealed)
        count = len(padded) - length
        expected = {
            "pkcs7": bytes([count]) * count,
            "x923": bytes(max(count - 1, 0)) + bytes([count]),
            "iso7816": b"\x80" + bytes(max(count - 1, 0)),
            "zero": bytes(count),
            "none": b"",
        }[padding]
        assert padded == plain + expected and count <= 16
        assert (count > 0) or padding in ("zero", "none")
        assert phalanx.run("raw", "decrypt", *options, stdin=sealed, check=0).stdout == plain


@pytest.mark.parametrize("size", [32, 64])
def test_xts_single_unit_with_stealing(phalanx, key, size):
    name = {32: "aes-128-xts", 64: "aes-256-xts"}[size]
    key_file, digits = key(name)
    tweak = bytes.fromhex(iv_for("aes-128"))
    for length in [16, 17, 31, 32, 1000, CHUNK + 5, CHUNK + 16, 2 * CHUNK + 31]:
        plain = random_bytes(length)
        options = ["--cipher", name, "--key-file", key_file, "--iv", tweak.hex()]
        sealed = phalanx.run("raw", "encrypt", *options, stdin=plain, check=0).stdout
        assert sealed == aes_xts(bytes.fromhex(digits), tweak, plain)
        assert phalanx.run("raw", "decrypt", *options, stdin=sealed, check=0).stdout == plain


@pytest.mark.parametrize(
    "sector, offset, large", [(512, 0, False), (4096, 0, False), (4096, 2048, False), (4096, 3, True), (1024, 2**40, False)]
)
def test_xts_sectors(phalanx, key, sector, offset, large):
    key_file, digits = key("aes-256-xts")
    plain = random_bytes(CHUNK + 5 * sector)
    expected = b""
    for position in range(0, len(plain), sector):
        number = offset + position // (sector if large else 512)
        expected += aes_xts(bytes.fromhex(digits), number.to_bytes(16, "little"), plain[position : position + sector])
    options = ["--cipher", "aes-256-xts", "--key-file", key_file, "--sector-size", sector, "--sector-offset", offset]
    options += ["--iv-large-sectors"] if large else []
    assert phalanx.run("raw", "encrypt", *options, stdin=plain, check=0).stdout == expected
    assert phalanx.run("raw", "decrypt", *options, stdin=expected, check=0).stdout == plain


def test_xts_sector_size_is_512_and_the_last_may_be_short(phalanx, key):
    key_file, digits = key("aes-128-xts")
    plain = random_bytes(512 + 20)
    sealed = phalanx.run(
        "raw", "encrypt", "--cipher", "AES-128-XTS", "--key-file", key_file, "--sector-offset", 5, stdin=plain, check=0
    ).stdout
    raw_key = bytes.fromhex(digits)
    assert sealed[:512] == aes_xts(raw_key, (5).to_bytes(16, "little"), plain[:512])
    assert sealed[512:] == aes_xts(raw_key, (6).to_bytes(16, "little"), plain[512:])


def test_short_reads_from_a_pipe_are_gathered(phalanx, key):
    key_file, digits = key("aes-256")
    plain = random_bytes(CHUNK + 12345)
    process = phalanx.start("raw", "encrypt", "--cipher", "aes-256-cbc", "--iv", iv_for("aes"), "--key-file", key_file, "-", "out")
    position = 0
    for size in [1, 7, 15, 16, 17, 4095, 70_001, 3, 2_000_003, len(plain)]:
        process.stdin.write(plain[position : position + size])
        process.stdin.flush()
        position += size
    process.stdin.close()
    assert process.wait() == 0
    assert phalanx.read("out") == openssl("enc", "-aes-256-cbc", "-K", digits, "-iv", iv_for("aes"), stdin=plain)


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("engine", ["cpu:scalar", "cpu", "auto"])
def test_any_engine_and_any_threads_give_the_same(phalanx, key, engine, threads):
    key_file, digits = key("aes-128")
    plain = random_bytes(CHUNK + 777)
    options = ["--cipher", "aes-128-ctr", "--key-file", key_file, "--iv", "ff" * 16, "--engine", engine, "--threads", threads]
    sealed = phalanx.run("raw", "encrypt", *options, stdin=plain, check=0).stdout
    assert sealed == openssl("enc", "-aes-128-ctr", "-K", digits, "-iv", "ff" * 16, stdin=plain)


def test_a_shell_pipeline(phalanx, key):
    key_file, _ = key("serpent-256")
    plain = random_bytes(3 * CHUNK + 1)
    phalanx.write("plain", plain)
    options = f"--cipher serpent-256-ctr --iv {iv_for('serpent')} --key-file {key_file}"
    command = f"{PROGRAM} raw encrypt {options} < plain | {PROGRAM} raw decrypt {options} - - | cmp - plain"
    assert subprocess.run(command, shell=True, cwd=phalanx.folder).returncode == 0


@pytest.mark.parametrize("size", [0, 1, 16, (32 << 10) - 17, (32 << 10) - 1, 32 << 10, (32 << 10) + 1, (32 << 10) + 16])
def test_lengths_around_what_is_taken_as_short(phalanx, size):
    """A short stream is read whole before there are threads and memory for more."""
    plain = random_bytes(size, seed=size)
    phalanx.write("IN", plain)
    phalanx.write("key", random_bytes(32))
    key = ["--key-file", "key"]
    for options in (["--cipher", "aes-256-ctr"], ["--cipher", "aes-256-cbc"]):
        raw = [*options, "--iv", IV16, *key]
        sealed = phalanx.run("raw", "encrypt", *raw, "IN", check=0).stdout
        assert sealed == openssl("enc", "-" + options[1], "-K", random_bytes(32).hex(), "-iv", IV16, stdin=plain)
        assert phalanx.run("raw", "decrypt", *raw, stdin=sealed, check=0).stdout == plain
    phalanx.run("encrypt", *key, "IN", "BOX", check=0)
    assert phalanx.run("decrypt", *key, stdin=phalanx.read("BOX"), check=0).stdout == plain
