"""Columns of an encrypted Parquet file as CuPy arrays, which were decrypted in the GPU's memory and never left it.

    columns_on_gpu.py                     two columns, made up
    columns_on_gpu.py FILE KEY_FILE       those of a file that is encrypted under one key; timed

pyarrow reads the footer. Columns are taken that are numbers, neither compressed nor encoded (PLAIN), and without nulls:
write_table(..., use_dictionary=False, compression="none"). For all others there is cuDF.
"""

from __future__ import annotations

import io
import pathlib
import sys
import time
from typing import Any

from phalanx import parquet

try:
    import cupy
except ImportError:
    sys.exit("no CuPy here: pip install cupy-cuda13x")
import pyarrow
import pyarrow.parquet as pq

TYPES = {"INT32": "i4", "INT64": "i8", "FLOAT": "f4", "DOUBLE": "f8"}
MOST_HEADER_BYTES = 4096  # with statistics of two numbers it has some 60


def footer_of(image: Any) -> Any:
    """What pyarrow finds in the end of the file, which alone is copied to the host."""
    footer_bytes = int.from_bytes(image[-8:-4].get().tobytes(), "little")
    return pq.read_metadata(io.BytesIO(b"PAR1" + image[-8 - footer_bytes :].get().tobytes()))


class Header:
    """A page's header: a struct of Thrift's compact protocol, of which numbers are read and all else is passed over."""

    def __init__(self, data: bytes) -> None:
        self.data, self.num_bytes = data, 0
        self.fields = self.struct()

    def varint(self) -> int:
        value = shift = 0
        while True:
            byte = self.data[self.num_bytes]
            self.num_bytes += 1
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7

    def number(self) -> int:
        value = self.varint()
        return value // 2 ^ -(value % 2)

    def struct(self) -> dict[int, Any]:
        fields: dict[int, Any] = {}
        name = 0
        while (head := self.data[self.num_bytes]) != 0:
            self.num_bytes += 1
            name = name + (head >> 4) if head >> 4 else self.number()
            kind = head & 15
            if kind in (1, 2):
                fields[name] = kind == 1
            elif kind in (4, 5, 6):
                fields[name] = self.number()
            elif kind == 8:
                text_bytes = self.varint()
                self.num_bytes += text_bytes
            elif kind == 12:
                fields[name] = self.struct()
            else:
                raise ValueError(f"a page's header has a field of type {kind}")
        self.num_bytes += 1
        return fields


def chunk_of(image: Any, chunk: Any, may_be_null: bool) -> list[Any]:
    """The numbers of a column chunk, a view of the image for each page."""
    if chunk.compression != "UNCOMPRESSED" or not set(chunk.encodings) <= {"PLAIN", "RLE"}:
        raise ValueError(f"{chunk.path_in_schema} is compressed or encoded")
    views, place = [], chunk.data_page_offset
    end = place + chunk.total_compressed_size
    while place < end:
        header = Header(image[place : place + MOST_HEADER_BYTES].get().tobytes())
        place += header.num_bytes
        kind, page_bytes = header.fields[1], header.fields[3]
        if kind != 0 or header.fields[5][2] != 0:
            raise ValueError(f"{chunk.path_in_schema} has pages of another kind")
        page = image[place : place + page_bytes]
        if may_be_null:  # the levels come first, behind their length
            page = page[4 + int.from_bytes(page[:4].get().tobytes(), "little") :]
        numbers = page[: header.fields[5][1] * int(TYPES[chunk.physical_type][1])]
        if numbers.nbytes != page.nbytes:
            raise ValueError(f"{chunk.path_in_schema} has nulls")
        views.append(numbers)
        place += page_bytes
    return views


def columns_of(image: Any) -> dict[str, Any]:
    """All columns of the image, each in one piece: a copy within the GPU's memory, since pages lie at any address."""
    footer = footer_of(image)
    columns = {}
    for number in range(footer.num_columns):
        column = footer.schema.column(number)
        if column.max_repetition_level != 0 or column.max_definition_level > 1 or column.physical_type not in TYPES:
            raise ValueError(f"{column.path} is no column of numbers")
        views = []
        for group in range(footer.num_row_groups):
            views += chunk_of(image, footer.row_group(group).column(number), column.max_definition_level == 1)
        columns[column.path] = cupy.concatenate(views).view(TYPES[column.physical_type])
    return columns


def check_with_made_up() -> None:
    table = pyarrow.table({"id": range(100_000), "price": [i * 0.25 for i in range(100_000)]})
    plain = io.BytesIO()
    pq.write_table(table, plain, use_dictionary=False, compression="none", row_group_size=30_000)
    key = bytes(range(32))
    sealed, _ = parquet.encrypt(plain.getvalue(), parquet.ParquetKey(key))
    image, found = parquet.decrypt_to_array(sealed, cupy.empty(1, cupy.uint8), lambda column, metadata: key)
    columns = columns_of(image)
    assert found.verified
    assert all((columns[name].get() == table[name].to_numpy()).all() for name in table.column_names)
    print(f"{len(columns)} columns of {len(columns['id'])} numbers in the GPU's memory")


def main() -> None:
    if cupy.cuda.runtime.getDeviceCount() == 0:
        sys.exit("no GPU to run on")
    if len(sys.argv) == 1:
        check_with_made_up()
        return
    key = pathlib.Path(sys.argv[2]).read_bytes()
    sealed = pathlib.Path(sys.argv[1]).read_bytes()
    for _ in range(2):  # the first one starts CUDA
        start = time.perf_counter()
        image, _ = parquet.decrypt_to_array(sealed, cupy.empty(1, cupy.uint8), lambda column, metadata: key)
        decrypted = time.perf_counter()
        columns = columns_of(image)
        cupy.cuda.Device().synchronize()
    print(f"{len(sealed) / (decrypted - start) / 1e9:.1f} GB/s, and {time.perf_counter() - decrypted:.3f} s for the columns")
    for name, column in columns.items():
        print(f"{name}: {len(column)} of {column.dtype}, the sum is {column.sum()}")


if __name__ == "__main__":
    main()
