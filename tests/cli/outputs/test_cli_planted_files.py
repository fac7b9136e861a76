"""What stands at the name of an OUT. A name that the program makes up is a regular file's or nothing's; what is written straight at
a name that the user gives (a FIFO, a device) was put there by him, or nobody else could have put it there."""

import os
import socket
import stat
from pathlib import Path

import pytest
from conftest import KEY, MOST_SECONDS, NOBODY, OLD, RAW_CTR, TREE, is_root, random_bytes, seal_old, wait_for

needs_root = pytest.mark.skipif(not is_root(), reason="only root can be two users")
TEXT = b"a text that anybody can read, long enough\n"
TO_OUT = {
    "encrypt": ["encrypt", *KEY, "IN", "OUT"],
    "decrypt": ["decrypt", *KEY, "BOX", "OUT"],
    "a range": ["decrypt", *KEY, "--range", "1:9", "BOX", "OUT"],
    "raw encrypt": ["raw", "encrypt", *RAW_CTR, "IN", "OUT"],
    "raw decrypt": ["raw", "decrypt", *RAW_CTR, "IN", "OUT"],
    "raw -a": ["raw", "encrypt", "--openssl", "-a", "--cipher", "aes256", "--passphrase-file", "pass", "IN", "OUT"],
    "migrate": ["migrate", "--no-verify", *OLD, *KEY, "OLD", "OUT"],
    "keygen": ["keygen", "OUT"],
    "keygen --hex": ["keygen", "--hex", "OUT"],
}
WRITTEN_STRAIGHT = [command for command in TO_OUT if not command.startswith("keygen")]


@pytest.fixture
def files(phalanx):
    """All of it small enough for a pipe that nobody reads."""
    phalanx.write("key", random_bytes(32))
    phalanx.write("pass", b"open sesame\n")
    phalanx.write("IN", TEXT)
    phalanx.run("encrypt", *KEY, "IN", "BOX", check=0)
    seal_old(phalanx, "OLD", TEXT)
    return phalanx


def command_to(name, command):
    return [name if word == "OUT" else word for word in TO_OUT[command]]


def make(kind, path):
    if kind == "FIFO":
        os.mkfifo(path, 0o666)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as bound:
            here = os.getcwd()
            os.chdir(path.parent)  # the name of a socket is short
            try:
                bound.bind(path.name)
            finally:
                os.chdir(here)
    elif kind == "folder":
        path.mkdir()
    else:
        try:
            os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 3))
        except PermissionError:
            pytest.skip("this user makes no devices")
    return path


class Listener:
    """Holds a FIFO open for reading and writing, so that no writer waits, and tells what came."""

    def __init__(self, path):
        self.descriptor = os.open(path, os.O_RDWR | os.O_NONBLOCK)

    def heard(self):
        try:
            return os.read(self.descriptor, 1 << 16)
        except BlockingIOError:
            return b""


def plant(path, owner=NOBODY):
    os.mkfifo(path)
    path.chmod(0o666)
    os.chown(path, owner, owner)
    return Listener(path)


# --- Names that the program makes up


@pytest.fixture
def tree(files):
    (files.folder / "d/sub").mkdir(parents=True)
    for name in ("d/f", "d/sub/g"):
        files.write(name, TEXT)
    files.run("encrypt", "--each", "-q", *KEY, "d", check=0)
    return files


@pytest.mark.parametrize("force", [[], ["--force"]])
@pytest.mark.parametrize("kind", ["FIFO", "socket", "folder", "character device"])
@pytest.mark.parametrize("named", ["folder", "file"])
@pytest.mark.parametrize("command", ["encrypt", "decrypt"])
def test_each_writes_regular_files_only(tree, command, named, kind, force):
    given, out = ("d/f", "d/f.phalanx") if command == "encrypt" else ("d/f.phalanx", "d/f")
    for name in (out, "d/sub/g.phalanx" if command == "encrypt" else "d/sub/g"):
        (tree.folder / name).unlink()
    made = make(kind, tree.folder / out)
    listener = Listener(made) if kind == "FIFO" else None
    done = tree.run(command, "--each", *force, *KEY, given if named == "file" else "d")
    assert done.returncode == 2 and f"phalanx: {given}: {out} is a {kind}".encode() in done.stderr
    assert stat.S_IFMT(made.stat().st_mode) != stat.S_IFREG and (listener is None or listener.heard() == b"")
    assert f"{int(named == 'folder')} {command}ed, 1 failed".encode() in done.stderr


@pytest.mark.parametrize("kind", ["FIFO", "socket", "folder", "character device"])
@pytest.mark.parametrize("options", [[], ["--force"], ["--no-verify"], ["--delete-source"]])
def test_so_does_migrate_of_a_tree(files, kind, options):
    for name in ("old/a", "old/b"):
        seal_old(files, name, TEXT)
    (files.folder / "new").mkdir()
    made = make(kind, files.folder / "new/a.phalanx")
    listener = Listener(made) if kind == "FIFO" else None
    done = files.run(*TREE, *OLD, *KEY, *options)
    assert done.returncode == 2 and f"new/a.phalanx is a {kind}".encode() in done.stderr
    assert (files.folder / "old/a").exists() and (files.folder / "new/b.phalanx").is_file()
    assert listener is None or listener.heard() == b""


@pytest.mark.parametrize("suffix, command", [
    ("partial", ["encrypt", *KEY, "IN", "OUT"]), ("partial", ["decrypt", "--resume", *KEY, "BOX", "OUT"]),
    ("partial", ["encrypt", "--force", *KEY, "IN", "OUT"]), ("partial", ["recipients", "add", *KEY, "--add-key-file", "key", "OUT"]),
    ("record", ["encrypt", "--resume", *KEY, "IN", "OUT"]), ("record", ["decrypt", "--resume", *KEY, "BOX", "OUT"]),
    ("record", ["migrate", "--resume", *OLD, *KEY, "OLD", "OUT"]),
    ("journal", ["raw", "encrypt", *RAW_CTR, "--in-place", "OUT"]),
])  # fmt: skip
@pytest.mark.parametrize("kind", ["FIFO", "socket", "folder", "character device"])
def test_what_stands_beside_out_is_a_regular_file_too(files, kind, suffix, command):
    """None is waited for, obeyed or taken away, whoever made it."""
    if command[0] in ("recipients", "raw"):
        files.run("encrypt", *KEY, "IN", "OUT", check=0)
    made = make(kind, files.folder / f"OUT.phalanx-{suffix}")
    listener = Listener(made) if kind == "FIFO" else None
    done = files.run(*command)
    assert done.returncode in (1, 2) and f"OUT.phalanx-{suffix}".encode() in done.stderr
    assert stat.S_IFMT(made.stat().st_mode) != stat.S_IFREG and (listener is None or listener.heard() == b"")
    assert files.names().count("OUT") == (command[0] in ("recipients", "raw"))


def test_a_fifo_that_comes_meanwhile_gets_nothing(tree, faults):
    (tree.folder / "d/f").unlink()
    done = tree.run("decrypt", "--each", *KEY, "d/f.phalanx", env=faults("fsync:f.phalanx-partial@1=run", actor="mkfifo d/f"))
    assert done.returncode == 2 and b"d/f exists" in done.stderr and stat.S_ISFIFO((tree.folder / "d/f").stat().st_mode)


# --- Names that the user gives


@needs_root
@pytest.mark.parametrize("mode", [0o1777, 0o777, 0o775])
@pytest.mark.parametrize("command", TO_OUT)
def test_a_fifo_that_another_user_put_there_gets_nothing(files, command, mode):
    (files.folder / "shared").mkdir()
    (files.folder / "shared").chmod(mode)
    listener = plant(files.folder / "shared/OUT")
    done = files.run(*command_to("shared/OUT", command))
    words = ["another user put there"] if command in WRITTEN_STRAIGHT else []
    files.assert_refused(done, 2, "shared/OUT is a FIFO", "standard output", *words)
    assert listener.heard() == b""


@needs_root
def test_nor_does_one_whose_folder_lies_in_such_a_folder(files):
    (files.folder / "shared/sub").mkdir(parents=True)
    (files.folder / "shared").chmod(0o777)
    listener = plant(files.folder / "shared/sub/OUT")
    for folder, name in ((files.folder, "shared/sub/OUT"), (files.folder / "shared/sub", "OUT")):
        done = files_in(files, folder).run(*command_to(name, "encrypt"))
        assert done.returncode == 2 and b"another user put there" in done.stderr, name
    assert listener.heard() == b""


def files_in(files, folder):
    """The same, in another folder: what it reads is put there."""
    for name in ("key", "IN"):
        if not (folder / name).exists():
            (folder / name).write_bytes(files.read(name))
            (folder / name).chmod(0o600)
    return type(files)(folder)


@needs_root
@pytest.mark.parametrize("whose", ["ours", "the folder's owner's"])
@pytest.mark.parametrize("command", WRITTEN_STRAIGHT)
def test_others_are_written_straight(files, command, whose):
    folder = files.folder / "shared"
    folder.mkdir()
    owner = 0 if whose == "ours" else NOBODY
    listener = plant(folder / "OUT", owner)
    if whose == "the folder's owner's":
        os.chown(folder, NOBODY, NOBODY)
    folder.chmod(0o1777)
    files.run(*command_to("shared/OUT", command), check=0)
    assert listener.heard() != b"" and stat.S_ISFIFO((folder / "OUT").stat().st_mode)


@needs_root
@pytest.mark.parametrize("kind", ["FIFO", "character device"])
def test_a_link_to_what_another_user_put_there(files, kind):
    """Our own link, in a folder of ours."""
    (files.folder / "shared").mkdir()
    (files.folder / "shared").chmod(0o1777)
    made = make(kind, files.folder / "shared/x")
    os.chown(made, NOBODY, NOBODY)
    (files.folder / "OUT").symlink_to("shared/x")
    files.assert_refused(files.run(*TO_OUT["decrypt"]), 2, f"OUT is a {kind} that another user put there")


@needs_root
@pytest.mark.parametrize("mode", [0o1777, 0o777, 0o775])
def test_links_that_another_user_put_there_are_not_followed(files, mode):
    """At the end of a name, and on the way, in every folder that others may write to."""
    (files.folder / "shared").mkdir()
    (files.folder / "target").mkdir()
    (files.folder / "old").mkdir()
    (files.folder / "shared/OUT").symlink_to("../target/new")
    (files.folder / "shared/way").symlink_to("../target")
    (files.folder / "mine").symlink_to("shared/way/new")
    (files.folder / "shared").chmod(mode)
    for name in ("OUT", "way"):
        os.lchown(files.folder / "shared" / name, NOBODY, NOBODY)
    for name in ("shared/OUT", "shared/way/new", "mine"):
        for command in ("encrypt", "keygen"):
            files.assert_refused(files.run(*command_to(name, command)), 2, name, "symbolic link", "another user put there")
    manifest = ["migrate", "--manifest", "shared/OUT", "--from-tree", "old", "--to-tree", "to"]
    files.assert_refused(files.run(*manifest, *OLD, *KEY), 2, "another user put there")
    files.assert_refused(files.run("recipients", "add", *KEY, "--add-key-file", "key", "shared/OUT"), 2, "another user put there")
    assert list((files.folder / "target").iterdir()) == []
    os.lchown(files.folder / "shared/way", os.geteuid(), os.getegid())
    files.run(*command_to("mine", "encrypt"), check=0)
    assert (files.folder / "target/new").is_file()


@pytest.mark.parametrize("command", TO_OUT)
def test_a_socket_is_no_out(files, command):
    make("socket", files.folder / "OUT")
    files.assert_refused(files.run(*TO_OUT[command]), 2, "OUT is a socket")


def test_what_was_judged_is_what_is_opened(files, faults):
    """Another takes the place of our FIFO while the key is read: it gets nothing."""
    os.mkfifo(files.folder / "OUT")
    ours = Listener(files.folder / "OUT")
    swap = "test -e OUT.old || { mv OUT OUT.old; mkfifo OUT; }"
    process = files.start(*TO_OUT["decrypt"], env=faults("open:key@1=run", actor=swap))
    wait_for(lambda: process.poll() is not None or ((files.folder / "OUT.old").exists() and (files.folder / "OUT").exists()))
    other = Listener(files.folder / "OUT")
    assert process.wait(timeout=MOST_SECONDS) == 0, process.stderr.read()
    assert ours.heard() == TEXT and other.heard() == b""


def test_a_fifo_of_ours_waits_for_its_reader(files):
    (files.folder / "shared").mkdir()
    (files.folder / "shared").chmod(0o1777)
    os.mkfifo(files.folder / "shared/OUT")
    process = files.start(*command_to("shared/OUT", "decrypt"))
    assert (files.folder / "shared/OUT").read_bytes() == TEXT and process.wait(timeout=MOST_SECONDS) == 0


@needs_root
def test_an_inherited_descriptor_is_used_whatever_it_is(files):
    (files.folder / "shared").mkdir()
    (files.folder / "shared").chmod(0o777)
    listener = plant(files.folder / "shared/OUT")
    with open(files.folder / "shared/OUT", "wb", buffering=0) as opened:
        for command in ("decrypt", "keygen"):
            files.run(*command_to(f"/dev/fd/{opened.fileno()}", command), pass_fds=[opened.fileno()], check=0)
            assert len(listener.heard()) == (32 if command == "keygen" else len(TEXT))


def test_in_dev_what_others_may_write_counts(files):
    """/dev itself is exempt, but not what lies below it, open to all: /dev/shm."""
    files.run(*command_to("/dev/null", "decrypt"), check=0)
    if not is_root() or not os.path.isdir("/dev/shm") or not os.stat("/dev/shm").st_mode & stat.S_IWOTH:
        return
    path = Path(f"/dev/shm/phalanx-test-{os.getpid()}")
    listener = plant(path)
    try:
        files.assert_refused(files.run(*command_to(path, "decrypt")), 2, "another user put there")
    finally:
        path.unlink()
    assert listener.heard() == b""


# --- keygen


@pytest.mark.parametrize("out", ["own FIFO", "/dev/null", "link to it"])
def test_a_key_goes_into_no_pipe_or_device_that_has_a_name(files, out):
    os.mkfifo(files.folder / "pipe")
    listener = Listener(files.folder / "pipe")
    (files.folder / "link").symlink_to("pipe")
    name = {"own FIFO": "pipe", "link to it": "link"}.get(out, out)
    for force in ([], ["--force"]):
        files.assert_refused(files.run("keygen", *force, name), 2, f"{name} is a ", "name a file as OUT")
    assert listener.heard() == b""


def test_a_key_goes_into_files_standard_output_and_inherited_descriptors(files):
    (files.folder / "link").symlink_to("new")
    files.run("keygen", "link", check=0)
    assert len(files.read("new")) == 32 and len(files.run("keygen", "-", check=0).stdout) == 32
    reading, writing = os.pipe()
    files.run("keygen", f"/dev/fd/{writing}", pass_fds=[writing], check=0)
    os.close(writing)
    assert len(os.read(reading, 99)) == 32
    os.close(reading)


# --- Regular files, which are replaced with --force.

FORCED = {
    "decrypt": ["decrypt", "--force", *KEY, "BOX", "shared/OUT"],
    "resumed": ["decrypt", "--force", "--resume", *KEY, "BOX", "shared/OUT"],
    "each": ["decrypt", "--each", "--force", *KEY, "shared/OUT.phalanx"],
}


@needs_root
@pytest.mark.parametrize("mode", [0o1777, 0o777, 0o775])
@pytest.mark.parametrize("command", FORCED)
def test_a_file_that_another_user_put_there_is_replaced_by_ours(files, command, mode):
    """He neither owns what comes in its place, nor may read more than he said of his."""
    shared = files.folder / "shared"
    shared.mkdir()
    shared.chmod(mode)
    (shared / "OUT.phalanx").write_bytes(files.read("BOX"))
    (shared / "OUT").write_bytes(b"x")
    os.chown(shared / "OUT", NOBODY, NOBODY)
    (shared / "OUT").chmod(0o600)
    files.run(*FORCED[command], check=0)
    status = (shared / "OUT").stat()
    assert (status.st_uid, stat.S_IMODE(status.st_mode)) == (0, 0o600) and (shared / "OUT").read_bytes() == TEXT


@needs_root
@pytest.mark.parametrize("has_out", [True, False])
def test_a_partial_file_that_another_user_put_there_is_not_taken_up(files, has_out):
    shared = files.folder / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    for name in ("OUT", "OUT.phalanx-partial")[not has_out :]:
        (shared / name).write_bytes(b"x")
        os.chown(shared / name, NOBODY, NOBODY)
    for resume in (["--resume"], []):
        files.assert_refused(files.run("decrypt", *resume, "--force", *KEY, "BOX", "shared/OUT"), 2, "OUT.phalanx-partial")
    assert (shared / "OUT.phalanx-partial").read_bytes() == b"x"
