"""Several files and folders in one command: verify, encrypt --each and decrypt --each."""

import os

import pytest
from conftest import KEY, contents, random_bytes

NAMES = ["a", "b.txt", "dir/c", "dir/deep/d"]


@pytest.fixture
def many(phalanx):
    """Files, and the names that encrypt --each takes."""
    phalanx.write("key", random_bytes(32))
    phalanx.write("pass", b"open sesame\n")
    (phalanx.folder / "dir/deep").mkdir(parents=True)
    for number, name in enumerate(NAMES):
        phalanx.write(name, random_bytes(20_000 * number, seed=number))
    return phalanx


@pytest.fixture
def sealed(many):
    many.run("encrypt", "--each", *KEY, "a", "b.txt", "dir", check=0)
    return many


def damage(files, name, place=-1):
    content = bytearray(files.read(name))
    content[place] ^= 1
    files.write(name, content)


def test_each_file_gets_a_container_beside_it(many):
    before = contents(many)
    done = many.run("encrypt", "--each", *KEY, "a", "b.txt", "dir", check=0)
    assert done.stderr == b"phalanx: 4 encrypted, 0 failed, 0 skipped\n" and done.stdout == b""
    after = contents(many)
    assert {str(name) for name in set(after) - set(before)} == {name + ".phalanx" for name in NAMES}
    assert {name: after[name] for name in before} == before
    for name in NAMES:
        assert many.run("decrypt", *KEY, name + ".phalanx", check=0).stdout == many.read(name)


def test_and_back(sealed):
    before = contents(sealed)
    for name in NAMES:
        (sealed.folder / name).unlink()
    done = sealed.run("decrypt", *KEY, "--each", "a.phalanx", "b.txt.phalanx", "dir", check=0)
    assert done.stderr == b"phalanx: 4 decrypted, 0 failed, 0 skipped\n" and contents(sealed) == before


def test_one_name_and_quiet(many):
    assert many.run("encrypt", "-q", "--each", *KEY, "a", check=0).stderr == b""
    assert "a.phalanx" in many.names()


def test_what_is_done_is_skipped(sealed):
    """A second night, or a run after one that was killed: by name or by folder, it ends well, and leaves what is there."""
    before = contents(sealed)
    done = sealed.run("encrypt", "--each", *KEY, "a", "dir/c", check=0)
    assert done.stderr.count(b": skipped: done before\n") == 2 and b"0 encrypted, 0 failed, 2 skipped" in done.stderr
    assert b"skipped: done before" in sealed.run("encrypt", "--each", *KEY, "dir", check=0).stderr
    done = sealed.run("decrypt", "--each", *KEY, "a.phalanx", "dir", check=0)
    assert b"0 decrypted, 0 failed" in done.stderr and done.stderr.count(b".phalanx: skipped: done before\n") == 3
    assert contents(sealed) == before


def test_nothing_is_overwritten_without_force(sealed):
    """A container is done, whatever its file became, until --update is given; any other file in its place fails."""
    (sealed.folder / "a").write_bytes(b"changed")
    before = contents(sealed)
    done = sealed.run("encrypt", "--each", *KEY, "a", check=0)
    assert b"a: skipped: done before, and of another size, time or binding now: with --update it is sealed anew" in done.stderr
    done = sealed.run("decrypt", "--each", *KEY, "a.phalanx")
    assert done.returncode == 2 and b"a exists: it is overwritten only with --force" in done.stderr
    assert contents(sealed) == before
    sealed.write("a.phalanx", b"my own")
    for options in ([], ["--update"], ["--update=content"]):
        done = sealed.run("encrypt", "--each", *KEY, *options, "a")
        assert done.returncode == 2 and b"a.phalanx exists, and is no container" in done.stderr and b"--force" in done.stderr
        assert sealed.read("a.phalanx") == b"my own"
    before = contents(sealed)
    done = sealed.run("encrypt", "--each", "-f", *KEY, "a", check=0)
    assert sealed.read("a.phalanx") != before[next(name for name in before if str(name) == "a.phalanx")]


def test_force_replaces_no_file_that_is_read(sealed):
    """a.phalanx is what a would become, and is itself given."""
    before = contents(sealed)
    done = sealed.run("encrypt", "--each", "-f", *KEY, "a", "a.phalanx")
    assert done.returncode == 2 and b"a.phalanx is one of the files to read" in done.stderr and b"a container already" in done.stderr
    done = sealed.run("decrypt", "--each", "-f", *KEY, "a.phalanx", "a")
    assert done.returncode == 2 and b"a is one of the files to read" in done.stderr
    assert contents(sealed) == before


def test_a_file_fails_by_itself(many):
    done = many.run("encrypt", "--each", *KEY, "missing", "a", "/dev/null", "dir")
    lines = done.stderr.decode().splitlines()
    assert done.returncode == 1 and len(lines) == 3  # the failures have two codes
    assert lines[0] == "phalanx: cannot open missing: No such file or directory" and lines[1].startswith("phalanx: /dev/null: no regular file")
    assert lines[2] == "phalanx: 3 encrypted, 2 failed, 0 skipped" and "a.phalanx" in many.names()


def test_what_is_in_a_folder_and_not_meant_is_skipped(many):
    folder = many.folder / "dir"
    (folder / "link").symlink_to("../a")
    os.mkfifo(folder / "pipe")
    many.write("dir/x.phalanx-partial", b"half")
    many.write("dir/key", many.read("key"))
    done = many.run("encrypt", "--each", "--key-file", "dir/key", "dir", check=0)
    assert b"2 encrypted, 0 failed, 4 skipped" in done.stderr and b"the key file dir/key" in done.stderr
    assert sorted(path.name for path in folder.glob("*.phalanx")) == ["c.phalanx"]
    again = many.run("encrypt", "--each", "-f", "--key-file", "dir/key", "dir/deep/d.phalanx", check=0)
    assert b"skipped: a container already" in again.stderr


@pytest.mark.parametrize(
    "command, words",
    [("encrypt --each", "name them"), ("encrypt --each -", "takes files"), ("encrypt --each a -o b", "give one of them"),
     ("encrypt --each --resume a", "give one of them"), ("encrypt --each --bare a", "give one of them"),
     ("decrypt --each --range 0:1 a", "give one of them"), ("encrypt a b.txt dir", "--each"), ("decrypt a b.txt dir", "--each"),
     ("decrypt --each a", "no .phalanx to take off")],
)  # fmt: skip
def test_what_does_not_fit(many, command, words):
    before = contents(many)
    done = many.run(*command.split(), *KEY)
    assert done.returncode == 2 and words.encode() in done.stderr and contents(many) == before


def test_two_names_are_in_and_out(many):
    many.write("precious", b"precious")
    for command in (["encrypt", *KEY, "a", "precious"], ["encrypt", "-q", *KEY, "key", "a"]):
        many.assert_refused(many.run(*command), 2, f"{command[-1]} exists", "overwritten, with what IN gives, only with --force", "--each")
    many.run("encrypt", *KEY, "a", "b.phalanx", check=0)
    assert many.read("precious") == b"precious" and "a.phalanx" not in many.names()


def test_verify_good_containers(sealed):
    before = contents(sealed)
    assert sealed.run("verify", *KEY, "a.phalanx", check=0).stderr == b"phalanx: 1 verified, 0 failed, 0 skipped\n"
    done = sealed.run("verify", *KEY, ".", check=0)
    assert b"phalanx: 4 verified, 0 failed, 6 skipped" in done.stderr and contents(sealed) == before
    assert b"skipped: no container" not in done.stderr and b"(no containers: 5)" in done.stderr
    assert sealed.run("verify", "-v", *KEY, ".", check=0).stderr.count(b"skipped: no container") == 5
    done = sealed.run("verify", *KEY, stdin=sealed.read("b.txt.phalanx"), check=0)
    assert done.stderr == b"phalanx: 1 verified, 0 failed, 0 skipped\n"
    assert sealed.run("verify", "-q", *KEY, "-", stdin=sealed.read("a.phalanx"), check=0).stderr == b""


def test_verify_of_standard_input_says_what_that_of_a_file_says(sealed):
    damage(sealed, "a.phalanx")
    for stdin in (sealed.read("a.phalanx"), sealed.read("b.txt.phalanx")[:50], b"none"):
        sealed.write("x", stdin)
        named, piped = sealed.run("verify", *KEY, "x"), sealed.run("verify", *KEY, stdin=stdin)
        assert piped.returncode == named.returncode != 0
        assert piped.stderr == named.stderr.replace(b"phalanx: x: ", b"phalanx: standard input: ")


def test_verify_counts_no_tree_mark(sealed):
    sealed.run("encrypt", "--each", *KEY, "dir", "--to-tree", "backup", check=0)
    assert (sealed.folder / "backup" / ".phalanx-tree").exists()
    done = sealed.run("verify", *KEY, "backup", check=0)
    assert done.stderr.endswith(b" verified, 0 failed, 0 skipped\n")


def test_verify_without_a_key_says_so_once(sealed):
    done = sealed.run("verify", ".")
    lines = done.stderr.decode().splitlines()
    assert done.returncode == 2 and lines[1:] == ["phalanx: 3 more: the same", "phalanx: 0 verified, 4 failed, 6 skipped (no containers: 6)"]
    assert "none is given" in lines[0]
    assert sealed.run("verify", "-v", ".").stderr.count(b"none is given") == 4


def test_verify_names_each_that_fails_and_checks_the_others(sealed):
    damage(sealed, "dir/c.phalanx")
    damage(sealed, "dir/deep/d.phalanx", 30_000)
    done = sealed.run("verify", *KEY, "a.phalanx", "b.txt.phalanx", "dir/c.phalanx", "dir/deep/d.phalanx")
    lines = done.stderr.decode().splitlines()
    assert done.returncode == 3 and lines[-1] == "phalanx: 2 verified, 2 failed, 0 skipped"
    assert lines[0].startswith("phalanx: dir/c.phalanx: ") and lines[1].startswith("phalanx: dir/deep/d.phalanx: ")
    sealed.write("a.phalanx", sealed.read("a.phalanx")[:20])
    assert sealed.run("verify", "-q", *KEY, "a.phalanx", "b.txt.phalanx").returncode == 5
    assert sealed.run("verify", "-q", *KEY, "dir", "a.phalanx").returncode == 1  # 3 and 5


def test_verify_does_not_skip_what_should_be_a_container(sealed):
    damage(sealed, "dir/c.phalanx", 0)  # the magic
    done = sealed.run("verify", *KEY, "dir")
    assert done.returncode == 2 and b"dir/c.phalanx: " in done.stderr and b"1 verified, 1 failed, 2 skipped" in done.stderr
    assert sealed.run("verify", *KEY, "dir/c").returncode == 2  # named itself


def test_verify_with_wrong_keys_and_several(sealed):
    sealed.write("other", random_bytes(32, seed=2))
    assert sealed.run("verify", "--key-file", "other", "a.phalanx").returncode == 4
    sealed.run("encrypt", "--passphrase-file", "pass", "--scrypt-log-n", "10", "a", "p.phalanx", check=0)
    sealed.run("encrypt", "--cipher", "serpent-256", "--key-file", "other", "a", "s.phalanx", check=0)
    secrets = [*KEY, "--key-file", "other", "--passphrase-file", "pass"]
    done = sealed.run("verify", *secrets, "p.phalanx", "s.phalanx", "a.phalanx", check=0)
    assert b"3 verified" in done.stderr


def test_a_secret_that_can_be_read_once_serves_all(sealed):
    with open(sealed.folder / "key", "rb") as key:
        done = sealed.run("verify", "--key-fd", key.fileno(), "a.phalanx", "dir", pass_fds=[key.fileno()], check=0)
    environment = {**os.environ, "MY_KEY": sealed.read("key").hex()}
    assert b"3 verified" in done.stderr
    done = sealed.run("verify", "--key-env", "MY_KEY", "a.phalanx", "dir", env=environment, check=0)
    assert b"3 verified" in done.stderr


def test_a_signal_half_way_leaves_whole_files_only(many, faults):
    done = many.run("encrypt", "--each", *KEY, "a", "b.txt", env=faults("pwrite:b.txt.phalanx.phalanx-partial@2=term"))
    assert done.returncode == 143
    assert not [name for name in many.names() if name.startswith("b.txt.") or name.endswith("-partial")]
    assert "a.phalanx" not in many.names() or many.run("decrypt", *KEY, "a.phalanx", check=0).stdout == many.read("a")


# --- Containers of suites whose keys have other lengths.


@pytest.fixture
def mixed(many):
    """Two containers, and a key for each: of 32 bytes, and of 16."""
    many.write("key16", random_bytes(16, seed=16))
    (many.folder / "boxes").mkdir()
    many.run("encrypt", *KEY, "b.txt", "boxes/long.phalanx", check=0)
    many.run("encrypt", "--cipher", "aes-128", "--key-file", "key16", "dir/c", "boxes/short.phalanx", check=0)
    return many


BOTH = ["boxes/long.phalanx", "boxes/short.phalanx"]


def test_each_key_is_tried_where_it_fits(mixed):
    for keys in (["key", "key16"], ["key16", "key"]):
        options = [word for key in keys for word in ("--key-file", key)]
        assert b"2 verified" in mixed.run("verify", *options, *BOTH, check=0).stderr
    mixed.run("decrypt", "--each", *options, "boxes", check=0)
    assert mixed.read("boxes/long") == mixed.read("b.txt") and mixed.read("boxes/short") == mixed.read("dir/c")


def test_keys_that_can_be_read_once_are_kept(mixed):
    mixed.write("key.hex", mixed.read("key").hex().encode() + b"\n")
    for name in ("key", "key.hex"):
        done = mixed.run("verify", "--key-env", "SHORT", "--key-file", "-", *BOTH, stdin=mixed.read(name),
                         env={**os.environ, "SHORT": mixed.read("key16").hex()})  # fmt: skip
        assert done.returncode == 0 and b"2 verified" in done.stderr


def test_a_key_that_fits_no_container_there_is_said(mixed):
    for key, fails, size in (("key", "short", 16), ("key16", "long", 32)):
        done = mixed.run("verify", "--key-file", key, *BOTH)
        assert done.returncode == 2 and b"1 verified, 1 failed" in done.stderr
        assert f"boxes/{fails}.phalanx: ".encode() in done.stderr and f"{size} bytes".encode() in done.stderr
        assert b"no key that is given has the length of one" in done.stderr and b"is not a hex digit" not in done.stderr
    mixed.write("odd", b"0123")
    done = mixed.run("verify", "--key-file", "odd", *BOTH)
    assert done.returncode == 2 and done.stderr.count(b"odd holds no key") == 2
    mixed.run("recipients", "add", "--key-file", "key16", "--key-file", "key", "--add-key-file", "key", "boxes/long.phalanx", check=0)


def test_verifying_nothing_is_no_success(many):
    """A folder's name with a typing error, or containers that were moved elsewhere."""
    (many.folder / "empty").mkdir()
    for folders in (["empty"], ["dir", "empty"]):
        done = many.run("verify", *KEY, *folders)
        last = done.stderr.decode().splitlines()[-1]
        assert done.returncode == 2 and last.startswith("phalanx: ") and "no container" in last
        assert b"0 verified, 0 failed" in done.stderr
    many.assert_refused(many.run("verify", "-q", *KEY, "empty"), 2, "no container")
    many.run("encrypt", *KEY, "a", "dir/a.phalanx", check=0)
    many.run("verify", *KEY, "dir", "empty", check=0)


def test_what_passphrases_cost_over_a_run_is_told_once_it_is_more_than_one_container_may(files):
    for number in range(3):
        files.run("encrypt", "--scrypt-log-n", 10, "--passphrase-file", "pass", "IN", f"{number}.phalanx", check=0)
    boxes = [f"{number}.phalanx" for number in range(3)]
    told = files.run("verify", "--scrypt-budget", 1, "--passphrase-file", "pass", *boxes, check=0).stderr
    assert told.count(b"3 of these containers need a derivation of their own from a passphrase, 3 MiB of scrypt in all: about ") == 1, told
    assert b"scrypt" not in files.run("verify", "--passphrase-file", "pass", *boxes, check=0).stderr
    assert b"scrypt" not in files.run("verify", "-q", "--scrypt-budget", 1, "--passphrase-file", "pass", *boxes, check=0).stderr
