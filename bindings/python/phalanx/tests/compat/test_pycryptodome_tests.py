"""pycryptodome's own tests over phalanx.compat.Crypto. What they count is asserted, and what we leave out is named."""

import pathlib
import subprocess
import sys
import xml.etree.ElementTree

import pytest

VERSION = "4.4.0"  # whose tests were counted

SEGMENT = "segments of CFB between one byte and a block"
INSIDE = "looks at pycryptodome's own threads"

# Of each file: how many pass, how many pycryptodome skips, and which fail, for what is not offered.
COUNTED: dict[str, tuple[int, int, dict[str, str]]] = {
    "test_AES": (1575, 1, {}),
    "test_DES": (128, 0, {}),
    "test_DES3": (12, 0, {}),
    "test_CBC": (49, 0, {}),
    "test_OFB": (49, 0, {}),
    "test_CFB": (77, 0, {"test_segment_size_64": SEGMENT, "test_segment_size_128": SEGMENT}),
    "test_CTR": (54, 0, {"test_threads_negative": INSIDE, "test_threads_all_cores": INSIDE}),
    "test_GCM": (45, 5, {"test_threads_negative": INSIDE, "test_threads_all_cores": INSIDE}),
}


@pytest.mark.parametrize("name", COUNTED)
def test_file(name: str, tmp_path: pathlib.Path) -> None:
    package = pytest.importorskip("Crypto", reason="pycryptodome is not installed")
    if package.__version__ != VERSION:
        pytest.skip(f"the tests of pycryptodome {VERSION} were counted, and {package.__version__} is installed")
    report = tmp_path / "report.xml"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "phalanx.tests.compat.swapped_pycryptodome"]
    command += [f"--junit-xml={report}", "--pyargs", f"Crypto.SelfTest.Cipher.{name}"]
    finished = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert report.exists(), finished.stdout + finished.stderr
    cases = list(xml.etree.ElementTree.parse(report).iter("testcase"))
    failed = {str(case.get("name")) for case in cases if case.find("failure") is not None or case.find("error") is not None}
    skipped = sum(case.find("skipped") is not None for case in cases)
    num_passed, num_skipped, left_out = COUNTED[name]
    assert failed == set(left_out), finished.stdout[-3000:]
    assert (len(cases) - len(failed) - skipped, skipped) == (num_passed, num_skipped)
