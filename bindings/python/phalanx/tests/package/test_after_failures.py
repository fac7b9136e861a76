"""What every object that has a state does after a call that failed, after its end, and once it is closed."""

import io
import os
import pathlib
from collections.abc import Callable
from typing import Any

import pytest

import phalanx
from phalanx import _native
from phalanx.compat.Crypto.Cipher import AES, block_modes
from phalanx.compat.cryptography import AlreadyFinalized, Cipher, InvalidTag, algorithms, modes

KEY = bytes(range(32))
IV = bytes(16)
DATA = bytes(range(251)) * 14000  # more than three pieces
CBC = phalanx.ForeignFormat("aes-256-cbc", key=KEY, iv=IV)


@pytest.fixture
def old(tmp_path: pathlib.Path) -> pathlib.Path:
    path = tmp_path / "old"
    path.write_bytes(phalanx.Cipher("aes-256-cbc", KEY).encrypt(DATA, iv=IV, padding="pkcs7"))
    return path


def test_an_old_file_gives_nothing_after_a_wrong_key(old: pathlib.Path) -> None:
    with phalanx.foreign_open(old, phalanx.ForeignFormat("aes-256-cbc", key=bytes(32), iv=IV)) as file:
        for _ in range(3):
            with pytest.raises(phalanx.WrongKeyError):
                file.read()
            with pytest.raises(phalanx.WrongKeyError):
                file.read(10)
    reader = _native.ForeignFileReader(old, phalanx.ForeignFormat("aes-256-cbc", key=bytes(32), iv=IV))
    target = bytearray(5 << 20)
    for _ in range(3):
        with pytest.raises(phalanx.WrongKeyError):
            reader.read_into(target)
        with pytest.raises(phalanx.WrongKeyError):
            reader.read_into(bytearray(1))


def test_an_old_file_gives_nothing_after_it_was_cut(old: pathlib.Path) -> None:
    old.write_bytes(old.read_bytes()[:-3])
    with pytest.raises(phalanx.TruncatedError):
        phalanx.foreign_open(old, CBC).read()
    file = phalanx.foreign_open(old, phalanx.ForeignFormat("aes-256-ctr", key=KEY, iv=IV))  # a length that fits
    assert len(file.read(100)) == 100
    os.truncate(old, 2_000_000)
    for _ in range(3):
        with pytest.raises(phalanx.MachineError, match="became shorter"):
            while file.read(1 << 20):
                pass


def test_openssl_open_gives_nothing_after_a_failure(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "old.enc"  # of `openssl enc -des3 -md md5 -pass pass:secret`
    path.write_bytes(bytes.fromhex("53616c7465645f5f7ba0fb1d96df09807df08c0cd5c834b4f88134ddf596b27c"))
    with phalanx.openssl_open(path, passphrase="another", cipher="des3", digest="md5") as file:
        for _ in range(3):
            with pytest.raises(phalanx.WrongKeyError):
                file.read()


def test_an_old_file_that_changes(old: pathlib.Path) -> None:
    """It is read on to what is appended, and what is changed is refused at its end."""
    sealed, form = old.read_bytes(), phalanx.ForeignFormat("aes-256-ctr", key=KEY, iv=IV)
    os.utime(old, (1, 1))
    with phalanx.foreign_open(old, form) as file:
        start = file.read(100)
        with old.open("ab") as appending:
            appending.write(sealed)
        longer = phalanx.Cipher("aes-256-ctr", KEY).decrypt(sealed + sealed, iv=IV)
        assert start + file.read() == longer
        assert file.read() == b""
    os.utime(old, (1, 1))
    with phalanx.foreign_open(old, form) as file:
        file.read(100)
        os.utime(old, (2, 2))
        for _ in range(2):
            with pytest.raises(phalanx.MachineError, match="was changed while it was read"):
                file.read()


def test_a_container_fails_for_its_chunk_alone(tmp_path: pathlib.Path) -> None:
    """tell() says what comes next, and that is what comes: nothing is let out that is not authentic, or from elsewhere."""
    path = tmp_path / "box"
    sealed = bytearray(phalanx.seal(DATA, key=KEY))
    sealed[len(sealed) - len(DATA) + 5 * 16384] ^= 1
    path.write_bytes(sealed)
    with phalanx.open(path, key=KEY) as file:
        assert file.read(10) == DATA[:10]
        for _ in range(3):
            with pytest.raises(phalanx.AuthenticationError, match="chunk 4|chunk 5"):
                file.read(10 * 16384)
            place = file.tell()
            with pytest.raises(phalanx.AuthenticationError):
                file.read()
            file.seek(place)
            assert file.read(16) == DATA[place : place + 16]
            file.seek(7 * 16384)
            assert file.read(1000) == DATA[7 * 16384 : 7 * 16384 + 1000]
            file.seek(10)
    reader = _native.ContainerReader(path, key=KEY)
    target = bytearray(b"x" * (8 * 16384))
    with pytest.raises(phalanx.AuthenticationError):
        reader.read_into(0, target)
    assert target == bytes(len(target))
    assert reader.read_into(0, bytearray(100)) == 100
    for close in (file.read, file.tell, lambda: file.seek(0)):
        with pytest.raises(ValueError):
            close()


def test_a_writer_takes_nothing_after_a_failure(tmp_path: pathlib.Path) -> None:
    resource = pytest.importorskip("resource")
    import signal

    path = tmp_path / "box"
    writer = _native.ContainerWriter(path, key=KEY)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, before[1]))
        with pytest.raises(phalanx.MachineError):
            writer.write(bytes(5 << 20))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, ignored)
    further: list[Callable[[], object]] = [lambda: writer.write(b"more"), writer.finish]
    for again in further:
        with pytest.raises(phalanx.UsageError, match="failed"):
            again()
    writer.discard()
    for again in further:
        with pytest.raises(phalanx.UsageError, match="closed"):
            again()
    assert os.listdir(tmp_path) == []


def test_a_finished_writer_takes_nothing(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "box"
    writer = _native.ContainerWriter(path, key=KEY)
    writer.write(DATA)
    writer.finish()
    further: list[Callable[[], object]] = [lambda: writer.write(b"more"), writer.finish]
    for again in further:
        with pytest.raises(phalanx.UsageError, match="closed"):
            again()
    writer.discard()
    assert phalanx.unseal(path.read_bytes(), key=KEY) == DATA


def test_nobody_takes_the_buffer_off_a_writer(tmp_path: pathlib.Path) -> None:
    """What is left would become a container by itself, without what was buffered."""
    file = phalanx.open(tmp_path / "box", "wb", key=KEY)
    file.write(b"some")
    with pytest.raises(io.UnsupportedOperation):
        file.detach()
    del file
    assert os.listdir(tmp_path) == []


def test_a_message_by_parts_is_over_with_its_end() -> None:
    cipher = phalanx.Cipher("aes-256-cbc", KEY)
    sealed = cipher.encrypt(b"a" * 40, iv=IV, padding="pkcs7")
    streams = [cipher.encryptor(iv=IV, padding="pkcs7"), *(cipher.decryptor(iv=IV, padding="pkcs7") for _ in range(2))]
    for stream, part in zip(streams, [b"x", sealed, sealed[:-1]]):
        stream.update(part)
        try:
            stream.finalize()
        except phalanx.TruncatedError:
            assert len(part) % 16
        for again in (lambda: stream.update(b""), lambda: stream.update_into(b"", bytearray(9)), stream.finalize):
            with pytest.raises(phalanx.UsageError, match="finished"):
                again()


def test_what_is_refused_before_it_begins_changes_nothing() -> None:
    cipher = phalanx.Cipher("aes-256-ctr", KEY)
    stream = cipher.encryptor(iv=IV)
    first = stream.update(b"first ")
    for wrong in (lambda: stream.update_into(b"x" * 100, bytearray(3)), lambda: stream.update("text")):  # type: ignore[arg-type]
        with pytest.raises((phalanx.Error, TypeError)):
            wrong()
    assert first + stream.update(b"second") == cipher.encrypt(b"first second", iv=IV)


def test_gcm_by_parts_is_over_with_its_tag() -> None:
    """A second tag would be garbage, and so would more text."""
    stream = _native.GcmStream("aes-256-gcm", KEY, bytes(12), True)
    stream.add_associated_data(b"header")
    sealed = stream.update(b"text")
    with pytest.raises(phalanx.UsageError, match="before the text"):
        stream.add_associated_data(b"more")  # refused before it begins: the message goes on
    tag = stream.finish()
    assert sealed + tag == phalanx.Aead("aes-256-gcm", KEY).seal(bytes(12), b"text", b"header")
    for again in (
        stream.finish,
        lambda: stream.update(b"x"),
        lambda: stream.update(b""),
        lambda: stream.update_into(b"x", bytearray(1)),
        lambda: stream.add_associated_data(b"x"),
    ):
        with pytest.raises(phalanx.UsageError):
            again()


class FailsOnce:
    """In the place of a native GCM stream: its second call for associated data fails."""

    calls = 0

    def __init__(self, *arguments: Any) -> None:
        self.stream = _native.GcmStream(*arguments)

    def add_associated_data(self, data: bytes) -> None:
        FailsOnce.calls += 1
        if FailsOnce.calls == 2:
            raise MemoryError
        self.stream.add_associated_data(data)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


def test_gcm_of_pycryptodome_has_all_of_its_associated_data(monkeypatch: pytest.MonkeyPatch) -> None:
    class Native:
        GcmStream = FailsOnce
        ProcessMark = _native.ProcessMark

    monkeypatch.setattr(block_modes, "_native", Native)
    cipher = AES.new(KEY, AES.MODE_GCM, nonce=bytes(12))
    cipher.update(b"one").update(b"two")
    with pytest.raises(MemoryError):
        cipher.encrypt(b"text")
    sealed, tag = cipher.encrypt_and_digest(b"text")
    assert sealed + tag == phalanx.Aead("aes-256-gcm", KEY).seal(bytes(12), b"text", b"onetwo")


def test_ctr_of_pycryptodome_counts_what_was_crypted_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    cipher = AES.new(KEY, AES.MODE_CTR, nonce=bytes(15), initial_value=250)
    whole = AES.new(KEY, AES.MODE_CTR, nonce=bytes(15), initial_value=250).encrypt(bytes(4096))
    first = cipher.encrypt(bytes(32))
    crypt = block_modes.BlockCipher._update

    def refuse(self: Any, data: Any, encrypts: bool) -> bytes:
        raise phalanx.UsageError("another thread is using this object: give each thread its own")

    monkeypatch.setattr(block_modes.BlockCipher, "_update", refuse)
    with pytest.raises(phalanx.UsageError, match="another thread"):
        cipher.encrypt(bytes(16))
    monkeypatch.setattr(block_modes.BlockCipher, "_update", crypt)
    assert first + cipher.encrypt(bytes(4064)) == whole


MODES = [modes.CBC(IV), modes.CTR(IV), modes.CFB8(IV), modes.XTS(IV), modes.GCM(bytes(12))]


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.name)
def test_contexts_of_cryptography_are_over_with_their_end(mode: Any) -> None:
    key = KEY + KEY[::-1] if mode.name == "XTS" else KEY
    context = Cipher(algorithms.AES(key), mode).encryptor()
    context.update(bytes(32))
    context.finalize()
    for again in (lambda: context.update(b""), lambda: context.update_into(b"", bytearray(64)), context.finalize):
        with pytest.raises(AlreadyFinalized):
            again()


def test_a_tag_that_does_not_verify_ends_the_message() -> None:
    context = Cipher(algorithms.AES(KEY), modes.GCM(bytes(12), bytes(16))).decryptor()
    context.update(b"text")
    with pytest.raises(InvalidTag):
        context.finalize()
    further: list[Callable[[], object]] = [lambda: context.update(b"x"), context.finalize]
    for again in further:
        with pytest.raises(AlreadyFinalized):
            again()
