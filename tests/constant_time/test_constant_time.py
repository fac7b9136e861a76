"""The short form of `make constant-time`: one kernel of each kind, a few messages under valgrind, and leaks on purpose, which must be caught."""

import os
import pathlib
import re
import subprocess

import pytest

HERE = pathlib.Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
CHECK = REPOSITORY / "tools/constant_time/check_kernels"
COMPILER = os.environ.get("PHALANX_CXX", "c++")
OBJECTS = [pathlib.Path(path) for path in os.environ.get("PHALANX_KERNEL_OBJECTS", "").split(":") if path]
SECRET_FLOW = os.environ.get("PHALANX_SECRET_FLOW")
FLAGS = {"scalar": [], "avx2": ["-mavx2", "-mbmi2"], "avx512": ["-mavx2", "-mbmi2", "-mavx512f", "-mavx512bw", "-mavx512vl", "-mavx512dq"]}
# What is to be found in planted_kernel.cpp, in the order of its leaks.
LEAKS = [set(), {"address"}, {"branch"}, {"division"}, {"branch"}, {"number of bytes"}, {"address"}, {"shift"}, {"gather or scatter"},
         {"mask of memory"}, {"mask of memory"}, {"mask of memory"}]
LEFT_OUT = {"scalar": {8, 9, 10, 11}, "avx2": {10, 11}, "avx512": set()}  # what a set has no instructions for

needs_judgement = pytest.mark.skipif("PHALANX_JUDGED" not in os.environ, reason="what this compiler makes is not judged yet")
needs_watching = pytest.mark.skipif("PHALANX_WATCHED" not in os.environ, reason="what this compiler makes did not run under valgrind yet")
needs_valgrind = pytest.mark.skipif(not SECRET_FLOW, reason="no valgrind, which watches secrets")


def check(*objects):
    return subprocess.run(["/usr/bin/python3", "-B", CHECK, "--jobs", "2", *objects], capture_output=True, text=True, env={**os.environ, "CXX": COMPILER})


def compiled(folder, instruction_set):
    path = folder / f"planted_{instruction_set}.o"
    # Of a copy that is not inlined: as branches and addresses it would be another leak.
    subprocess.run([COMPILER, "-std=c++20", "-O2", "-w", "-fno-exceptions", "-fno-builtin-memcpy", *FLAGS[instruction_set], f"-I{REPOSITORY / 'src'}",
                    f"-I{REPOSITORY / 'include'}", "-c", HERE / "planted_kernel.cpp", "-o", path], check=True)
    return path


@pytest.mark.parametrize("instruction_set", FLAGS)
def test_planted_leaks_are_found_in_machine_code(tmp_path, instruction_set):
    result = check(compiled(tmp_path, instruction_set))
    found = [set() for _ in LEAKS]
    for kind, leak in re.findall(r"^\S+\.o: ([a-z ]+): .*\n    at .*Leak\)(\d+)>", result.stdout, re.MULTILINE):
        found[int(leak)].add(kind)
    leaks = [(kinds, found[leak]) for leak, kinds in enumerate(LEAKS) if leak not in LEFT_OUT[instruction_set]]
    assert not found[0] and all(kinds <= seen for kinds, seen in leaks) and result.returncode == 1, result.stdout + result.stderr


@needs_judgement
def test_kernels_have_no_findings():
    chosen = [path for path in OBJECTS if re.match(r"(ghash_\w+|aes_avx512)\.cpp\.o$", path.name)]
    assert len(chosen) == 5
    result = check(*chosen)
    assert result.returncode == 0, result.stdout + result.stderr


def valgrind(*arguments):
    command = ["valgrind", "--quiet", "--error-exitcode=9", "--undef-value-errors=yes", f"--suppressions={HERE / 'declassified.supp'}", SECRET_FLOW]
    return subprocess.run([*command, *arguments], capture_output=True, text=True)


@needs_valgrind
@pytest.mark.parametrize("leak", ["table", "branch", "early_exit", "copy"])
def test_planted_leaks_are_found_under_valgrind(leak):
    result = valgrind("planted", leak)
    assert result.returncode == 9 and "run_planted_leak" in result.stderr, result.stderr


@needs_valgrind
@needs_watching
@pytest.mark.parametrize("engine", ["cpu:scalar", "cpu:avx2"])
def test_nothing_branches_on_a_secret(engine):
    result = valgrind(engine, "short")
    assert result.returncode == 0 and "under valgrind" in result.stdout, (result.stdout + result.stderr)[-6000:]


def test_exceptions_cover_no_more_than_was_judged(monkeypatch):
    monkeypatch.syspath_prepend(str(CHECK.parent))
    import reviewed_exceptions

    monkeypatch.setattr(reviewed_exceptions, "EXCEPTIONS", [reviewed_exceptions.ReviewedException(
        symbol="open_long<", kind="branch", instruction=r"jne\b", most=1, compilers="GCC", reason="told")])
    judged = ("a.o", "gcm_open_long<X>()", "branch", "jne    10", "+0x8")
    another = ("a.o", "gcm_open_long<X>()", "branch", "jne    20", "+0x18")
    elsewhere = ("a.o", "gcm_of<X>()", "branch", "jne    30", "+0x28")
    assert reviewed_exceptions.judge([judged], "GCC 12", True) == ([], [])
    assert reviewed_exceptions.judge([judged, another, elsewhere], "GCC 12", False) == ([another, elsewhere], [])
    reviewed_exceptions.EXCEPTIONS[0].used = 0
    assert len(reviewed_exceptions.judge([], "GCC 12", True)[1]) == 1
    assert reviewed_exceptions.judge([], "clang 14", True) == ([], [])
    assert reviewed_exceptions.judge([judged], "clang 14", True) == ([judged], [])
