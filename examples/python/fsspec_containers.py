"""A file system of fsspec over containers: what reads and writes by fsspec reads and writes containers by it.

    fs = ContainerFileSystem(key=key)                  over the local files
    fs.open("data/table.csv.phalanx")

    fsspec.register_implementation("phalanx", ContainerFileSystem)
    pandas.read_csv("phalanx://data/table.csv.phalanx", storage_options={"key": key})
"""

import os
import tempfile
from typing import Any

import fsspec
from fsspec.implementations.local import LocalFileSystem

import phalanx


class ContainerFileSystem(LocalFileSystem):  # type: ignore[misc]
    """The local files, each a container. `info` tells the container's size; an open file knows that of its content."""

    protocol = "phalanx"
    cachable = False  # an instance holds a key

    def __init__(self, key: Any = None, key_file: Any = None, **options: Any) -> None:
        super().__init__(**options)
        self._secrets = {"key_file": key_file} if key is None else {"key": phalanx.Secret(key)}

    def _open(self, path: str, mode: str = "rb", block_size: int | None = None, **options: Any) -> Any:
        path = self._strip_protocol(path)
        if mode == "rb":
            return phalanx.open(path, "rb", **self._secrets)
        if self.auto_mkdir and "w" in mode:
            self.makedirs(self._parent(path), exist_ok=True)
        return phalanx.open(path, "xb" if "x" in mode else "wb", **self._secrets)


def main() -> None:
    import pandas as pd

    folder, key = tempfile.mkdtemp(), os.urandom(32)
    fsspec.register_implementation("phalanx", ContainerFileSystem, clobber=True)
    table = pd.DataFrame({"letter": list("abc"), "number": [1, 2, 3]})
    path = f"phalanx://{folder}/table.csv.phalanx"
    table.to_csv(path, index=False, storage_options={"key": key})
    assert pd.read_csv(path, storage_options={"key": key}).equals(table)
    fs = ContainerFileSystem(key=key)
    with fs.open(f"{folder}/table.csv.phalanx", "rt") as file:
        first_line = file.readline().strip()
    assert fs.ls(folder, detail=False) == [f"{folder}/table.csv.phalanx"]
    assert fs.cat_file(f"{folder}/table.csv.phalanx", 0, 6) == b"letter"
    print(f"pandas wrote and read {path.rpartition('/')[2]} by fsspec; its first line is {first_line!r}")


if __name__ == "__main__":
    main()
