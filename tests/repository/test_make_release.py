"""A release's files are whole, the same wherever they are made, and signed; the static program is tried where releases are made."""

import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPTS = ["tools/release/make_release", "tools/release/write_contents"]
VERSION = re.search(r'PHALANX_VERSION "(.*)"', (ROOT / "include/phalanx/version.h").read_text())[1] + "-rc1"


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, **options)


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A clone of this checkout, with its scripts as they are now."""
    if run("git", "-C", str(ROOT), "rev-parse", "HEAD").returncode != 0:
        pytest.skip("not a git checkout")
    clone = tmp_path_factory.mktemp("clone") / "phalanx"
    assert run("git", "clone", "-q", str(ROOT), str(clone)).returncode == 0
    for script in SCRIPTS:
        shutil.copy(ROOT / script, clone / script)
    for name, value in (("user.name", "nobody"), ("user.email", "nobody@localhost")):
        run("git", "-C", str(clone), "config", name, value)
    run("git", "-C", str(clone), "add", "-A")
    run("git", "-C", str(clone), "commit", "-q", "--allow-empty", "-m", "scripts")
    return clone


def make(checkout, *arguments, **environment):
    return run(str(checkout / SCRIPTS[0]), *arguments, env={**os.environ, **environment})


def sums_of(checkout):
    return (checkout / "build/release" / VERSION / "SHA256SUMS").read_text()


def test_a_release_is_the_same_wherever_it_is_made(checkout, tmp_path):
    done = make(checkout, VERSION, "source")
    assert done.returncode == 0, done.stderr
    other = tmp_path / "another folder"
    assert run("git", "clone", "-q", str(checkout), str(other)).returncode == 0
    script = f"umask 077; exec '{other / SCRIPTS[0]}' {VERSION} source"
    done = run("bash", "-c", script, env={**os.environ, "LC_ALL": "C.UTF-8", "TZ": "Asia/Tokyo", "HOME": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    assert sums_of(checkout) == sums_of(other)


def test_the_source_says_of_which_commit_it_is(checkout, tmp_path):
    make(checkout, VERSION, "source")
    folder = checkout / "build/release" / VERSION
    archive = folder / f"phalanx-{VERSION}-source.tar.gz"
    said = run("tar", "-xzOf", str(archive), f"phalanx-{VERSION}/cmake/commit.txt").stdout.strip()
    assert said == run("git", "-C", str(checkout), "rev-parse", "HEAD").stdout.strip()
    run("cmake", f"-DSOURCE={checkout}", f"-DFOLDER={tmp_path}", "-P", str(checkout / "cmake/write_commit.cmake"))
    assert f'"{said[:12]}"' in (tmp_path / "commit_text.hpp").read_text()
    contents = json.loads((folder / f"phalanx-{VERSION}.spdx.json").read_text())
    described = {package["name"]: package for package in contents["packages"]}
    assert described[archive.name]["checksums"][0]["checksumValue"] == hashlib.sha256(archive.read_bytes()).hexdigest()
    assert all(re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", package["SPDXID"]) for package in contents["packages"])


def test_changes_and_other_commits_are_no_release(checkout):
    (checkout / "README.md").open("a").write("more\n")
    done = make(checkout, VERSION, "source")
    assert done.returncode == 2 and "there are changes that no commit has" in done.stderr
    run("git", "-C", str(checkout), "checkout", "-q", "README.md")
    make(checkout, VERSION, "source")
    run("git", "-C", str(checkout), "commit", "-q", "--allow-empty", "-m", "another")
    done = make(checkout, VERSION, "source")
    assert done.returncode == 2 and "move it away" in done.stderr
    run("git", "-C", str(checkout), "reset", "-q", "--hard", "HEAD~1")
    done = make(checkout, "9.9.9", "source")
    assert done.returncode == 2 and "has version" in done.stderr


def test_a_run_that_was_stopped_goes_on(checkout):
    folder = checkout / "build/release" / VERSION
    make(checkout, VERSION, "source")
    before = sums_of(checkout)
    (folder / "done/source").unlink()
    (folder / "work/of_source").mkdir(parents=True, exist_ok=True)
    (folder / "work/of_source" / f"phalanx-{VERSION}-linux-x86_64.tar.gz").write_bytes(b"half")
    assert make(checkout, VERSION, "source").returncode == 0
    assert sums_of(checkout) == before
    assert "made in" not in make(checkout, VERSION, "source").stdout


def test_a_step_that_fails_fails_the_artefact(checkout, tmp_path):
    """Though the steps behind it could be done: an archive without a program is none."""
    (tmp_path / "cmake").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "cmake").chmod(0o755)
    done = make(checkout, VERSION, "static", PATH=f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    folder = checkout / "build/release" / VERSION
    assert done.returncode == 1 and "static failed" in done.stderr
    assert not (folder / "done/static").exists() and not list(folder.glob("*-linux-*"))


def test_an_artefact_that_nobody_knows_is_refused(checkout):
    done = make(checkout, VERSION, "source", "packages-11")
    assert done.returncode == 2 and "usage: tools/release/make_release" in done.stderr and "packages-12" in done.stderr


def test_contents_say_with_which_packages_each_file_was_built(tmp_path):
    """As the machine had them that built it: a root of another Debian, or a folder of another machine's libraries."""
    made = {"static": "phalanx-1-linux-x86_64.tar.gz", "static-arm64": "phalanx-1-linux-aarch64.tar.gz", "packages-12-cuda": "phalanx_1+cuda_amd64.deb"}
    for artefact, name in made.items():
        (tmp_path / name).write_bytes(artefact.encode())
        for folder, text in (("done", name), ("built_with", f"libssl-dev\t3.0.{len(artefact)}\nlibstdc++-12-dev-arm64-cross\t12.{len(artefact)}\ncmake\t3.25.1-1")):
            (tmp_path / folder).mkdir(exist_ok=True)
            (tmp_path / folder / artefact).write_text(text + "\n")
    assert run(str(ROOT / SCRIPTS[1]), str(tmp_path), "1", "0" * 40, env={**os.environ, "SOURCE_DATE_EPOCH": "0"}).returncode == 0
    contents = json.loads((tmp_path / "phalanx-1.spdx.json").read_text())
    names = {package["SPDXID"]: f"{package['name']} {package['versionInfo']}" for package in contents["packages"]}
    inside = {(names[row["spdxElementId"]].split()[0], names[row["relatedSpdxElement"]]) for row in contents["relationships"] if row["relationshipType"] == "CONTAINS"}
    assert {(made["static"], "OpenSSL's libcrypto 3.0.6"), (made["static-arm64"], "OpenSSL's libcrypto 3.0.12")} <= inside
    assert (made["static-arm64"], "the GNU C++ library 12.12") in inside
    origins = {package["name"]: package["sourceInfo"] for package in contents["packages"] if "sourceInfo" in package}
    assert origins[made["static"]] == f"made of commit {'0' * 40} by tools/release/make_release 1 static, with cmake 3.25.1-1"
    assert (made["packages-12-cuda"], "NVIDIA's CUDA runtime (cudart) NOASSERTION") in inside


def test_an_advisory_hits_what_has_the_library_inside(tmp_path):
    versions = {"old.tar.gz": "3.0.16-1~deb12u1", "new.tar.gz": "3.0.17-1~deb12u3", "unknown.whl": "NOASSERTION"}
    packages = [{"SPDXID": name, "name": name, "versionInfo": "1"} for name in versions]
    packages += [{"SPDXID": f"in {name}", "name": "OpenSSL's libcrypto", "versionInfo": version} for name, version in versions.items()]
    rows = [{"spdxElementId": name, "relationshipType": "CONTAINS", "relatedSpdxElement": f"in {name}"} for name in versions]
    (tmp_path / "phalanx-1.spdx.json").write_text(json.dumps({"packages": packages, "relationships": rows}))
    ask = lambda *words: run(str(ROOT / "tools/release/list_affected"), str(tmp_path), *words)
    done = ask("libcrypto", "3.0.17-1~deb12u2")
    assert done.returncode == 1 and re.findall(r"^(\S+): .*: hit", done.stdout, re.M) == ["old.tar.gz", "unknown.whl"], done.stdout
    assert "new.tar.gz: OpenSSL's libcrypto 3.0.17-1~deb12u3: has the fix" in done.stdout
    assert ask("libcrypto").stdout.count(": hit") == 3
    assert ask("zlib").returncode == 0


def test_a_signature_covers_every_file(checkout, tmp_path):
    if shutil.which("minisign") is None:
        pytest.skip("minisign is not installed")
    secret, public = tmp_path / "key", tmp_path / "key.pub"
    assert run("minisign", "-G", "-W", "-s", str(secret), "-p", str(public)).returncode == 0
    done = make(checkout, VERSION, "source", MINISIGN_KEY=str(secret))
    assert done.returncode == 0, done.stderr
    folder = checkout / "build/release" / VERSION
    verify = ["minisign", "-V", "-p", str(public), "-m", "SHA256SUMS"]
    assert run(*verify, cwd=folder).returncode == 0
    assert run("sha256sum", "-c", "SHA256SUMS", cwd=folder).returncode == 0
    with (folder / "SHA256SUMS").open("a") as sums:
        sums.write("0" * 64 + "  another\n")
    assert run(*verify, cwd=folder).returncode != 0
