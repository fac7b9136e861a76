"""What a file keeps that is replaced: extended attributes, or a word on those that are lost; and that --each makes no file that
more people may read than the one it was made from."""

import os
import stat

import pytest
from conftest import KEY, OLD, RAW_CTR, TREE, is_root, random_bytes, seal_old

TEXT = b"a text that anybody can read, long enough\n"
ATTRIBUTES = {"user.comment": b"of last year\0", "user.origin": b"here"}
OLD_TIME = 1_234_567_890
TO_OUT = {
    "recipients": ["recipients", "add", *KEY, "--add-key-file", "second", "OUT"],
    "encrypt": ["encrypt", "-f", *KEY, "IN", "OUT"],
    "decrypt": ["decrypt", "-f", *KEY, "BOX", "OUT"],
    "a range": ["decrypt", "-f", *KEY, "--range", "1:9", "BOX", "OUT"],
    "raw encrypt": ["raw", "encrypt", "-f", *RAW_CTR, "IN", "OUT"],
    "raw decrypt": ["raw", "decrypt", "-f", *RAW_CTR, "IN", "OUT"],
    "migrate": ["migrate", "-f", "--no-preserve", *OLD, *KEY, "OLD", "OUT"],
    "encrypt --each": ["encrypt", "-f", "--each", *KEY, "OUT.d/x"],
    "decrypt --each": ["decrypt", "-f", "--each", *KEY, "OUT.d/y.phalanx"],
    "migrate a tree": [*TREE, "-f", "--no-preserve", *OLD, *KEY],
}
OUTS = {"encrypt --each": "OUT.d/x.phalanx", "decrypt --each": "OUT.d/y", "migrate a tree": "new/z.phalanx"}


@pytest.fixture
def files(phalanx):
    for name in ("key", "second"):
        phalanx.write(name, random_bytes(32, seed=len(name)))
    phalanx.write("pass", b"open sesame\n")
    phalanx.write("IN", TEXT)
    (phalanx.folder / "OUT.d").mkdir()
    (phalanx.folder / "new").mkdir()
    phalanx.write("OUT.d/x", TEXT)
    for name in ("BOX", "OUT", "OUT.d/y.phalanx"):
        phalanx.run("encrypt", *KEY, "IN", name, check=0)
    for name in ("OLD", "old/z"):
        seal_old(phalanx, name, TEXT)
    for name in OUTS.values():
        phalanx.write(name, b"what was there")
    return phalanx


def give_attributes(path, names=ATTRIBUTES):
    try:
        for name in names:
            os.setxattr(path, name, ATTRIBUTES[name])
    except OSError:
        pytest.skip("this file system keeps no extended attributes")
    os.utime(path, (OLD_TIME, OLD_TIME))


def attributes_of(path):
    return {name: os.getxattr(path, name) for name in os.listxattr(path) if name.startswith("user.")}


@pytest.mark.parametrize("command", TO_OUT)
def test_what_is_replaced_passes_its_attributes_on(files, command):
    path = files.folder / OUTS.get(command, "OUT")
    give_attributes(path)
    done = files.run(*TO_OUT[command], check=0)
    assert attributes_of(path) == ATTRIBUTES and b"warning" not in done.stderr
    keeps_time = command == "recipients"  # the plaintext is the same
    assert (path.stat().st_mtime == OLD_TIME) == keeps_time, "its content is another"


@pytest.mark.parametrize("command", TO_OUT)
def test_or_their_loss_is_told(files, faults, command):
    path = files.folder / OUTS.get(command, "OUT")
    give_attributes(path)
    done = files.run(*TO_OUT[command], env=faults("fsetxattr@every=ENOSPC"), check=0)
    assert attributes_of(path) == {}
    (line,) = [line for line in done.stderr.decode().splitlines() if "extended attributes" in line]
    assert line.startswith("phalanx: warning: ") and os.path.basename(path) in line and ": user.comment, user.origin" in line
    if "tree" in command:
        return
    quiet = files.run(*TO_OUT[command], "-q", env=faults("fsetxattr@every=ENOSPC"), check=0)
    assert quiet.stderr == b""


@pytest.mark.parametrize("command", ["migrate", "migrate a tree"])
def test_what_the_old_file_has_comes_in_its_place(files, faults, command):
    """Both are told where they are lost: those of the file that was replaced, and those of the old one."""
    path = files.folder / OUTS.get(command, "OUT")
    give_attributes(path, ["user.comment"])
    give_attributes(files.folder / ("old/z" if "tree" in command else "OLD"), ["user.origin"])
    options = [word for word in TO_OUT[command] if word != "--no-preserve"]
    done = files.run(*options, check=0)
    assert attributes_of(path) == {"user.origin": b"here"} and b"extended attributes: user.comment\n" in done.stderr
    os.remove(files.folder / "M") if "tree" in command else None
    done = files.run(*options, env=faults("fsetxattr@every=ENOSPC"), check=0)
    assert attributes_of(path) == {} and b"extended attributes: user.origin\n" in done.stderr


@pytest.mark.parametrize("umask", [0o022, 0o077, 0])
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644, 0o666, 0o400, 0o755])
def test_each_makes_no_file_that_more_may_read(files, mode, umask):
    for name in OUTS.values():
        (files.folder / name).unlink()
    for name in ("x", "y.phalanx"):
        (files.folder / "OUT.d" / name).chmod(mode)
    files.run("encrypt", "--each", *KEY, "OUT.d/x", umask=umask, check=0)
    files.run("decrypt", "--each", *KEY, "OUT.d/y.phalanx", umask=umask, check=0)
    for name in ("x.phalanx", "y"):
        assert stat.S_IMODE((files.folder / "OUT.d" / name).stat().st_mode) == mode & ~umask


@pytest.mark.parametrize("replaced", [0o666, 0o640, 0o600])
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644])
def test_nor_in_the_place_of_one_that_more_may_read(files, mode, replaced):
    (files.folder / "OUT.d/y.phalanx").chmod(mode)
    (files.folder / "OUT.d/y").write_bytes(b"what was there")
    (files.folder / "OUT.d/y").chmod(replaced)
    files.run("decrypt", "--each", "--force", *KEY, "OUT.d/y.phalanx", check=0)
    assert stat.S_IMODE((files.folder / "OUT.d/y").stat().st_mode) == mode & replaced


@pytest.mark.skipif(not is_root(), reason="only root can be another user")
def test_nor_does_it_for_another_group(files):
    """The group's rights are those of the file's group, which the new file does not have."""
    for name in OUTS.values():
        (files.folder / name).unlink()
    path = files.folder / "OUT.d/y.phalanx"
    os.chown(path, 1000, 3000)
    path.chmod(0o660)
    files.run("decrypt", "--each", *KEY, "OUT.d", umask=0, check=0)
    status = (files.folder / "OUT.d/y").stat()
    assert (stat.S_IMODE(status.st_mode), status.st_uid) == (0o600, 0)
