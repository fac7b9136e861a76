"""raw decrypt --range: any part of a message is what the whole has there, and no more of IN is read than it takes."""

import os
import random
import shutil
import subprocess

import pytest
from conftest import CHUNK, IV16, aes_xts, is_root, iv_for, openssl, random_bytes

KEY = random_bytes(32, seed=7)
XTS_KEY = random_bytes(64, seed=8)
SIZE = 2 * CHUNK + 4096 + 21  # not whole blocks


def padded(size):
    return size // 16 * 16


# Options that decrypt, and the ciphertext of a plaintext, by another program.
MODES = {
    "aes-256-ctr": ("--iv", lambda plain: openssl("enc", "-aes-256-ctr", "-K", KEY.hex(), "-iv", IV16, stdin=plain)),
    "aes-256-cfb": ("--iv", lambda plain: openssl("enc", "-aes-256-cfb", "-K", KEY.hex(), "-iv", IV16, stdin=plain)),
    "aes-256-cbc": ("--iv", lambda plain: openssl("enc", "-aes-256-cbc", "-K", KEY.hex(), "-iv", IV16, stdin=plain)),
    "aes-256-ecb": ("", lambda plain: openssl("enc", "-aes-256-ecb", "-K", KEY.hex(), stdin=plain)),
}


def options_of(cipher):
    return ["--cipher", cipher, "--key-file", "key", *([MODES[cipher][0], IV16] if MODES[cipher][0] else [])]


@pytest.fixture
def files(phalanx):
    phalanx.write("key", KEY)
    phalanx.write("xts", XTS_KEY)
    return phalanx


def places(size):
    """Offsets and lengths about blocks, pieces and the end."""
    chance = random.Random(size)
    for offset, length in [(0, 1), (0, size), (1, size - 1), (15, 2), (16, 16), (17, 31), (CHUNK - 1, 2), (CHUNK, CHUNK), (CHUNK - 9, CHUNK + 30)]:
        yield offset, length
    for offset in (size - 1, size - 15, size - 16, size - 17, size - 40):
        yield offset, size - offset
        yield offset, 1
    yield size, 0
    for _ in range(6):
        offset = chance.randrange(size)
        yield offset, chance.randrange(size - offset + 1)


@pytest.mark.parametrize("cipher", MODES)
@pytest.mark.parametrize("size", [SIZE, padded(SIZE)])
def test_any_part_is_what_the_whole_has_there(files, cipher, size):
    plain = random_bytes(size, seed=3)
    files.write("IN", MODES[cipher][1](plain))
    for offset, length in places(size):
        done = files.run("raw", "decrypt", *options_of(cipher), "--range", f"{offset}:{length}", "IN", check=0)
        assert done.stdout == plain[offset : offset + length], (offset, length)
    for offset in (0, 5, size - 3, size):
        files.run("raw", "decrypt", *options_of(cipher), "-f", "--range", f"{offset}:", "IN", "OUT", check=0)
        assert files.read("OUT") == plain[offset:]


@pytest.mark.parametrize("cipher", ["des-ede3-cbc", "des-ede3-ctr", "serpent-256-cfb", "twofish-128-ecb"])
def test_other_ciphers(files, key, cipher):
    name, mode = cipher.rsplit("-", 1)
    key_file, _ = key(name)
    options = ["--cipher", cipher, "--key-file", key_file, *([] if mode == "ecb" else ["--iv", iv_for(name)])]
    plain = random_bytes(CHUNK + 1003, seed=4)
    files.write("IN", files.run("raw", "encrypt", "-q", "--allow-legacy", *options, stdin=plain, check=0).stdout)
    for offset, length in [(0, 7), (9, 100), (CHUNK - 5, 10), (CHUNK + 1000, 3), (3, CHUNK + 1000)]:
        part = files.run("raw", "decrypt", *options, "--range", f"{offset}:{length}", "IN", check=0).stdout
        assert part == plain[offset : offset + length]


def xts_sectors(plain, sector, first=0, large=False):
    sealed = b""
    for position in range(0, len(plain), sector):
        number = first + position // (sector if large else 512)
        sealed += aes_xts(XTS_KEY, number.to_bytes(16, "little"), plain[position : position + sector])
    return sealed


@pytest.mark.parametrize("sector, first, large", [(512, 0, False), (4096, 2**40, False), (4096, 7, True)])
@pytest.mark.parametrize("tail", [0, 16, 37])
def test_sectors_of_xts(files, sector, first, large, tail):
    size = CHUNK + 3 * sector + tail
    plain = random_bytes(size, seed=5)
    files.write("IN", xts_sectors(plain, sector, first, large))
    options = ["--cipher", "aes-256-xts", "--key-file", "xts", "--sector-size", sector, "--sector-offset", first]
    options += ["--iv-large-sectors"] if large else []
    for offset, length in [(0, 1), (sector - 1, 2), (sector, sector), (5 * sector + 3, 3 * sector), (CHUNK - 3, 9), (0, size), (size - 1, 1), (size - 20, 20), (size - sector, sector)]:
        part = files.run("raw", "decrypt", *options, "--range", f"{offset}:{length}", "IN", check=0).stdout
        assert part == plain[offset : offset + length], (offset, length)


@pytest.mark.parametrize("num_left", [16, 17, 31, 300, 304, 511])
def test_an_image_that_is_cut_inside_a_sector(files, num_left):
    """As docs/old_volumes.md says: the last two blocks of the cut sector are noise, unless the cut is between blocks."""
    plain = random_bytes(4 * 512, seed=6)
    size = 3 * 512 + num_left
    files.write("IN", xts_sectors(plain, 512)[:size])
    out = files.run("raw", "decrypt", "--cipher", "aes-256-xts", "--sector-size", "512", "--key-file", "xts", "IN", check=0).stdout
    right = size if num_left % 16 == 0 else padded(size) - 16
    assert len(out) == size and out[:right] == plain[:right]
    if right < size:
        assert out[right : right + 16] != plain[right : right + 16] and out[-(num_left % 16) :] != plain[size - num_left % 16 : size]


def test_an_image_with_less_than_a_block_of_a_sector(files):
    files.write("IN", random_bytes(2 * 512 + 15))
    done = files.run("raw", "decrypt", "--cipher", "aes-256-xts", "--sector-size", "512", "--key-file", "xts", "IN", "OUT")
    files.assert_refused(done, 5, "16 bytes in each data unit")
    assert "OUT" not in files.names()


@pytest.mark.parametrize("size", [16, 31, 32, 33, 47, 1000, CHUNK + 16, CHUNK + 31])
def test_one_data_unit_of_xts(files, size):
    """Its last two blocks are decrypted together where one is short."""
    plain = random_bytes(size, seed=6)
    files.write("IN", aes_xts(XTS_KEY, bytes.fromhex(IV16), plain))
    options = ["--cipher", "aes-256-xts", "--key-file", "xts", "--iv", IV16]
    for offset in {0, 1, 15, size // 2, size - 33, size - 32, size - 17, size - 16, size - 15, size - 1}:
        if 0 <= offset < size:
            for length in {1, (size - offset) // 2, size - offset}:
                part = files.run("raw", "decrypt", *options, "--range", f"{offset}:{length}", "IN", check=0).stdout
                assert part == plain[offset : offset + length], (offset, length)


@pytest.mark.parametrize("padding", ["pkcs7", "x923", "iso7816", "zero", "none"])
def test_paddings(files, padding):
    """The padding is no part of the plaintext, and is looked at where the range may reach it."""
    for size in (15, 16, 17, 64):
        if padding == "none" and size % 16:
            continue
        plain = random_bytes(size, seed=9)[:-1] + b"\x01"
        options = ["--cipher", "aes-256-cbc", "--iv", IV16, "--key-file", "key", "--padding", padding]
        sealed = files.run("raw", "encrypt", *options, stdin=plain, check=0).stdout
        files.write("IN", sealed)
        for offset, length in [(0, size), (size - 1, 1), (size // 2, size - size // 2), (0, 1)]:
            part = files.run("raw", "decrypt", *options, "--range", f"{offset}:{length}", "IN", check=0).stdout
            assert part == plain[offset : offset + length]
        assert files.run("raw", "decrypt", *options, "--range", f"{size}:", "IN", check=0).stdout == b""
        done = files.run("raw", "decrypt", *options, "--range", f"0:{size + 1}", "IN", "OUT")
        files.assert_refused(done, 2, f"{size} bytes")
    assert files.names() == ["IN", "key", "xts"]


def test_a_wrong_key_shows_where_padding_is_looked_at(files):
    files.write("IN", openssl("enc", "-aes-256-cbc", "-K", random_bytes(32, seed=99).hex(), "-iv", IV16, stdin=bytes(100)))
    options = options_of("aes-256-cbc")
    done = files.run("raw", "decrypt", *options, "--range", "50:", "IN", "OUT")
    assert done.returncode == 4 and files.names() == ["IN", "key", "xts"]
    assert len(files.run("raw", "decrypt", *options, "--range", "0:50", "IN", check=0).stdout) == 50


@pytest.mark.parametrize("text", [":", "x:1", "1:x", "1", "-1:5", "1:-5", "0x10:1", "18446744073709551616:1", "16777216T:1"])
def test_what_is_no_range(files, text):
    files.write("IN", bytes(64))
    files.assert_refused(files.run("raw", "decrypt", *options_of("aes-256-ctr"), "--range", text, "IN", "OUT"), 2, "OFFSET:LENGTH")


def test_sizes_have_suffixes(files):
    plain = random_bytes(3 * CHUNK, seed=2)
    files.write("IN", MODES["aes-256-ctr"][1](plain))
    part = files.run("raw", "decrypt", *options_of("aes-256-ctr"), "--range", "1M:64K", "IN", check=0).stdout
    assert part == plain[CHUNK : CHUNK + 65536]


@pytest.mark.parametrize("text", ["101:0", "0:101", "50:51", "18446744073709551615:1", "1:18446744073709551615", "101:"])
def test_beyond_the_end_the_size_is_said(files, text):
    files.write("IN", bytes(100))
    files.assert_refused(files.run("raw", "decrypt", *options_of("aes-256-ctr"), "--range", text, "IN", "OUT"), 2, "100 bytes")
    assert files.names() == ["IN", "key", "xts"]


def test_modes_without_parts(files):
    files.write("IN", bytes(64))
    for cipher, word in (("aes-256-ofb", "OFB"), ("aes-256-gcm", "tag")):
        options = ["--cipher", cipher, "--key-file", "key", *(["--iv", IV16] if "ofb" in cipher else [])]
        files.assert_refused(files.run("raw", "decrypt", *options, "--range", "0:5", "IN", "OUT"), 2, word)


def test_what_does_not_go_with_a_range(files):
    files.write("IN", bytes(64))
    options = options_of("aes-256-ctr")
    files.assert_refused(files.run("raw", "decrypt", *options, "--range", "0:5", "--in-place", "IN"), 2, "--in-place")
    files.assert_refused(files.run("raw", "decrypt", *options, "--skip", "5", "--in-place", "IN"), 2, "--in-place")
    files.assert_refused(files.run("raw", "decrypt", *options, "--range", "0:5", "-", "OUT", stdin=bytes(64)), 2, "seek")
    files.assert_refused(files.run("raw", "encrypt", *options, "--range", "0:5", "IN", "OUT"), 2, "--range")
    assert files.read("IN") == bytes(64)


def test_a_damaged_end_is_no_matter_elsewhere(files):
    plain = random_bytes(1000, seed=3)
    sealed = MODES["aes-256-cbc"][1](plain)
    files.write("IN", sealed[:-3])
    assert files.run("raw", "decrypt", *options_of("aes-256-cbc"), "--range", "100:200", "IN", check=0).stdout == plain[100:300]
    done = files.run("raw", "decrypt", *options_of("aes-256-cbc"), "--range", "100:", "IN", "OUT")
    files.assert_refused(done, 5, "whole blocks")


def test_a_file_of_openssl_enc(files):
    plain = random_bytes(CHUNK + 500, seed=4)
    files.write("pass", b"open sesame\n")
    files.write("IN", openssl("enc", "-aes-256-cbc", "-pbkdf2", "-pass", "file:pass", stdin=plain, cwd=files.folder))
    options = "--openssl --cipher aes-256-cbc --pbkdf2 --passphrase-file pass".split()
    for offset, length in [(0, 10), (5, 100), (CHUNK - 3, 200), (CHUNK + 400, 100)]:
        part = files.run("raw", "decrypt", *options, "--range", f"{offset}:{length}", "IN", check=0).stdout
        assert part == plain[offset : offset + length]
    files.assert_refused(files.run("raw", "decrypt", *options, "-a", "--range", "0:5", "IN", "OUT"), 2, "base64")


@pytest.mark.parametrize("cipher", MODES)
def test_behind_other_bytes(files, cipher):
    plain = random_bytes(5000, seed=6)
    files.write("IN", random_bytes(4096, seed=1) + MODES[cipher][1](plain))
    skip = ["--skip", "4K"]
    assert files.run("raw", "decrypt", *options_of(cipher), *skip, "IN", check=0).stdout == plain
    assert files.run("raw", "decrypt", *options_of(cipher), *skip, stdin=files.read("IN"), check=0).stdout == plain
    part = files.run("raw", "decrypt", *options_of(cipher), *skip, "--range", "100:4000", "IN", check=0).stdout
    assert part == plain[100:4100]
    for source in (["IN"], []):
        done = files.run("raw", "decrypt", *options_of(cipher), "--skip", "1G", *source, stdin=files.read("IN"))
        assert done.returncode == 5 and b"skipped" in done.stderr


def test_only_what_it_takes_is_read(files, faults):
    """Of a file that nobody would read whole."""
    with open(files.folder / "IN", "wb") as file:
        file.truncate(7 << 40)
    log = files.folder.parent / "log"
    for cipher in ("aes-256-ctr", "aes-256-cfb", "aes-256-cbc", "aes-256-ecb"):
        log.unlink(missing_ok=True)
        options = [*options_of(cipher), *(["--padding", "none"] if cipher[-3:] in ("cbc", "ecb") else [])]
        done = files.run("raw", "decrypt", *options, "--range", "6T:100", "IN", env=faults("read@every=note", log=log), check=0)
        assert len(done.stdout) == 100
        reads = [int(words[1]) for words in map(str.split, log.read_text().splitlines()) if words[0] == "pread" and words[-1].endswith("IN")]
        assert 0 < sum(reads) <= 112 + 16
    sectors = ["--cipher", "aes-256-xts", "--key-file", "xts", "--sector-size", "4096", "--range", "6T:100"]
    log.unlink(missing_ok=True)
    files.run("raw", "decrypt", *sectors, "IN", env=faults("read@every=note", log=log), check=0)
    reads = [int(words[1]) for words in map(str.split, log.read_text().splitlines()) if words[0] == "pread" and words[-1].endswith("IN")]
    assert 0 < sum(reads) <= 4096 + 16


def test_threads_and_engines_give_the_same(files):
    plain = random_bytes(5 * CHUNK + 3, seed=7)
    files.write("IN", MODES["aes-256-cbc"][1](plain))
    for run in (["--threads", "1"], ["--threads", "5"], ["--engine", "cpu:scalar"]):
        part = files.run("raw", "decrypt", *options_of("aes-256-cbc"), *run, "--range", f"7:{4 * CHUNK}", "IN", check=0).stdout
        assert part == plain[7 : 7 + 4 * CHUNK]


def test_an_in_that_changes_meanwhile(files, faults):
    plain = random_bytes(3 * CHUNK, seed=8)
    os.utime(files.write("IN", MODES["aes-256-ctr"][1](plain)), (1_000_000_000, 1_000_000_000))
    ranged = ["raw", "decrypt", *options_of("aes-256-ctr"), "--range", "0:3M", "IN", "OUT"]
    change = faults("pread:IN@2=run", actor="printf X | dd of=IN bs=1 conv=notrunc 2> /dev/null")
    files.assert_refused(files.run(*ranged, env=change), 1, "was changed", "--changing-input")
    files.assert_refused(files.run(*ranged, env=faults("pread:IN@2=run", actor="truncate -s 100 IN")), 1, "became shorter")
    assert files.names() == ["IN", "key", "xts"]


@pytest.mark.skipif(not is_root() or shutil.which("losetup") is None, reason="a loop device needs root and losetup")
def test_a_disk(files):
    plain = random_bytes(CHUNK, seed=9)
    files.write("IN", xts_sectors(plain, 512))
    attached = subprocess.run(["losetup", "--find", "--show", "--read-only", files.folder / "IN"], capture_output=True, text=True)
    if attached.returncode != 0:
        pytest.skip(f"no loop device here: {attached.stderr}")
    device = attached.stdout.strip()
    try:
        options = ["--cipher", "aes-256-xts", "--key-file", "xts", "--sector-size", "512"]
        assert files.run("raw", "decrypt", *options, "--range", "1000:5000", device, check=0).stdout == plain[1000:6000]
        assert files.run("raw", "decrypt", *options, "--range", f"{CHUNK - 7}:", device, check=0).stdout == plain[-7:]
        files.assert_refused(files.run("raw", "decrypt", *options, "--range", f"0:{CHUNK + 1}", device, "OUT"), 2, f"{CHUNK} bytes")
    finally:
        subprocess.run(["losetup", "--detach", device], check=True)


DM_CRYPT = [  # a name of dm-crypt, and words that explain it
    ("serpent-xts-plain64", ["serpent-256-xts", "serpent-128-xts", "512", "--sector-size", "--sector-offset", "--skip"]),
    ("aes-xts-plain64", ["aes-256-xts", "aes-128-xts", "64 bytes"]),
    ("AES-XTS-plain", ["aes-256-xts"]),
    ("aes-256-xts-plain64", ["aes-256-xts"]),
    ("capi:xts(twofish)-plain64", ["twofish-256-xts"]),
    ("aes-cbc-essiv:sha256", ["cryptsetup", "not read here"]),
    ("aes-cbc-plain64", ["cryptsetup"]),
    ("camellia-xts-plain64", ["cryptsetup"]),
]


@pytest.mark.parametrize("name, words", DM_CRYPT)
def test_names_of_dm_crypt_are_explained(files, name, words):
    done = files.run("raw", "decrypt", "--cipher", name, "--key-file", "xts", "IN", "OUT")
    files.assert_refused(done, 2, f"'{name}'", "dm-crypt", *words)
    assert b"did you mean" not in done.stderr


def test_and_to_migrate(files):
    files.write("new", random_bytes(32))
    old = ["--from-cipher", "serpent-xts-plain64", "--from-key-file", "xts", "--key-file", "new"]
    done = files.run("migrate", *old, "IN", "OUT")
    files.assert_refused(done, 2, "--from-cipher serpent-256-xts", "--from-sector-size")
    assert b"--skip" not in done.stderr
