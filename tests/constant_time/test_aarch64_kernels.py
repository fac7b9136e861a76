"""The rule on machine code of 64-bit Arm: leaks on purpose, which must be found, and every kernel as it was compiled."""

import os
import pathlib
import re
import subprocess

import pytest

HERE = pathlib.Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
CHECK = REPOSITORY / "tools/constant_time/check_kernels"
COMPILER = os.environ.get("PHALANX_CXX", "aarch64-linux-gnu-g++")
OBJECTS = [pathlib.Path(path) for path in os.environ.get("PHALANX_KERNEL_OBJECTS", "").split(":") if path]
# What is to be found in planted_kernel_aarch64.cpp, in the order of its leaks.
LEAKS = [set(), {"address"}, {"branch"}, {"branch"}, {"branch"}, {"branch"}, {"division"}, {"branch"}, {"number of bytes"}, {"address"}, {"address"},
         {"address"}, {"address"}, {"address"}, {"indirect jump"}]


def check(*objects):
    return subprocess.run(["/usr/bin/python3", "-B", CHECK, "--jobs", "2", *objects], capture_output=True, text=True, env={**os.environ, "CXX": COMPILER})


def test_planted_leaks_are_found_in_machine_code(tmp_path):
    path = tmp_path / "planted_aarch64.o"
    subprocess.run([*COMPILER.split(), "-std=c++20", "-O2", "-w", "-march=armv8-a+crypto", "-mbranch-protection=standard", "-fno-exceptions",
                    "-fno-builtin-memcpy", f"-I{REPOSITORY / 'src'}", f"-I{REPOSITORY / 'include'}", "-c", HERE / "planted_kernel_aarch64.cpp",
                    "-o", path], check=True)
    result = check(path)
    found = [set() for _ in LEAKS]
    for kind, leak in re.findall(r"^\S+\.o: ([a-z ]+): .*\n    at .*Leak\)(\d+)>", result.stdout, re.MULTILINE):
        found[int(leak)].add(kind)
    assert found[1:] == LEAKS[1:] and not found[0] and result.returncode == 1, result.stdout + result.stderr


@pytest.mark.skipif(not OBJECTS, reason="the kernels were compiled quickly, which is not what ships")
def test_kernels_have_no_findings():
    assert len(OBJECTS) == 15
    result = check(*OBJECTS)
    assert result.returncode == 0, result.stdout + result.stderr
