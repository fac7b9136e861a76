"""Public programs that use `cryptography` or pycryptodome move to phalanx.compat by one `sed`, that of docs/python.md, and pass their
own tests.

pip fetches their source distributions and what they import, in the versions that are named here; nothing of them is kept. Where it
reaches no package index the tests are skipped, and fail with CI=true.
"""

import os
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree
from dataclasses import dataclass

import pytest

GUIDE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "python.md"
IMPORTS = (
    "setuptools==84.2.1",  # which pip needs to read what the sources are
    "bottle==0.13.4",
    "pydantic==2.14.4",
    "pytest-asyncio==1.5.0",
    "python-dateutil==4.0.0",
    "requests==2.34.2",
    "six==1.17.0",
    "xmltodict==1.0.4",
)
THEIRS = re.compile(r"^\s*(?:from|import) (?:cryptography|Crypto)\b", re.MULTILINE)
RUN = """
import sys, pytest
code = pytest.main(sys.argv[2:])
missing = [name for name in sys.argv[1].split(",") if name not in sys.modules]
sys.exit(f"no test came to {missing}" if missing else code)
"""


@dataclass(frozen=True)
class Program:
    """Where its ciphers are, how many of its tests pass, and which need what its source distribution lacks, or fail before too."""

    release: str
    module: str
    tests: tuple[str, ...]
    num_passed: int
    ours: str = "cryptography.hazmat.primitives.ciphers"
    folder: str = "."  # of its packages
    deselected: str = ""


AES = "Crypto.Cipher.AES"
PROGRAMS = {
    "WeRoBot": Program("1.13.1", "werobot/crypto/__init__.py", ("tests/test_crypto.py",), 2),
    "YubiOTP": Program(
        "1.0.0", "yubiotp/otp.py", ("--doctest-modules", "yubiotp/crc.py", "yubiotp/modhex.py", "yubiotp/otp.py"), 8, AES
    ),
    "aes-cipher": Program("2.0.1", "aes_cipher/aes_cbc_encrypter.py", ("tests",), 9, AES, ".", "file or salt_error or hmac_error"),
    "crypto-cookie": Program("0.3.1", "crypto_cookie/encryption.py", ("crypto_cookie/test/test_encrypt.py",), 9),
    "doubleratchet": Program(
        "1.3.0",
        "doubleratchet/recommended/crypto_provider_cryptography.py",
        ("--import-mode=importlib", "-o", "consider_namespace_packages=true", "tests/test_recommended_aeads.py"),
        1,
    ),
    "greeclimate": Program("4.1.0", "greeclimate/cipher.py", ("tests/test_cipher.py",), 4, AES),
    "psec": Program("1.3.0", "psec/des.py", ("tests",), 437),
    "psrpcore": Program("0.3.1", "src/psrpcore/_crypto.py", ("tests/test_crypto.py",), 1, folder="src"),
    "pynblock": Program(
        "0.26", "pynblock/tools.py", ("pynblock/tests.py",), 47, "Crypto.Cipher.DES3", ".", "visa_cvv or visa_pvv"
    ),
    "python-pskc": Program(
        "1.4",
        "pskc/crypto/tripledeskw.py",
        ("--doctest-glob=*.doctest", "tests/test_aeskw.doctest", "tests/test_tripledeskw.doctest"),
        2,
    ),
}


def pip(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments]
    return subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="session")
def fetched(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A folder with the source distributions, and below `imports` what they import."""
    folder = tmp_path_factory.mktemp("programs")
    imports = str(folder / "imports")
    releases = [f"{name}=={program.release}" for name, program in PROGRAMS.items()]
    download = ("download", "-q", "--no-deps", "--no-binary", ":all:", "--no-build-isolation", "-d", str(folder), *releases)
    for arguments in (("install", "-q", "--target", imports, *IMPORTS), download):
        finished = pip(*arguments, PYTHONPATH=imports)
        if finished.returncode != 0:
            print(finished.stderr)
            pytest.skip("what pip cannot fetch is not installed")
    return folder


def unpacked(fetched: pathlib.Path, name: str, folder: pathlib.Path) -> pathlib.Path:
    (archive,) = fetched.glob(f"{re.sub('[-_]', '[-_]', name)}-{PROGRAMS[name].release}.tar.gz")
    folder.mkdir()
    subprocess.run(["tar", "-C", folder, "-xzf", archive], check=True)
    (root,) = folder.iterdir()
    return root


def move(root: pathlib.Path) -> None:
    """As docs/python.md says."""
    (expression,) = re.findall(r"^sed -E -i '(.*)' \*\.py$", GUIDE.read_text(encoding="utf-8"), re.MULTILINE)
    subprocess.run(["sed", "-E", "-i", expression, *root.rglob("*.py")], check=True)


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name: str, fetched: pathlib.Path, tmp_path: pathlib.Path) -> None:
    program = PROGRAMS[name]
    root = unpacked(fetched, name, tmp_path / "source")
    text = (root / program.module).read_text(encoding="utf-8")
    assert THEIRS.search(text) and len(text.splitlines()) <= 300
    move(root)
    assert not any(THEIRS.search(path.read_text(encoding="utf-8")) for path in root.rglob("*.py"))
    report = tmp_path / "report.xml"
    options = ["-q", "-p", "no:cacheprovider", "--noconftest", "-o", "addopts=", f"--junit-xml={report}"]
    options += ["-k", f"not ({program.deselected})"] if program.deselected else []
    options += ["-o", "asyncio_mode=auto", *program.tests]
    paths = os.pathsep.join([str(root / program.folder), str(fetched / "imports")])
    command = [sys.executable, "-c", RUN, f"phalanx.compat.{program.ours}", *options]
    environment = os.environ | {"PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"}
    finished = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stdout[-4000:] + finished.stderr
    (suite,) = xml.etree.ElementTree.parse(report).getroot().iter("testsuite")
    assert int(suite.attrib["tests"]) - int(suite.attrib["skipped"]) == program.num_passed, finished.stdout
