"""A folder that is sealed night after night with --prune, for the tests of what goes and what stays."""

import hashlib
import os
import shutil
import subprocess

import pytest
from conftest import KEY, PROGRAM, is_root, random_bytes

OLD_TIME = 1_234_567_890_123_456_789
NIGHTLY = ["encrypt", "--each", *KEY, "src", "--to-tree", "bk", "--update"]
PRUNING = [*NIGHTLY, "--prune"]
RESTORE = ["decrypt", "--each", *KEY, "bk", "--to-tree", "back"]


def put(files, name, content=b"content", mode=0o644, time=None):
    path = files.folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    path.chmod(mode)
    if time:
        os.utime(path, ns=(time, time))
    return path


@pytest.fixture
def sealed(phalanx):
    phalanx.write("key", random_bytes(32))
    for name in ("one", "two", "a/three", "a/four", "a/b/five"):
        put(phalanx, f"src/{name}", name.encode())
    phalanx.run(*PRUNING, check=0)
    return phalanx


def copies(files):
    return sorted(str(path.relative_to(files.folder / "bk")) for path in (files.folder / "bk").rglob("*.phalanx"))


def record_of(files):
    return files.read("bk/.phalanx-tree").decode().splitlines()


def write_record(files, lines):
    """These lines as those of one run."""
    text = "".join(line + "\n" for line in lines[1:] if not line.startswith("run "))
    digest = hashlib.sha256(text.encode() + b"1").hexdigest()
    files.write("bk/.phalanx-tree", f"{lines[0]}\n{text}run 1 {digest}\n".encode())


def told(files, code, *words, options=(), command=PRUNING):
    """Runs a night, which ends with this code and tells this, and the same night again, which ends with 0 and tells nothing."""
    done = files.run(*command, *options)
    assert done.returncode == code and all(word.encode() in done.stderr for word in words), (done.returncode, done.stderr)
    again = files.run(*command, *options, check=0)
    assert b": kept: " not in again.stderr, again.stderr
    return done.stderr.decode(), again.stderr.decode()


def assert_same_tree(files):
    shutil.rmtree(files.folder / "back", ignore_errors=True)
    files.run(*RESTORE, check=0)
    subprocess.run(["diff", "-r", "src", "back"], cwd=files.folder, check=True)


def in_mounts(files, script):
    """Runs a script in a mount namespace of its own, where tmpfs can be mounted."""
    if not is_root() or not shutil.which("unshare"):
        pytest.skip("only root can mount")
    command = 'mount -t tmpfs none "$PWD/mount_trial" || exit 99; umount "$PWD/mount_trial"; ' + script
    (files.folder / "mount_trial").mkdir(exist_ok=True)
    done = subprocess.run(["unshare", "-m", "--propagation", "private", "bash", "-c", command], cwd=files.folder, capture_output=True,
                          env={**os.environ, "P": PROGRAM, "N": " ".join([PROGRAM, *PRUNING])})  # fmt: skip
    if done.returncode == 99 or b"unshare" in done.stderr:
        pytest.skip("no file system can be mounted here")
    return done
