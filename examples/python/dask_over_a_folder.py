"""A folder of containers, read by the worker processes of a local Dask cluster, each of which decrypts its own files.

The key is no part of the task graph, which Dask would send around and might show: workers read it from the key file.
"""

import os
import tempfile

import dask.dataframe as dd
import pandas as pd
from dask.distributed import Client, LocalCluster

import phalanx


def write_folder(folder: str, key_file: str, num_files: int) -> list[str]:
    paths = [os.path.join(folder, f"part_{number}.csv.phalanx") for number in range(num_files)]
    for number, path in enumerate(paths):
        part = pd.DataFrame({"number": range(1000 * number, 1000 * (number + 1)), "file": number})
        with phalanx.open(path, "xb", key_file=key_file) as target:
            part.to_csv(target, index=False)
    return paths


def read_part(path: str, key_file: str) -> pd.DataFrame:
    """In a worker."""
    with phalanx.open(path, key_file=key_file) as source:
        return pd.read_csv(source)


def main() -> None:
    folder = tempfile.mkdtemp()
    key_file = os.path.join(folder, "key")
    with open(key_file, "xb", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
        file.write(os.urandom(32))
    paths = write_folder(folder, key_file, 8)
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        numbers = dd.from_map(read_part, paths, key_file=key_file)
        total = int(numbers["number"].sum().compute())
        num_workers = len(client.scheduler_info()["workers"])
    assert total == sum(range(8000))
    print(f"{len(paths)} containers read by {num_workers} processes: the sum is {total}")


if __name__ == "__main__":
    main()
