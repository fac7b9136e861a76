"""Tables in containers: pandas and pyarrow write and read them as files, and no plaintext is on the disk.

Without pyarrow's own threads: they may outlive the call that read from a Python file, and then end the program as it exits
(apache/arrow issues 33975 and 34314).
"""

import io
import os
import tempfile

import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

import phalanx


def main() -> None:
    folder, key = tempfile.mkdtemp(), phalanx.Secret(os.urandom(32))
    table = pd.DataFrame({"city": ["Ghent", "Leuven", "Namur"] * 50_000, "count": range(150_000)})

    csv_path = os.path.join(folder, "cities.csv.phalanx")
    with phalanx.open(csv_path, "wb", key=key) as target:
        table.to_csv(target, index=False)
    with phalanx.open(csv_path, key=key) as source:
        assert pd.read_csv(source).equals(table)
    with phalanx.open(csv_path, key=key) as source:
        options = pyarrow.csv.ReadOptions(use_threads=False)
        assert pyarrow.csv.read_csv(pa.PythonFile(source, mode="r"), read_options=options).num_rows == len(table)

    parquet_path = os.path.join(folder, "cities.parquet.phalanx")
    with phalanx.open(parquet_path, "wb", key=key) as target:
        pq.write_table(pa.Table.from_pandas(table), target, row_group_size=10_000)
    with phalanx.open(parquet_path, key=key) as source:
        # Parquet seeks: only the columns and groups that are asked for are read, decrypted and checked.
        counts = pq.ParquetFile(pa.PythonFile(source, mode="r")).read_row_group(7, columns=["count"], use_threads=False)
        assert counts["count"][0].as_py() == 70_000
        source.seek(0, io.SEEK_SET)
        assert pd.read_parquet(source, use_threads=False).equals(table)
    print(f"{len(table)} rows in a CSV and a Parquet file, both in containers; row group 7 read alone")


if __name__ == "__main__":
    main()
