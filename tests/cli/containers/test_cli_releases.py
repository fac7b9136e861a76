"""What earlier programs wrote (tests/vectors/releases/): every later one reads it, or goes on with it."""

import os
import pathlib
import re
import shutil
import subprocess

import pytest
from conftest import openssl
from test_cli_plugins import PLUGIN

RELEASES = pathlib.Path(__file__).parents[2] / "vectors" / "releases"
KEY = ["--key-file", "keys/key"]
SECRETS = {"aes-128": ["--key-file", "keys/key_16"], "passphrase": ["--passphrase-file", "keys/passphrase"],
           "public_key": ["-i", "keys/identity"], "plugin": ["-i", "keys/plugin_identity"]}  # fmt: skip
CONTEXTS = {"context": ["--context-text", "the archive of 2026"], "both": ["--context", "0102"], "aes-128.bare": ["--context", "0102"]}
INODE_IN_RECORD = 24 + 56  # behind the magic, the size of what the message began with, and the message's prefix
RAW = ["--cipher", "aes-256-ctr", "--iv", "00112233445566778899aabbccddeeff", *KEY]
NIGHTS = [1_767_323_045_678_901_234, 1_767_409_445_678_901_234, 1_767_495_845_678_901_234]  # as the README's `touch` has them


def plain(size, key):
    """The function `bytes` of the README."""
    return openssl("enc", "-aes-256-ctr", "-K", f"{key:064d}", "-iv", "0" * 32, stdin=bytes(size))


@pytest.fixture(params=sorted(path.name for path in RELEASES.iterdir() if path.is_dir()))
def release(request, phalanx):
    """A copy: who reads may go on with it. git keeps no permissions and no times."""
    shutil.copytree(RELEASES / request.param, phalanx.folder, dirs_exist_ok=True)
    for path in (phalanx.folder / "keys").iterdir():
        path.chmod(0o600)
    return phalanx


def put(files, name, content, time):
    path = files.folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    os.utime(path, ns=(time, time))


def make_folder(files, root="FOLDER", containers="tree/DIR"):
    """The folder that was sealed, after its second night, and the times of its containers."""
    for name, size, key, night in (("one", 20_000, 6, 0), ("deep/two", 100, 7, 0), ("deep/three", 300, 8, 1)):
        put(files, f"{root}/{name}", plain(size, key), NIGHTS[night])
        os.utime(files.folder / containers / f"{name}.phalanx", ns=(NIGHTS[night], NIGHTS[night]))


def make_old(files, target):
    """The files of `openssl enc`, and the manifest's name of their folder."""
    for number, (name, size, key) in enumerate((("one", 20_000, 6), ("two", 100, 7)), start=1):
        sealed = subprocess.run(
            ["openssl", "enc", "-des3", "-md", "sha256", "-pass", "file:keys/passphrase", "-S", f"{number:016d}"],
            cwd=files.folder, input=plain(size, key), capture_output=True, check=True,
        ).stdout  # fmt: skip
        header = b"Salted__" + number.to_bytes(8, "big")  # OpenSSL 1.1 writes it, 3 does not
        put(files, f"OLD/{name}.des3", header + sealed.removeprefix(header), NIGHTS[2])
        container = files.folder / target / "DIR" / f"{name}.des3.phalanx"
        if container.exists():
            os.utime(container, ns=(NIGHTS[2], NIGHTS[2]))
    manifest = files.folder / target / "manifest"
    manifest.write_text(manifest.read_text().replace("/tmp/release/", f"{files.folder}/"))
    return ["--from-tree", "OLD", "--from-openssl", "--from-cipher", "des3", "--from-md", "sha256", "--from-passphrase-file", "keys/passphrase"]


def test_containers_open(release):
    found = sorted((release.folder / "containers").iterdir())
    assert len(found) >= 14
    (release.folder / "bin").mkdir()
    (release.folder / "bin" / "age-plugin-test").symlink_to(PLUGIN)
    release.write("nothing", b"")
    nothing = str(release.folder / "nothing")
    environment = {**os.environ, "PATH": f"{release.folder}/bin:{os.environ['PATH']}", "PLUGIN_BEHAVIOUR": nothing, "PLUGIN_STARTS": nothing}
    for path in found:
        name = path.stem
        bare = ["--bare", "--cipher", name] if path.suffix == ".bare" else []
        options = [*SECRETS.get(name, KEY), *CONTEXTS.get(path.name if bare else name, []), *bare]
        options += [] if name not in ("name", "both") else ["--name", "IN"]
        assert release.run("decrypt", *options, path, check=0, env=environment).stdout == plain(40_000, 5), path
    for secret in (KEY, ["--key-file", "keys/second_key"], SECRETS["passphrase"]):
        assert release.run("decrypt", *secret, "containers/three.phalanx", check=0).stdout == plain(40_000, 5)
    release.run("decrypt", *KEY, *CONTEXTS["both"], "--name", "other", "containers/both.phalanx", check=3)


def test_a_folder_opens_by_its_index_and_has_another_night(release):
    make_folder(release)
    for index, key in (("index", ["--index-key-file", "keys/index_key"]), ("signed", ["--index-public-key", "keys/sign.pub"])):
        done = release.run("verify", *KEY, "tree/DIR", "--index", f"tree/{index}", *key, "--at-least", "2", check=0)
        assert re.search(rb"generation 2\b", done.stdout), done.stdout
    release.run("decrypt", "--each", *KEY, "tree/DIR", "--to-tree", "restored", check=0)
    assert (release.folder / "restored/deep/three").read_bytes() == plain(300, 8)
    night = ["encrypt", "--each", *KEY, "FOLDER", "--to-tree", "tree/DIR", "--update"]
    index = ["--index", "tree/index", "--index-key-file", "keys/index_key"]
    done = release.run(*night, *index, check=0)
    assert b" 0 encrypted" in b" " + done.stderr and b"3 unchanged" in done.stderr, done.stderr
    put(release, "FOLDER/one", b"changed", NIGHTS[2])
    release.run(*night, *index, check=0)
    release.run("verify", *KEY, "tree/DIR", *index, "--at-least", "4", check=0)


def test_the_mark_of_another_folder_removes_nothing(release):
    """The folder that was sealed had another inode."""
    make_folder(release)
    (release.folder / "FOLDER/one").unlink()
    release.run("encrypt", "--each", *KEY, "FOLDER", "--to-tree", "tree/DIR", "--update", "--prune")
    assert (release.folder / "tree/DIR/one.phalanx").exists()


def test_a_migration_is_done_and_verified(release):
    old = make_old(release, "migrated")
    command = ["migrate", "--manifest", "migrated/manifest", *old, "--to-tree", "migrated/DIR", *KEY]
    release.run(*command, "--verify-only", "--doubt-is-ok", check=0)  # noise, whose first blocks show no iv
    done = release.run(*command, "--doubt-is-ok", check=0)
    assert b" 0 failed" in done.stderr, done.stderr
    release.run("verify", *KEY, "migrated/DIR", "--index", "migrated/index", "--index-key-file", "keys/index_key", check=0)


def test_a_migration_that_was_stopped_goes_on(release):
    old = make_old(release, "stopped_migration")
    release.run("migrate", "--manifest", "stopped_migration/manifest", *old, "--to-tree", "stopped_migration/DIR", *KEY, "--doubt-is-ok", check=0)
    for name, size, key in (("one", 20_000, 6), ("two", 100, 7)):
        assert release.run("decrypt", *KEY, f"stopped_migration/DIR/{name}.des3.phalanx", check=0).stdout == plain(size, key)


def test_sealing_goes_on(release):
    release.write("IN", plain(1_200_000, 9))
    done = release.run("encrypt", *KEY, "--resume", "IN", "stopped_encrypt/OUT", check=0)
    assert b"afresh" not in done.stderr, done.stderr
    assert release.run("decrypt", *KEY, "stopped_encrypt/OUT", check=0).stdout == plain(1_200_000, 9)


def test_opening_goes_on(release):
    """Its record names the inode of the partial file, which has another number in each checkout: without that, why not is said."""
    resume = ["decrypt", *KEY, "--resume", "stopped_decrypt/BOX", "stopped_decrypt/OUT"]
    release.assert_refused(release.run(*resume), 2, "is not the file that its record tells of")
    record = bytearray(release.read("stopped_decrypt/OUT.phalanx-record"))
    inode = os.stat(release.folder / "stopped_decrypt/OUT.phalanx-partial").st_ino
    record[INODE_IN_RECORD : INODE_IN_RECORD + 8] = inode.to_bytes(8, "little")
    release.write("stopped_decrypt/OUT.phalanx-record", bytes(record))
    release.run(*resume, check=0)
    assert release.read("stopped_decrypt/OUT") == plain(40_000, 5)


@pytest.mark.parametrize("direction", ["encrypt", "decrypt"])
def test_files_in_place_go_on(release, direction):
    """Either direction makes zeros of the file."""
    name = f"stopped_in_place_{direction}/FILE"
    release.run("raw", direction, *RAW, "--in-place", name, "--trust-journal", check=0)
    assert release.read(name) == bytes(1_100_000)
    assert sorted(path.name for path in (release.folder / name).parent.iterdir()) == ["FILE"]


def test_a_change_of_recipients_is_finished(release):
    key, second_key = (release.run("decrypt", "--key-file", f"keys/{key}", "stopped_recipients/BOX") for key in ("key", "second_key"))
    assert key.stdout == second_key.stdout == plain(40_000, 5)  # the first to open it has finished the change
    release.run("decrypt", *KEY, "stopped_recipients/BOX", check=4)
    assert not (release.folder / "stopped_recipients/BOX.phalanx-header").exists()
