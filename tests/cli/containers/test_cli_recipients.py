"""Who can open a container, changed by `recipients`: in the file itself where the header keeps its size, in many files, and told by what it opens with."""

import json
import os
import re

import pytest
from conftest import CHUNK, KEY, PROGRAM, random_bytes

NOT_AGAIN = ";".join(f"open:fd/{number}@every={{0}}" for number in range(3, 11))  # no file is opened through its descriptor
ROTATE = ["recipients", "replace", *KEY, "--add-key-file", "new", "--remove-key-file", "key"]


@pytest.fixture
def sealed(files):
    files.write("new", random_bytes(32, seed=7))
    files.write("IN", random_bytes(CHUNK + 9))
    files.run("encrypt", "--force", *KEY, "IN", "BOX", check=0)
    return files


def opened(files, name, key):
    done = files.run("decrypt", "--key-file", key, name)
    return done.stdout if done.returncode == 0 else done.returncode


def require_rotated(files, name="BOX", plain=None):
    assert opened(files, name, "new") == (plain or files.read("IN"))
    assert opened(files, name, "key") == 4


def test_a_rotation_changes_the_header_in_its_place(sealed):
    path = sealed.folder / "BOX"
    os.utime(path, ns=(5, 1_700_000_000_123_456_789))
    before, inode = sealed.read("BOX"), path.stat().st_ino
    sealed.run(*ROTATE, "BOX", check=0)
    assert path.stat().st_ino == inode and path.stat().st_mtime_ns == 1_700_000_000_123_456_789
    changed = [i for i, (old, new) in enumerate(zip(before, sealed.read("BOX"), strict=True)) if old != new]
    assert changed and max(changed) < 500, "chunks were written"
    require_rotated(sealed)
    assert not [name for name in sealed.names() if name.startswith("BOX.")]


def test_a_file_that_may_not_be_written_is_replaced(sealed, faults):
    inode = (sealed.folder / "BOX").stat().st_ino
    sealed.run(*ROTATE, "BOX", env=faults(NOT_AGAIN.format("EACCES")), check=0)
    assert (sealed.folder / "BOX").stat().st_ino != inode
    require_rotated(sealed)


def test_a_file_that_got_this_name_meanwhile_is_not_said_to_be_changed(sealed, faults):
    """As rsync and mv put it there: the header that was changed is another file's."""
    sealed.run("encrypt", "--force", *KEY, "IN", "OTHER", check=0)
    other = sealed.read("OTHER")
    done = sealed.run(*ROTATE, "BOX", env=faults("pwrite:BOX@1=run", actor="mv OTHER BOX"))
    sealed.assert_refused(done, 1, "BOX was replaced, renamed or removed by another program meanwhile", "was not changed")
    assert sealed.read("BOX") == other


@pytest.mark.parametrize("act", ["cat OTHER > BOX", "mv OTHER BOX", "rm BOX"])
def test_what_was_written_while_a_recipient_was_added_stays(sealed, faults, act):
    sealed.run("encrypt", "--force", *KEY, "IN", "OTHER", check=0)
    other, names = sealed.read("OTHER"), sealed.names()
    done = sealed.run("recipients", "add", *KEY, "--add-key-file", "new", "BOX", env=faults("sync@1=run", actor=act))
    sealed.assert_refused(done, done.returncode, "BOX")
    assert done.returncode in (1, 2)
    assert "BOX" not in sealed.names() if act == "rm BOX" else sealed.read("BOX") == other
    assert [name for name in sealed.names() if name not in names] == []


@pytest.mark.parametrize("moment", ["write:-header@1=kill", "write:-header@1=tear", "fsync@1=kill-after", "pwrite:BOX@1=kill", "pwrite:BOX@1=tear",
                                    "pwrite:BOX@1=kill-after", "unlink:-header@1=kill", "unlink:-header@1=kill-after"])  # fmt: skip
@pytest.mark.parametrize("by", ["decrypt", "verify", "recipients", "both keys"])
def test_whoever_comes_next_settles_a_killed_rotation(sealed, faults, moment, by):
    assert sealed.run(*ROTATE, "BOX", env=faults(moment)).returncode == -9
    if by == "both keys":  # who was to be removed may open it as long as that is not done
        assert sealed.read("IN") in [opened(sealed, "BOX", "key"), opened(sealed, "BOX", "new")]
    elif by == "recipients":
        sealed.run("recipients", "replace", *KEY, "--key-file", "new", "--add-key-file", "new", "--remove-key-file", "key", "BOX")
    else:
        sealed.run(by, *KEY, "--key-file", "new", *(["BOX"] if by == "verify" else ["BOX", "BACK"]), check=0)
    left = [name for name in sealed.names() if name.startswith("BOX.") and name != "BOX.phalanx-partial"]
    assert not left or sealed.read("BOX.phalanx-header") == b"" or moment == "write:-header@1=tear"
    sealed.run(*ROTATE, "--each", "BOX", check=0)
    require_rotated(sealed)
    assert not [name for name in sealed.names() if name.startswith("BOX.")]


def test_a_change_after_a_killed_one_begins_where_that_ends(sealed, faults):
    """Though the key of the old header opened it."""
    sealed.write("third", random_bytes(32, seed=8))
    assert sealed.run(*ROTATE, "BOX", env=faults("pwrite:BOX@1=tear")).returncode == -9
    sealed.run("recipients", "add", *KEY, "--add-key-file", "third", "BOX", check=0)
    require_rotated(sealed)
    assert opened(sealed, "BOX", "third") == sealed.read("IN")


def test_a_mixture_opens_for_readers_who_may_not_write(sealed, faults):
    assert sealed.run(*ROTATE, "BOX", env=faults("pwrite:BOX@1=tear")).returncode == -9
    before = sealed.read("BOX")
    for key in ("key", "new"):
        done = sealed.run("decrypt", "--key-file", key, "BOX", env=faults(NOT_AGAIN.format("EROFS")))
        assert done.returncode == 0 and done.stdout == sealed.read("IN"), done
    assert sealed.read("BOX") == before and "BOX.phalanx-header" in sealed.names()


def test_headers_of_strangers_are_not_written(sealed, faults):
    """The file beside it is under a MAC of the data key: of another container it counts for nothing."""
    sealed.run("encrypt", *KEY, "IN", "OTHER", check=0)
    assert sealed.run(*ROTATE, "OTHER", env=faults("pwrite:OTHER@1=kill")).returncode == -9
    os.rename(sealed.folder / "OTHER.phalanx-header", sealed.folder / "BOX.phalanx-header")
    before, beside = sealed.read("BOX"), sealed.read("BOX.phalanx-header")
    assert opened(sealed, "BOX", "key") == sealed.read("IN")
    done = sealed.run(*ROTATE, "BOX")
    sealed.assert_refused(done, 2, "BOX.phalanx-header is not of this container: move it away")
    assert sealed.read("BOX") == before and sealed.read("BOX.phalanx-header") == beside


def by_another_name(key, code):
    """A command for an actor, which is not under faults: in OTHER, `third` takes the place of that key."""
    change = f"recipients replace -q --key-file {key} --remove-key-file {key} --add-key-file third OTHER"
    return f"env -u LD_PRELOAD {PROGRAM} {change}; echo $? >{code}"


def test_two_links_of_one_container_are_not_changed_at_once(sealed, faults):
    """The second would write its header over that of the first: what one removes, the other brings back."""
    sealed.write("third", random_bytes(32, seed=8))
    os.link(sealed.folder / "BOX", sealed.folder / "OTHER")
    sealed.run(*ROTATE, "BOX", env=faults("fsync:-header@1=run", actor=by_another_name("key", "code")), check=0)
    assert sealed.read("code") == b"2\n"
    require_rotated(sealed)
    assert opened(sealed, "OTHER", "third") == 4
    sealed.run("recipients", "replace", "--key-file", "new", "--remove-key-file", "new", "--add-key-file", "third", "OTHER", check=0)
    assert opened(sealed, "BOX", "third") == sealed.read("IN")


def test_nor_is_a_killed_change_settled_over_one_through_another_link(sealed, faults):
    sealed.write("third", random_bytes(32, seed=8))
    os.link(sealed.folder / "BOX", sealed.folder / "OTHER")
    assert sealed.run(*ROTATE, "BOX", env=faults("unlink:-header@1=kill")).returncode == -9
    reading = faults("flock:BOX.phalanx-header@1=run", actor=by_another_name("new", "code"))
    assert sealed.run("decrypt", "--key-file", "new", "BOX", env=reading).stdout == sealed.read("IN")
    assert sealed.read("code") == b"0\n"
    for name in ("BOX", "OTHER"):
        assert opened(sealed, name, "third") == sealed.read("IN") and opened(sealed, name, "new") == 4


def test_many_are_changed_and_a_second_run_has_nothing_to_do(sealed):
    for name in ("tree/a.phalanx", "tree/deep/b.phalanx"):
        (sealed.folder / name).parent.mkdir(parents=True, exist_ok=True)
        sealed.run("encrypt", "--force", *KEY, "IN", name, check=0)
    sealed.write("tree/none", b"no container")
    done = sealed.run(*ROTATE, "--each", "tree", check=0)
    assert b"2 changed, 0 failed, 1 skipped" in done.stderr
    for name in ("tree/a.phalanx", "tree/deep/b.phalanx"):
        require_rotated(sealed, name)
    done = sealed.run(*ROTATE, "--each", "tree", check=0)
    assert b"0 changed, 0 failed, 3 skipped" in done.stderr and done.stderr.count(b"skipped: done before") == 2


def test_with_each_numbers_are_refused(sealed):
    done = sealed.run("recipients", "remove", *KEY, "--each", "--remove", "1", "BOX")
    sealed.assert_refused(done, 2, "with --each give --remove-key-file, or --remove-others")
    sealed.assert_refused(sealed.run(*ROTATE, "BOX", "BOX"), 2, "--each")


@pytest.fixture
def shared(sealed):
    """A folder of containers that a friend of age, a passphrase and another key open too; one has no such guests."""
    sealed.write("pass", b"open sesame\n")
    sealed.run("keygen", "--identity", "friend", check=0)
    public = re.search(r"age1[0-9a-z]+", sealed.read("friend").decode())[0]
    (sealed.folder / "tree").mkdir()
    for name in ("a", "b", "alone"):
        guests = [] if name == "alone" else ["-r", public, "--key-file", "new", "--passphrase-file", "pass", "--scrypt-log-n", "10"]
        sealed.run("encrypt", *KEY, *guests, "IN", f"tree/{name}", check=0)
    return sealed


OTHERS = ["--remove-others", "--yes"]


def test_all_that_no_given_secret_opens_are_removed(shared):
    done = shared.run("recipients", "remove", "--each", *KEY, *OTHERS, "tree", check=0)
    for name in ("tree/a", "tree/b", "tree/alone"):
        assert len(json.loads(shared.run("recipients", "list", "--json", name, check=0).stdout)) == 1
        assert opened(shared, name, "key") == shared.read("IN") and opened(shared, name, "new") == 4
        assert shared.run("decrypt", "-i", "friend", name).returncode in (2, 4)
    assert b"2 changed" in done.stderr
    again = {name: shared.read(f"tree/{name}") for name in ("a", "b", "alone")}
    shared.run("recipients", "remove", "--each", *KEY, *OTHERS, "tree", check=0)
    assert again == {name: shared.read(f"tree/{name}") for name in again}


def test_whose_secrets_are_given_stay(shared):
    shared.run("recipients", "remove", *KEY, "-i", "friend", "--passphrase-file", "pass", *OTHERS, "tree/a", check=0)
    assert len(json.loads(shared.run("recipients", "list", "--json", "tree/a", check=0).stdout)) == 3
    assert opened(shared, "tree/a", "new") == 4 and shared.run("decrypt", "-i", "friend", "tree/a", check=0).stdout == shared.read("IN")
    shared.run("recipients", "replace", *KEY, *OTHERS, "--add-key-file", "new", "tree/a", check=0)
    assert opened(shared, "tree/a", "new") == opened(shared, "tree/a", "key") == shared.read("IN")
    assert shared.run("decrypt", "-i", "friend", "tree/a").returncode in (2, 4)


def test_others_are_removed_only_where_it_is_meant(shared):
    before = shared.read("tree/a")
    done = shared.run("recipients", "remove", *KEY, "--remove-others", "tree/a")
    shared.assert_refused(done, 2, "give --yes too")
    assert shared.run("recipients", "remove", "--key-file", "IN", *OTHERS, "tree/a").returncode != 0
    shared.write("stranger", random_bytes(32, seed=99))
    assert shared.run("recipients", "remove", "--key-file", "stranger", *OTHERS, "tree/a").returncode == 4
    assert shared.read("tree/a") == before
    alone = shared.read("tree/alone")
    shared.run("recipients", "remove", *KEY, *OTHERS, "tree/alone", check=0)
    assert shared.read("tree/alone") == alone


OUT_OF_REACH = [  # ways to remove whose secret is given, where only others stay
    "remove --remove 1", "remove --remove-key-file key", "replace --remove 1 --add-recipient-file friend.public",
    "remove --remove-passphrase-file pass --remove 1 --remove-key-file new",
]  # fmt: skip


@pytest.mark.parametrize("how", OUT_OF_REACH)
def test_nobody_locks_himself_out_by_a_slip(shared, how):
    shared.write("friend.public", re.search(rb"age1[0-9a-z]+", shared.read("friend"))[0] + b"\n")
    action, *options = how.split()
    options = [option.replace("--add-recipient-file", "-R") for option in options]
    before = shared.read("tree/a")
    done = shared.run("recipients", action, *KEY, *options, "tree/a")
    shared.assert_refused(done, 2, "recipient 1 is you, and none of the given secrets would open the container any more")
    assert shared.read("tree/a") == before
    shared.run("recipients", action, *KEY, *options, "--yes", "tree/a", check=0)
    assert opened(shared, "tree/a", "key") == 4 and shared.run("decrypt", "-i", "friend", "tree/a", check=0).stdout == shared.read("IN")


def test_who_has_another_secret_removes_the_old_one(shared):
    """His own by another key that is given, or that is added."""
    shared.run("recipients", "remove", *KEY, "--key-file", "new", "--remove-key-file", "key", "tree/a", check=0)
    assert opened(shared, "tree/a", "key") == 4 and opened(shared, "tree/a", "new") == shared.read("IN")
    shared.write("newest", random_bytes(32, seed=8))
    shared.run("recipients", "replace", "--key-file", "new", "--add-key-file", "newest", "--remove-key-file", "new", "tree/a", check=0)
    assert opened(shared, "tree/a", "new") == 4 and opened(shared, "tree/a", "newest") == shared.read("IN")
    done = shared.run("recipients", "remove", "--each", *KEY, "--remove-key-file", "key", "tree")
    assert done.returncode != 0 and opened(shared, "tree/b", "key") == shared.read("IN")


def test_who_can_open_it_already_is_told(sealed):
    before = sealed.read("BOX")
    done = sealed.run("recipients", "add", *KEY, "--add-key-file", "key", "BOX", check=0)
    assert b"the key of key can open it already" in done.stderr
    assert sealed.read("BOX") == before


def test_who_is_to_be_removed_must_be_there(sealed):
    done = sealed.run("recipients", "remove", *KEY, "--remove-key-file", "new", "BOX")
    sealed.assert_refused(done, 2, "none of the recipients'")


def test_keys_are_known_by_their_recipients(sealed):
    sealed.run("recipients", "add", *KEY, "--add-key-file", "new", "BOX", check=0)
    shown = sealed.run("inspect", "--key-file", "new", "BOX", check=0).stdout.decode()
    assert "2: a key; opens with the key of new" in shown and shown.count("opens with") == 1
    listed = json.loads(sealed.run("recipients", "list", "--json", "--key-file", "key", "BOX", check=0).stdout)
    assert [recipient.get("opened_by") for recipient in listed] == [["the key of key"], None]


def test_inspect_explains_many_files(sealed):
    sealed.write("text", b"nothing that it knows")
    sealed.write("old64", b"U2FsdGVkX18AAAAAAAAAAAAAAAAAAAAA\n")
    done = sealed.run("inspect", "BOX", "text", "old64")
    assert done.returncode == 2 and b"text: it may be text (ASCII)" in done.stderr
    assert b"BOX:\nformat" in done.stdout and b"old64:\nformat      a file of `openssl enc` in base64" in done.stdout
    many = json.loads(sealed.run("inspect", "--json", "BOX", "old64", check=0).stdout)
    assert [one["name"] for one in many] == ["BOX", "old64"] and many[1]["base64"]
    assert sealed.run("inspect", "old64", check=0).stderr == b""
