"""Volumes of LUKS as files: the seekable plaintext of a volume that is written here, by hashlib and the package's own XTS."""

import hashlib
import io
import os
import pathlib
import threading
from typing import Any

import pytest

import phalanx

PASSPHRASE = b"correct horse"
KEY = bytes(range(64))
PLAIN = hashlib.shake_256(b"plaintext").digest(300_032)
DATA_OFFSET = 8192


def written(plain: bytes = PLAIN) -> bytes:
    """LUKS1 in aes-xts-plain64, with a slot of two stripes (LUKS1 On-Disk Format Specification 1.2.3, figures 1 to 3)."""
    salt, stripe = b"s" * 32, b"x" * 64
    diffused = b"".join(hashlib.sha256(bytes((0, 0, 0, i)) + stripe[32 * i : 32 * i + 32]).digest() for i in range(2))
    material = (stripe + bytes(a ^ b for a, b in zip(diffused, KEY, strict=True))).ljust(512, b"\0")
    names = b"".join(name.ljust(32, b"\0") for name in (b"aes", b"xts-plain64", b"sha256"))
    numbers = (DATA_OFFSET // 512).to_bytes(4, "big") + (64).to_bytes(4, "big")
    digest = hashlib.pbkdf2_hmac("sha256", KEY, salt, 10, 20) + salt + (10).to_bytes(4, "big") + b"a uuid".ljust(40, b"\0")
    slot = bytes.fromhex("00ac71f30000000a") + salt + (8).to_bytes(4, "big") + (2).to_bytes(4, "big")
    header = b"LUKS\xba\xbe\0\1" + names + numbers + digest + slot + (bytes.fromhex("0000dead") + bytes(44)) * 7
    area_key = hashlib.pbkdf2_hmac("sha256", PASSPHRASE, salt, 10, 64)
    area = phalanx.SectorCipher("aes-256-xts", area_key).encrypt(material, first_tweak=0, sector_bytes=512)
    data = phalanx.SectorCipher("aes-256-xts", KEY).encrypt(plain, first_tweak=0, sector_bytes=512)
    return (header.ljust(4096, b"\0") + area).ljust(DATA_OFFSET, b"\0") + data


@pytest.fixture
def path(tmp_path: pathlib.Path) -> pathlib.Path:
    (tmp_path / "disk.luks").write_bytes(written())
    return tmp_path / "disk.luks"


def test_it_is_a_seekable_file(path: pathlib.Path) -> None:
    with phalanx.open_volume(path, passphrase=PASSPHRASE) as volume:
        assert isinstance(volume, io.BufferedReader) and volume.readable() and volume.seekable() and not volume.writable()
        assert volume.size == len(PLAIN) and volume.mode == "rb" and volume.tell() == 0
        assert volume.read(1000) == PLAIN[:1000]
        for offset in (0, 1, 511, 512, 65535, 65536, 123_457, len(PLAIN) - 3):
            assert volume.seek(offset) == offset == volume.tell()
            assert volume.read(777) == PLAIN[offset : offset + 777]
        assert volume.seek(-5, os.SEEK_END) == len(PLAIN) - 5 and volume.read() == PLAIN[-5:]
        assert volume.seek(len(PLAIN) + 9) == len(PLAIN) + 9 and volume.read(1) == b""
        target = bytearray(70_000)
        volume.seek(3)
        assert volume.readinto(target) == 70_000 and target == PLAIN[3:70_003]
        volume.seek(0)
        assert volume.read() == PLAIN
        with pytest.raises(phalanx.UsageError):
            volume.seek(-1)
    with pytest.raises(ValueError, match="closed"):
        volume.read(1)


def test_what_the_header_says(path: pathlib.Path) -> None:
    with phalanx.open_volume(str(path), passphrase="correct horse", key_slot=0, engine="cpu", threads=1) as volume:
        assert (volume.format, volume.cipher, volume.uuid) == ("LUKS1", "aes-xts-plain64", "a uuid")
        assert (volume.key_bytes, volume.sector_bytes, volume.key_slot, volume.note) == (64, 512, 0, "")
        assert repr(volume) == f"<phalanx.VolumeFile {str(path)!r}>"
    found = phalanx.inspect(path)
    assert (found.format, found.kind, found.volume.version, found.volume.cipher) == ("luks", "luks", 1, "aes-xts-plain64")
    assert found.volume.plain_bytes == len(PLAIN) and found.volume.data_offset == DATA_OFFSET and not found.volume.problem
    (slot,) = found.volume.key_slots
    assert (slot.number, slot.derivation, slot.priority, slot.problem) == (0, "PBKDF2 with sha256, 10 iterations", "normal", "")


def test_a_key_file_is_all_of_its_bytes(path: pathlib.Path) -> None:
    key_file = path.with_name("key")
    key_file.touch(mode=0o600)
    key_file.write_bytes(PASSPHRASE)
    assert phalanx.open_volume(path, key_file=key_file).read(9) == PLAIN[:9]
    key_file.write_bytes(PASSPHRASE + b"\n")
    with pytest.raises(phalanx.WrongKeyError):
        phalanx.open_volume(path, key_file=key_file)
    with pytest.raises(FileNotFoundError):
        phalanx.open_volume(path, key_file=path.with_name("none"))


def test_where_the_header_is(path: pathlib.Path) -> None:
    image = path.read_bytes()
    path.with_name("header").write_bytes(image[:DATA_OFFSET])
    path.write_bytes(b"?" * 1000 + bytes(DATA_OFFSET) + image[DATA_OFFSET:])
    with phalanx.open_volume(path, passphrase=PASSPHRASE, header=path.with_name("header"), start=1000) as volume:
        assert volume.read() == PLAIN


MISTAKES: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"passphrase": "wrong"}, phalanx.WrongKeyError, "opens no key slot"),
    ({}, phalanx.UsageError, "give one of them"),
    ({"passphrase": "a", "key_file": "b"}, phalanx.UsageError, "give one of them"),
    ({"passphrase": PASSPHRASE, "key_slot": 3}, phalanx.UsageError, "no key in slot 3"),
    ({"passphrase": PASSPHRASE, "key_slot": -1}, phalanx.UsageError, "from 0 on"),
    ({"passphrase": PASSPHRASE, "start": 1}, phalanx.FormatError, "no volume of LUKS"),
    ({"passphrase": PASSPHRASE, "start": 1 << 40}, phalanx.TruncatedError, "begin behind"),
    ({"passphrase": PASSPHRASE, "header": "none"}, FileNotFoundError, "none"),
    ({"passphrase": PASSPHRASE, "engine": "abacus"}, phalanx.UsageError, "abacus"),
]


@pytest.mark.parametrize("settings, error, words", MISTAKES)
def test_mistakes(path: pathlib.Path, settings: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        phalanx.open_volume(path, **settings)


def test_a_folder_and_nothing(path: pathlib.Path) -> None:
    with pytest.raises(IsADirectoryError):
        phalanx.open_volume(path.parent, passphrase="a")
    with pytest.raises(FileNotFoundError):
        phalanx.open_volume(path.with_name("none"), passphrase="a")


def test_threads_read_it_through_files_of_their_own(path: pathlib.Path) -> None:
    right = []

    def read(offset: int) -> None:
        with phalanx.open_volume(path, passphrase=PASSPHRASE) as volume:
            volume.seek(offset)
            right.append(volume.read(50_000) == PLAIN[offset : offset + 50_000])

    threads = [threading.Thread(target=read, args=(1000 * i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert right == [True] * 6
