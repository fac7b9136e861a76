"""Every example of examples/python runs, and says what it should."""

import pathlib
import re
import subprocess
import sys

import pytest

README = pathlib.Path(__file__).resolve().parents[2] / "README.md"
EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "python"
# What each prints; where packages or a GPU are missing the example says so, or cannot import.
SAYS = {
    "encrypt_and_seal": r"b'Dear all,\\n' from the middle of 1000000 bytes",
    "folder_of_old_files": r"2 done, 0 failed\n2 old files removed",
    "folder_every_night": r"2 sealed, then 1 sealed, 0 unchanged, 1 removed; 1 opened",
    "whole_files": r"aes-256, 1 recipient, 11000 bytes",
    "column_of_records": r"10000 records.*1 changed one found",
    "pandas_over_containers": r"150000 rows in a CSV and a Parquet file",
    "fsspec_containers": r"its first line is 'letter,number'",
    "dask_over_a_folder": r"8 containers read by 2 processes: the sum is 31996000",
    "volume_file_system": r"10000 bytes of march.txt from a volume in aes-xts-plain64",
    "cupy_round_trip": r"8000000 bytes there and back",
    "pytorch_round_trip": r"4000000 bytes there and back",
    "columns_on_gpu": r"2 columns of 100000 numbers in the GPU's memory",
    "weights_from_container": r"2 tensors, 256800 bytes in the GPU's memory",
}
NEEDS = {
    "columns_on_gpu": "pyarrow",
    "pandas_over_containers": "pandas pyarrow",
    "fsspec_containers": "fsspec pandas",
    "dask_over_a_folder": "dask distributed pandas",
    "volume_file_system": "dissect.extfs",
}


def test_all_are_here() -> None:
    assert {path.stem for path in EXAMPLES.glob("*.py")} == set(SAYS)


@pytest.mark.parametrize("name", SAYS)
def test_example(name: str) -> None:
    for package in NEEDS.get(name, "").split():
        pytest.importorskip(package)
    finished = subprocess.run([sys.executable, EXAMPLES / f"{name}.py"], capture_output=True, text=True, check=False)
    if re.search(r"^no (CuPy|PyTorch|GPU|cryptsetup) ", finished.stderr):
        pytest.skip(finished.stderr.strip())
    assert finished.returncode == 0, finished.stderr
    assert re.search(SAYS[name], finished.stdout), finished.stdout


def test_lines_of_the_readme() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    finished = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stderr
