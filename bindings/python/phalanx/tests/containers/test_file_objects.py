"""phalanx.open over files that are open already, and as text."""

import gc
import io
import pathlib
import threading
from typing import Any

import pytest

import phalanx
from phalanx import parquet

KEY = bytes(range(32))
DATA = bytes(range(251)) * 2000  # some 30 chunks
TEXT = "één\ntwee\n" * 5000


def container_of(data: bytes) -> io.BytesIO:
    file = io.BytesIO()
    with phalanx.open(file, "wb", key=KEY) as sealed:
        sealed.write(data)
    assert not file.closed
    return file


class Failing(io.BytesIO):
    """Fails at what is told."""

    def read(self, *arguments: Any) -> bytes:
        raise OSError("the tape is torn")

    def write(self, data: Any, /) -> int:
        if self.tell() > 100000:
            raise KeyError("the tape is full")
        return super().write(data)


class Slow(io.BytesIO):
    """Takes and gives as little as it may."""

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(min(size or 0, 1000))

    def write(self, data: Any, /) -> int:
        return super().write(bytes(data)[:5000])


def test_there_and_back() -> None:
    file = container_of(DATA)
    assert phalanx.unseal(file.getvalue(), key=KEY) == DATA
    with phalanx.open(file, key=KEY) as opened:  # from wherever it stands
        assert (opened.size, opened.suite) == (len(DATA), "aes-256")
        opened.seek(100000)
        assert opened.read(1000) == DATA[100000:101000]
        opened.seek(0)
        assert opened.read() == DATA
    assert not file.closed


def test_files_of_python(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "data.phalanx"
    for buffering in (-1, 0):
        with open(path, "wb", buffering) as file, phalanx.open(file, "w", key=KEY) as sealed:
            assert sealed.name == file.name
            sealed.write(DATA)
        with open(path, "rb", buffering) as file, phalanx.open(file, "r", key=KEY) as opened:
            assert opened.read() == DATA
    assert phalanx.verify(path, key=KEY).plain_bytes == len(DATA)


def test_files_that_take_and_give_little() -> None:
    file = Slow()
    with phalanx.open(file, "wb", key=KEY) as sealed:
        sealed.write(DATA)
    with phalanx.open(file, key=KEY) as opened:
        assert opened.read() == DATA


class Odd(io.BytesIO):
    """Says something else of what it took, or of where it stands."""

    def __init__(self, content: bytes = b"", said: Any = None) -> None:
        super().__init__(content)
        self.said = said

    def write(self, data: Any, /) -> Any:
        super().write(data)
        return self.said

    def seek(self, *arguments: Any) -> Any:
        super().seek(*arguments)
        return self.said


@pytest.mark.parametrize("said", [True, "5", 5.0, -1, b"5", [5], 1 << 70])
def test_files_that_say_no_number(said: Any) -> None:
    with pytest.raises(phalanx.UsageError, match=r"the file's write\(\) gave .* where a number of bytes is due"):
        phalanx.open(Odd(said=said), "wb", key=KEY)  # which writes the header
    with pytest.raises(phalanx.UsageError, match=r"the file's seek\(\) gave"):
        phalanx.open(Odd(container_of(DATA).getvalue(), said), key=KEY)


class Full(io.RawIOBase):
    """As a pipe that does not block, and is full: it gives None, of which nothing was taken."""

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> None:
        """Takes nothing."""


def test_files_that_would_block_took_nothing() -> None:
    with pytest.raises(OSError, match="took nothing of the container now"):
        phalanx.open(Full(), "wb", key=KEY)  # which writes the header


def test_what_has_another_type_is_told() -> None:
    footer = parquet.ParquetKey(KEY)
    odd: list[dict[str, Any]] = [{"column_keys": {"a": "no key"}}, {"column_keys": {5: footer}}, {"plain_columns": [5]}]
    for columns in odd:
        with pytest.raises(phalanx.UsageError, match="has another type than it should"):
            parquet.encrypt(b"PAR1", footer, **columns)


def test_one_file_in_many_threads() -> None:
    reader = phalanx._native.ContainerReader(container_of(DATA), key=KEY)
    found: dict[int, bool] = {}

    def read(number: int) -> None:
        found[number] = all(reader.read_rest(offset) == DATA[offset:] for offset in range(number, len(DATA), 50000))

    threads = [threading.Thread(target=read, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == dict.fromkeys(range(8), True)


def test_what_a_file_raises_is_raised() -> None:
    with pytest.raises(OSError, match="the tape is torn"):
        phalanx.open(Failing(container_of(DATA).getvalue()), key=KEY)
    file = Failing()
    with pytest.raises(KeyError, match="the tape is full"), phalanx.open(file, "wb", key=KEY) as sealed:
        while True:
            sealed.write(DATA)
    with pytest.raises(phalanx.Error):
        phalanx.unseal(file.getvalue(), key=KEY)


def test_an_exception_leaves_a_part_that_opens_nowhere() -> None:
    file = io.BytesIO()
    with pytest.raises(ZeroDivisionError), phalanx.open(file, "wb", key=KEY) as sealed:
        sealed.write(DATA)
        1 / 0
    with pytest.raises(phalanx.TruncatedError):
        phalanx.open(file, key=KEY)


def test_a_file_that_becomes_shorter() -> None:
    file = container_of(DATA)
    with phalanx.open(file, key=KEY) as opened:
        file.truncate(20000)
        opened.seek(100000)
        with pytest.raises(phalanx.MachineError, match="shorter"):
            opened.read(10)


def test_files_that_do_not_fit(tmp_path: pathlib.Path) -> None:
    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

    with pytest.raises(phalanx.UsageError, match="cannot seek"):
        phalanx.open(Pipe(), key=KEY)
    with pytest.raises(phalanx.UsageError, match='"xb" is for a path'):
        phalanx.open(io.BytesIO(), "xb", key=KEY)
    with pytest.raises(phalanx.UsageError, match="one of text"):
        phalanx.open(io.StringIO(), key=KEY)  # type: ignore[call-overload]
    with pytest.raises(phalanx.UsageError, match="one of text"):
        phalanx.open(io.StringIO(), "wb", key=KEY)  # type: ignore[call-overload]
    with pytest.raises(phalanx.FormatError):
        phalanx.open(io.BytesIO(b"no container at all, but some text"), key=KEY)
    with pytest.raises(phalanx.TruncatedError):
        phalanx.open(io.BytesIO(), key=KEY)


def test_text(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "text.phalanx"
    with phalanx.open(path, "wt", encoding="utf-8", newline="\r\n", key=KEY) as written:
        written.write(TEXT)
        assert not path.exists()
    assert phalanx.unseal(path.read_bytes(), key=KEY) == TEXT.replace("\n", "\r\n").encode()
    with phalanx.open(path, "rt", encoding="utf-8", key=KEY) as read:
        assert next(read) == "één\n" and read.read() == TEXT[4:]
    with phalanx.open(path, "rt", encoding="ascii", errors="replace", key=KEY) as read:
        assert "�" in read.readline()
    with pytest.raises(FileExistsError):
        phalanx.open(path, "xt", encoding="utf-8", key=KEY)


def test_text_that_fails_leaves_nothing(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "text.phalanx"
    with pytest.raises(ZeroDivisionError), phalanx.open(path, "wt", encoding="utf-8", key=KEY) as written:
        written.write(TEXT)
        1 / 0
    written = phalanx.open(path, "wt", encoding="utf-8", key=KEY)
    written.write(TEXT)
    with pytest.raises(io.UnsupportedOperation):
        written.detach()
    del written
    gc.collect()
    with pytest.raises(LookupError):
        phalanx.open(path, "wt", encoding="no such encoding", key=KEY)
    with pytest.raises(UnicodeEncodeError), phalanx.open(path, "wt", encoding="ascii", key=KEY) as written:
        written.write(TEXT)
    assert list(tmp_path.iterdir()) == []


def test_modes(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "data.phalanx"
    with pytest.raises(phalanx.UsageError, match='of text: give the mode "rt"'):
        phalanx.open(path, encoding="utf-8", key=KEY)  # type: ignore[call-overload]
    for mode in ("a", "at", "r+b", "rbt", "", "tw", "wtb"):
        with pytest.raises(phalanx.UsageError, match="is none of a container"):
            phalanx.open(path, mode, key=KEY)  # type: ignore[call-overload]
    with phalanx.open(path, "x", key=KEY) as file:
        assert file.write(b"a") == 1
    with phalanx.open(path, "r", key=KEY) as opened:
        assert opened.read() == b"a"
