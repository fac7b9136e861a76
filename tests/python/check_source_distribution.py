#!/usr/bin/env python3
"""The source distribution has every file that a build of it needs, and can be configured by itself.

usage: check_source_distribution.py SOURCE_FOLDER WHEELS_FOLDER
"""

import pathlib
import subprocess
import sys
import tarfile
import tempfile

FOLDERS = ("include", "src", "cmake", "bindings")  # all that git tracks there
FILES = ("CMakeLists.txt", "pyproject.toml", "LICENSE", "README.md", "docs/phalanx.1")
UNWANTED = ("tests", "bench", "reproductions", "reference", "tools", ".git", "build")


def main() -> int:
    source, wheels = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    (archive,) = wheels.glob("phalanx-*.tar.gz")
    with tempfile.TemporaryDirectory() as unpacked, tarfile.open(archive) as tar:
        tar.extractall(unpacked)  # an archive of our own
        (root,) = pathlib.Path(unpacked).iterdir()
        git = ["git", "-c", f"safe.directory={source}", "-C", str(source), "ls-files", "-z", *FOLDERS]
        listing = subprocess.run(git, capture_output=True, text=True, check=False)
        wanted = [*filter(None, listing.stdout.split("\0")), *FILES]
        missing = [file for file in wanted if (source / file).exists() and not (root / file).exists()]
        unwanted = [folder for folder in UNWANTED if (root / folder).exists()]
        if missing or unwanted:
            print(f"missing: {missing}; not wanted: {unwanted}")
            return 1
        configure = ["cmake", "-G", "Ninja", "-S", str(root), "-B", str(root / "build"), "-DPHALANX_TESTS=OFF"]
        configure += ["-DPHALANX_BENCH=OFF", "-DPHALANX_MPI=OFF", "-DPHALANX_CUDA=OFF", "-DPHALANX_PYTHON=ON"]
        configure += [f"-DPython_EXECUTABLE={tools_python(source)}"]
        subprocess.run(configure, check=True)
        print(f"{len(wanted)} files are there, and the build can be configured")
    return 0


def tools_python(source: pathlib.Path) -> pathlib.Path:
    """An interpreter that has nanobind: what built the wheel."""
    return next((source / "build/python").glob("tools_cp*/bin/python"))


if __name__ == "__main__":
    sys.exit(main())
