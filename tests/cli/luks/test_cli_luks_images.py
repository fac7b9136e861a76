"""raw decrypt --luks and inspect, on volumes that cryptsetup and qemu-img make, and on those of a writer with other ciphers."""

import json
import os
import random
import subprocess

import pytest
from conftest import CHUNK, random_bytes
from luks_images import (
    MIB, PASSPHRASE, QUICK, SECTOR, WrittenVolume, convert_by_qemu, cryptsetup, encrypt_file, format_file, luks1_image,
    needs_cryptsetup, needs_qemu, read_by_qemu, run, write_passphrase,
)  # fmt: skip

PLAIN = random_bytes(3 * CHUNK, seed=21)
LUKS = ["raw", "decrypt", "--luks", "--key-file", "pass"]


def places(size):
    chance = random.Random(size)
    yield from [(0, 1), (1, 1), (0, size), (511, 2), (4095, 2), (4096, 4096), (CHUNK - 1, 2), (CHUNK, CHUNK), (CHUNK - 5, CHUNK + 11), (size - 1, 1), (size, 0)]
    for _ in range(4):
        offset = chance.randrange(size)
        yield offset, chance.randrange(size - offset + 1)


def assert_reads(phalanx, image, plain):
    """All of it to a file and to a pipe, and parts of it. A volume may have more behind what was put there."""
    phalanx.run(*LUKS, "-q", image, "OUT", check=0)
    whole = phalanx.read("OUT")
    assert whole[: len(plain)] == plain
    assert phalanx.run(*LUKS, image, check=0).stdout == whole
    for offset, length in places(len(plain)):
        part = phalanx.run(*LUKS, "--range", f"{offset}:{length}", image, "-", check=0).stdout
        assert part == plain[offset : offset + length], (offset, length)
    assert phalanx.run(*LUKS, "--range", f"{len(whole) - 3}:", image, "-", check=0).stdout == whole[-3:]


def inspected(phalanx, image):
    found = json.loads(phalanx.run("inspect", "--json", image, check=0).stdout)
    assert (found["kind"], found["problem"], found["note"]) == ("luks", "", "")
    return found


ENCRYPTED = {  # options of `cryptsetup reencrypt --encrypt`, and what inspect says
    "xts": (["--type", "luks2", *QUICK], ("aes-xts-plain64", 64, 512)),
    "xts_4096": (["--type", "luks2", *QUICK, "--sector-size", "4096"], ("aes-xts-plain64", 64, 4096)),
    "xts_128": (["--type", "luks2", *QUICK, "--key-size", "256"], ("aes-xts-plain64", 32, 512)),
    "xts_plain": (["--type", "luks2", *QUICK, "--cipher", "aes-xts-plain"], ("aes-xts-plain", 64, 512)),
    "cbc_essiv": (["--type", "luks2", *QUICK, "--cipher", "aes-cbc-essiv:sha256", "--key-size", "256"], ("aes-cbc-essiv:sha256", 32, 512)),
    "cbc_plain64": (["--type", "luks2", *QUICK, "--cipher", "aes-cbc-plain64", "--key-size", "192", "--sector-size", "2048"], ("aes-cbc-plain64", 24, 2048)),
    "argon2id": (["--type", "luks2", "--pbkdf", "argon2id", "--pbkdf-memory", "64", "--pbkdf-parallel", "2", "--pbkdf-force-iterations", "4"], ("aes-xts-plain64", 64, 512)),
    "argon2i": (["--type", "luks2", "--pbkdf", "argon2i", "--pbkdf-memory", "64", "--pbkdf-parallel", "1", "--pbkdf-force-iterations", "5"], ("aes-xts-plain64", 64, 512)),
    "sha512": (["--type", "luks2", *QUICK, "--hash", "sha512"], ("aes-xts-plain64", 64, 512)),
}  # fmt: skip


@needs_cryptsetup
@pytest.mark.parametrize("name", ENCRYPTED)
def test_what_cryptsetup_encrypted(phalanx, name):
    options, (cipher, key_bytes, sector_bytes) = ENCRYPTED[name]
    encrypt_file(phalanx.folder, "IN", PLAIN, *options)
    assert_reads(phalanx, "IN", PLAIN)
    found = inspected(phalanx, "IN")
    assert (found["version"], found["cipher"], found["key_bytes"], found["sector_bytes"]) == (2, cipher, key_bytes, sector_bytes)
    assert len(found["key_slots"]) == 1 and found["plaintext_bytes"] == len(phalanx.read("OUT"))


FORMATTED = {
    "xts": (["--cipher", "aes-xts-plain64", "--key-size", "512"], "aes-xts-plain64"),
    "essiv": (["--cipher", "aes-cbc-essiv:sha256", "--key-size", "256"], "aes-cbc-essiv:sha256"),
    "sha1": (["--cipher", "aes-cbc-plain", "--key-size", "128", "--hash", "sha1"], "aes-cbc-plain"),
}


@needs_cryptsetup
@needs_qemu
@pytest.mark.parametrize("name", FORMATTED)
def test_luks1_of_cryptsetup_is_what_qemu_reads(phalanx, name):
    """The data are random: what qemu-img makes of them, we make of them."""
    options, cipher = FORMATTED[name]
    image = format_file(phalanx.folder, "IN", 8 * MIB, "--type", "luks1", "--pbkdf-force-iterations", "1000", *options)
    found = inspected(phalanx, "IN")
    assert (found["version"], found["cipher"]) == (1, cipher)
    with open(image, "r+b") as file:
        file.seek(found["data_offset"])
        file.write(random_bytes(8 * MIB - found["data_offset"], seed=22))
    assert_reads(phalanx, "IN", read_by_qemu(phalanx.folder, "IN"))


@needs_cryptsetup
def test_digests_that_few_have(phalanx):
    for digest in ("whirlpool", "ripemd160", "sha3-256", "blake2b-512"):
        format_file(phalanx.folder, digest, 4 * MIB, "--type", "luks1", "--pbkdf-force-iterations", "1000", "--hash", digest)
        phalanx.run(*LUKS, digest, "-f", "OUT", check=0)


@needs_qemu
@pytest.mark.parametrize("cipher, mode, iv", [("serpent-256", "xts", "plain64"), ("twofish-256", "xts", "plain64")])
def test_what_qemu_encrypted(phalanx, cipher, mode, iv):
    convert_by_qemu(phalanx.folder, "IN", PLAIN, cipher, mode, iv)
    assert_reads(phalanx, "IN", PLAIN)
    assert inspected(phalanx, "IN")["cipher"] == f"{cipher.split('-')[0]}-{mode}-{iv}"


WRITTEN = [  # encryption, bytes of the key, bytes of a sector, the first iv's number
    ("serpent-xts-plain64", 64, 512, 0), ("serpent-xts-plain64", 48, 4096, 0), ("serpent-cbc-essiv:sha256", 32, 512, 0),
    ("serpent-cbc-plain64", 16, 4096, 8), ("twofish-xts-plain64", 64, 4096, 0), ("twofish-xts-plain64", 32, 512, 2**40),
    ("twofish-cbc-essiv:sha256", 16, 1024, 2), ("twofish-cbc-plain64", 32, 512, 0), ("aes-cbc-plain", 16, 512, 2**32 - 7),
    ("aes-xts-plain", 64, 512, 2**32 - 4097), ("serpent-xts-plain", 64, 4096, 2**32 - 16), ("aes-xts-plain64", 48, 512, 2**64 - 9),
    ("aes-cbc-essiv:sha256", 24, 4096, 1),
]  # fmt: skip


@pytest.mark.parametrize("encryption, key_bytes, sector_bytes, first", WRITTEN)
def test_other_ciphers_of_luks2(phalanx, encryption, key_bytes, sector_bytes, first):
    """The ciphers are libgcrypt's, and cryptsetup, where it is, opens the writer's header and key slot."""
    write_passphrase(phalanx.folder)
    phalanx.write("IN", WrittenVolume(encryption, key_bytes, sector_bytes, first).image(PLAIN))
    assert_reads(phalanx, "IN", PLAIN)
    found = inspected(phalanx, "IN")
    assert (found["cipher"], found["sector_bytes"], found["label"]) == (encryption, sector_bytes, "a label")


@pytest.mark.parametrize("encryption, key_bytes, digest", [("serpent-xts-plain64", 64, "sha512"), ("twofish-cbc-essiv:sha256", 32, "sha1"), ("serpent-cbc-plain", 24, "sha256"), ("aes-cbc-plain64", 24, "sha256")])
def test_other_ciphers_of_luks1(phalanx, encryption, key_bytes, digest):
    write_passphrase(phalanx.folder)
    phalanx.write("IN", luks1_image(PLAIN, encryption, key_bytes, digest))
    assert_reads(phalanx, "IN", PLAIN)


@needs_cryptsetup
def test_cryptsetup_opens_what_our_writer_writes(phalanx):
    phalanx.write("IN", WrittenVolume("serpent-xts-plain64", 64, 4096).image(PLAIN))
    write_passphrase(phalanx.folder)
    cryptsetup(phalanx.folder, "open", "--test-passphrase", "--key-file", "pass", "IN")
    assert b"serpent-xts-plain64" in cryptsetup(phalanx.folder, "luksDump", "IN")


def test_a_key_slot_in_another_cipher(phalanx):
    """The area of a slot has a cipher of its own."""
    for area, area_key in [("serpent-cbc-essiv:sha256", 32), ("twofish-xts-plain64", 32)]:
        write_passphrase(phalanx.folder)
        phalanx.write("IN", WrittenVolume("aes-xts-plain64", area=area, area_key=area_key).image(PLAIN[:MIB]))
        assert phalanx.run(*LUKS, "IN", check=0).stdout == PLAIN[:MIB]


@needs_cryptsetup
@pytest.mark.parametrize("version", ["luks1", "luks2"])
def test_several_slots(phalanx, version):
    write_passphrase(phalanx.folder)
    write_passphrase(phalanx.folder, "line", PASSPHRASE + b"\n")
    write_passphrase(phalanx.folder, "bytes", random_bytes(3000, seed=4))
    format_file(phalanx.folder, "IN", 18 * MIB, "--type", version, *(QUICK[2:] if version == "luks1" else QUICK))
    for slot, name in [(3, "bytes"), (5, "line")]:
        cryptsetup(phalanx.folder, "luksAddKey", *QUICK[2:], *(QUICK[:2] if version == "luks2" else []), "--key-slot", slot, "--key-file", "pass", "IN", name)
    whole = phalanx.run(*LUKS, "IN", check=0).stdout
    for name, slot in [("pass", 0), ("bytes", 3), ("line", 5)]:
        done = phalanx.run("raw", "decrypt", "-v", "--luks", "--key-file", name, "IN", check=0)
        assert done.stdout == whole and f"key slot {slot} opens the volume".encode() in done.stderr
        assert phalanx.run("raw", "decrypt", "--luks", "--key-slot", slot, "--key-file", name, "IN", check=0).stdout == whole
    assert phalanx.run("raw", "decrypt", "--luks", "--passphrase-file", "line", "IN", check=0).stdout == whole  # a line's end is none of it
    phalanx.assert_refused(phalanx.run(*LUKS, "--key-slot", 3, "IN"), 4, "opens no key slot of IN", "one was tried")
    phalanx.assert_refused(phalanx.run(*LUKS, "--key-slot", 7, "IN"), 2, "no key in slot 7", "phalanx inspect")
    assert [slot["number"] for slot in inspected(phalanx, "IN")["key_slots"]] == [0, 3, 5]


@needs_cryptsetup
def test_priorities_of_slots(phalanx):
    format_file(phalanx.folder, "IN", 18 * MIB, "--type", "luks2", *QUICK)
    cryptsetup(phalanx.folder, "luksAddKey", *QUICK, "--key-file", "pass", "IN", "pass")
    cryptsetup(phalanx.folder, "config", "--priority", "prefer", "--key-slot", 1, "IN")
    assert b"key slot 1 opens" in phalanx.run(*LUKS, "-v", "IN", "OUT", check=0).stderr
    for slot in (0, 1):
        cryptsetup(phalanx.folder, "config", "--priority", "ignore", "--key-slot", slot, "IN")
    phalanx.assert_refused(phalanx.run(*LUKS, "IN", "-"), 2, "no key slot that is tried", "name a slot")
    phalanx.run(*LUKS, "--key-slot", 0, "-f", "IN", "OUT", check=0)


@needs_cryptsetup
def test_a_header_in_another_file(phalanx):
    phalanx.write("DATA", random_bytes(2 * MIB, seed=5))
    write_passphrase(phalanx.folder)
    cryptsetup(phalanx.folder, "luksFormat", "--type", "luks2", *QUICK, "--header", "HEADER", "DATA", "pass")
    assert len(phalanx.run(*LUKS, "--luks-header", "HEADER", "DATA", check=0).stdout) == 2 * MIB
    phalanx.assert_refused(phalanx.run(*LUKS, "DATA"), 2, "DATA is no volume of LUKS 1 or 2")
    phalanx.assert_refused(phalanx.run(*LUKS, "--luks-header", "HEADER", "DATA", "HEADER", "-f"), 2, "the header HEADER")


@needs_cryptsetup
def test_a_backup_of_a_header(phalanx):
    encrypt_file(phalanx.folder, "IN", PLAIN, "--type", "luks2", *QUICK)
    cryptsetup(phalanx.folder, "luksHeaderBackup", "--header-backup-file", "BACKUP", "IN")
    whole = phalanx.run(*LUKS, "IN", check=0).stdout
    with open(phalanx.folder / "IN", "r+b") as file:
        file.write(bytes(MIB))
    assert phalanx.run(*LUKS, "--luks-header", "BACKUP", "IN", check=0).stdout == whole
    phalanx.assert_refused(phalanx.run(*LUKS, "BACKUP"), 5, "BACKUP has no data")


@needs_cryptsetup
def test_tokens_are_passed_over(phalanx):
    """They may be any JSON."""
    format_file(phalanx.folder, "IN", 18 * MIB, "--type", "luks2", *QUICK)
    phalanx.write("token", b'{"type": "x", "keyslots": ["0"], "deep": [[1, -2.5e3, {"a": [{}]}], null, true], "u": "\\u00e4\\ud83d\\ude00"}')
    cryptsetup(phalanx.folder, "token", "import", "--json-file", "token", "IN")
    phalanx.run(*LUKS, "IN", "OUT", check=0)


@needs_cryptsetup
def test_a_reencryption_that_has_not_ended(phalanx):
    phalanx.write("IN", PLAIN + bytes(32 * MIB))
    write_passphrase(phalanx.folder)
    cryptsetup(phalanx.folder, "reencrypt", "--encrypt", "--init-only", "--reduce-device-size", "32M", "--key-file", "pass", *QUICK, "IN")
    phalanx.assert_refused(phalanx.run(*LUKS, "IN", "OUT"), 2, "IN is half encrypted or decrypted anew", "cryptsetup reencrypt")
    assert "OUT" not in phalanx.names()
    assert b"half encrypted" in phalanx.run("inspect", "IN", check=0).stdout


def test_a_volume_within_a_disk(phalanx):
    """Sectors of 4096 bytes, which begin behind other bytes."""
    write_passphrase(phalanx.folder)
    phalanx.write("IN", random_bytes(MIB, seed=6) + WrittenVolume(sector_bytes=4096).image(PLAIN))
    assert phalanx.run(*LUKS, "--skip", "1M", "IN", check=0).stdout == PLAIN
    part = phalanx.run(*LUKS, "--skip", "1M", "--range", "1000:5000", "IN", check=0).stdout
    assert part == PLAIN[1000:6000]
    phalanx.assert_refused(phalanx.run(*LUKS, "--skip", "1G", "IN"), 5, "IN has", "begin behind")


def test_a_tail_that_is_no_sector(phalanx):
    """A file may be longer than its last sector: dm-crypt has no such sector either."""
    write_passphrase(phalanx.folder)
    phalanx.write("IN", WrittenVolume(sector_bytes=4096).image(PLAIN) + bytes(4095))
    assert phalanx.run(*LUKS, "IN", check=0).stdout == PLAIN


@pytest.mark.parametrize("name", ["variable", "descriptor", "line"])
def test_where_the_passphrase_comes_from(phalanx, name):
    phalanx.write("IN", WrittenVolume().image(PLAIN[:MIB]))
    write_passphrase(phalanx.folder, "line", PASSPHRASE + b"\nmore\n")
    if name == "variable":
        done = phalanx.run("raw", "decrypt", "--luks", "--key-env", "SECRET", "IN", env={**os.environ, "SECRET": PASSPHRASE.decode()})
    elif name == "descriptor":
        done = phalanx.run("raw", "decrypt", "--luks", "--passphrase-fd", "0", "IN", stdin=PASSPHRASE + b"\n")
    else:
        done = phalanx.run("raw", "decrypt", "-q", "--luks", "--passphrase-file", "line", "IN")
    assert done.returncode == 0 and done.stdout == PLAIN[:MIB], done.stderr


def test_a_pipe_is_refused(phalanx):
    write_passphrase(phalanx.folder)
    phalanx.assert_refused(phalanx.run(*LUKS, stdin=WrittenVolume().image(b"")), 2, "cannot seek", "name a file or a disk")


@pytest.mark.parametrize("option", ["--cipher aes-256-xts", "--iv 00", "--sector-size 512", "--openssl", "-a", "--tag-first", "--in-place IN", "--padding none", "--iter 5"])
def test_options_that_do_not_fit(phalanx, option):
    phalanx.write("IN", b"")
    write_passphrase(phalanx.folder)
    done = phalanx.run(*LUKS, *option.split(), *([] if "in-place" in option else ["IN", "OUT"]))
    phalanx.assert_refused(done, 2, "--luks", option.split()[0].removeprefix("--in-"))


def test_options_of_luks_alone(phalanx):
    phalanx.write("IN", b"x")
    write_passphrase(phalanx.folder)
    phalanx.assert_refused(phalanx.run("raw", "decrypt", "--key-slot", "1", "--cipher", "aes-256-xts", "IN"), 2, "--key-slot", "--luks")
    phalanx.assert_refused(phalanx.run("raw", "decrypt", "IN", "OUT"), 2, "--cipher")
    phalanx.assert_refused(phalanx.run("raw", "encrypt", "--luks", "IN", "OUT"), 2, "--luks")
    phalanx.assert_refused(phalanx.run(*LUKS, "--key-slot", "32", "IN", "OUT"), 2, "from 0 to 31")


NO_LIBARGON2 = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
void *dlopen(const char *name, int flags) {
  void *(*real)(const char *, int) = dlsym(RTLD_NEXT, "dlopen");
  return name != 0 && strstr(name, "argon2") != 0 ? 0 : real(name, flags);
}
"""


@needs_cryptsetup
def test_argon2_without_libargon2(phalanx):
    """libcrypto has it from OpenSSL 3.2 on. Before, what is missing is named."""
    encrypt_file(phalanx.folder, "IN", PLAIN, *ENCRYPTED["argon2id"][0])
    phalanx.write("hide.c", NO_LIBARGON2.encode())
    subprocess.run(["cc", "-shared", "-fPIC", "-o", "hide.so", "hide.c", "-ldl"], cwd=phalanx.folder, check=True)
    done = phalanx.run(*LUKS, "IN", "OUT", env={**os.environ, "LD_PRELOAD": str(phalanx.folder / "hide.so")})
    if b"ARGON2ID" in run("openssl", "list", "-kdf-algorithms").stdout.upper():
        assert done.returncode == 0 and phalanx.read("OUT")[: len(PLAIN)] == PLAIN
    else:
        phalanx.assert_refused(done, 1, "key slot 0 cannot be tried", "libargon2-1")


