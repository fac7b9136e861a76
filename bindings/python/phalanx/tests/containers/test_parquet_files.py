"""Parquet files that are named: what stands there, what is a pipe, and a process that is forked in the middle."""

import os
import pathlib
from typing import Any

import pytest

import phalanx
from phalanx import parquet
from phalanx.parquet import ParquetKey
from phalanx.tests.containers.test_parquet import KEY, changed_at, one_key, written


def test_files(tmp_path: pathlib.Path) -> None:
    source, encrypted, plain = tmp_path / "source", tmp_path / "encrypted", tmp_path / "plain"
    source.write_bytes(written())
    key = ParquetKey(KEY)
    facts = parquet.encrypt_file(source, encrypted, key)
    assert encrypted.stat().st_size == facts.encrypted_bytes and key.invocations == facts.modules
    assert parquet.decrypt_file(encrypted, plain, one_key()).verified
    assert plain.read_bytes() == source.read_bytes()
    with pytest.raises(phalanx.UsageError):
        parquet.decrypt_file(encrypted, plain, one_key())
    assert parquet.decrypt_file(encrypted, plain, one_key(), replace=True).verified
    with pytest.raises(phalanx.UsageError):
        parquet.encrypt_file(source, source, key, replace=True)
    encrypted.write_bytes(changed_at(encrypted.read_bytes(), 5000))
    plain.unlink()
    with pytest.raises(phalanx.AuthenticationError):
        parquet.decrypt_file(encrypted, plain, one_key())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["encrypted", "source"]


def test_a_pipe_is_no_parquet_file_and_not_waited_for(tmp_path: pathlib.Path) -> None:
    pipe, out = tmp_path / "pipe", tmp_path / "out"
    os.mkfifo(pipe)
    with pytest.raises(phalanx.UsageError, match="is not a regular file"):
        parquet.decrypt_file(pipe, out, lambda column, metadata: KEY)
    with pytest.raises(phalanx.UsageError, match="is not a regular file"):
        parquet.encrypt_file(pipe, out, ParquetKey(KEY))
    assert not out.exists()


def test_a_function_for_keys_that_forks(tmp_path: pathlib.Path) -> None:
    """The child's call writes nothing, and the parent's goes on."""
    plain, sealed, out = (tmp_path / name for name in ("plain", "sealed", "out"))
    plain.write_bytes(written())
    parquet.encrypt_file(plain, sealed, ParquetKey(KEY))
    statuses = []

    def key_of(column: Any, metadata: Any) -> bytes:
        child = os.fork()
        if child == 0:
            return KEY
        statuses.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        return KEY

    parent = os.getpid()
    try:
        parquet.decrypt_file(sealed, out, key_of)
    except phalanx.UsageError:
        os._exit(5 if os.getpid() != parent else 6)
    if os.getpid() != parent:
        os._exit(7)
    assert statuses == [5] and out.read_bytes() == plain.read_bytes()
