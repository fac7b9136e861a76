"""Leaks on purpose in kernels for GPUs, which check_gpu_kernels must find, and files of ours, in which it finds nothing."""

import os
import pathlib
import re
import random
import shutil
import subprocess

import pytest

HERE = pathlib.Path(__file__).resolve().parent
CHECK = HERE.parents[1] / "tools/constant_time/check_gpu_kernels"
NVCC = shutil.which("nvcc", path=os.pathsep.join([os.environ["PATH"], "/usr/local/cuda/bin"]))
OBJECTS = [pathlib.Path(path) for path in os.environ.get("PHALANX_GPU_OBJECTS", "").split(":") if path]
LEAKS = [set(), {"branch"}, {"address"}, {"shared address"}, {"guard"}, {"address"}, {"branch"}]  # of planted_gpu_leaks.cu, in their order


def check(*objects):
    result = subprocess.run(["/usr/bin/python3", "-B", CHECK, *objects], capture_output=True, text=True)
    if result.returncode == 77:
        pytest.skip("no cuobjdump and nvdisasm, which show a GPU's instructions")
    return result


@pytest.mark.skipif(NVCC is None, reason="no nvcc, which compiles kernels for GPUs")
def test_planted_leaks_are_found(tmp_path):
    compiled = tmp_path / "planted.cu.o"
    subprocess.run([NVCC, "-std=c++20", "-O3", "-arch=sm_90", "-c", HERE / "planted_gpu_leaks.cu", "-o", compiled], check=True)
    result = check(compiled)
    found = [set() for _ in LEAKS]
    for kind, leak in re.findall(r"^\S+\.o: ([a-z ]+): .*\n    at .*Leak\)(\d)>", result.stdout, re.MULTILINE):
        found[int(leak)].add(kind)
    assert found == LEAKS and result.returncode == 1, result.stdout + result.stderr
    assert int(re.search(r"(\d+) look-ups in the lane's own bank", result.stdout)[1]) == len(LEAKS), result.stdout


@pytest.mark.parametrize("name, num_look_ups", [("ghash", 192), ("gcm", 192), ("scatter", 0), ("pieces", 0)])
def test_files_of_ours_have_no_findings(name, num_look_ups):
    chosen = [path for path in OBJECTS if path.name == f"{name}_cuda.cu.o"]
    if not chosen:
        pytest.skip("no kernels for GPUs were built")
    result = check(*chosen)
    if "has no kernel for sm_90" in result.stderr:
        pytest.skip("the kernels were not built for sm_90")
    assert result.returncode == 0 and f" {num_look_ups} look-ups" in result.stdout, result.stdout + result.stderr


def test_bits_are_followed(monkeypatch):
    """Sums and logic of values of which some bits are secret, by trying numbers."""
    monkeypatch.syspath_prepend(str(CHECK.parent / "gpu"))
    import gpu_values

    chance = random.Random(1)

    def value():
        known = chance.getrandbits(32) | chance.choice([0, 0xFFFFFF00, 0xFFFF, gpu_values.ALL])
        return (chance.getrandbits(32) & ~known, known, chance.getrandbits(32) & known, -1, None)

    def number(known, public):
        return known[2] | (public & ~known[1] & ~known[0]) | (chance.getrandbits(32) & known[0])

    operations = [(gpu_values.added, lambda a, b: a + b), (gpu_values.multiplied, lambda a, b: a * b),
                  (lambda a, b: gpu_values.by_table(0x3C, a, b, gpu_values.ZERO), lambda a, b: a ^ b),
                  (lambda a, b: gpu_values.low_word(a, b, 7), lambda a, b: (a | b << 32) >> 7)]
    for followed, computed in operations:
        for _ in range(2000):
            values, public = [value(), value()], [chance.getrandbits(32), chance.getrandbits(32)]
            result = followed(*values)
            one, other = (computed(*map(number, values, public)) & gpu_values.ALL for _ in range(2))
            assert (one ^ other) & ~result[0] == 0 and one & result[1] == result[2], (values, result)
