"""Nights that are asked for other recipients, another suite or another binding than the night before: that is told, and done where
it is asked for. What was sealed before is known by the record, and opened only where that says nothing."""

import os
import shutil

import pytest
from conftest import KEY, random_bytes
from indexed_trees import AUTHENTICATORS, index_files

NAMES = ("one", "two", "a/three")
KEY2, BOTH = ["--key-file", "key2"], [*KEY, "--key-file", "key2"]
RELEASE = os.path.join(os.path.dirname(__file__), "../../vectors/releases/0.1.0_c23ce47b")
TOLD = b"earlier runs were asked for other recipients, or another suite or binding"
SAYS_WHAT_TO_RUN = b"--update-recipients brings"


@pytest.fixture
def tree(phalanx):
    index_files(phalanx)
    phalanx.write("key2", random_bytes(32, 8))
    for name in NAMES:
        path = phalanx.folder / "src" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(name.encode() * 1000)
    return phalanx


def night(tree, *options, check):
    return tree.run("encrypt", "--each", "--update", *options, "src", "--to-tree", "bk", check=check)


def update(tree, *options, check=0):
    return night(tree, "--update-recipients", *options, check=check)


def opens(tree, *secrets, names=NAMES):
    return [tree.run("decrypt", *secrets, f"bk/{name}.phalanx").stdout == name.encode() * 1000 for name in names]


def bodies(tree):
    """What no new header changes: the ends of the containers."""
    return [tree.read(f"bk/{name}.phalanx")[-1000:] for name in NAMES]


def identity(tree, name):
    """The options that seal for it, and that open."""
    done = tree.run("keygen", "--identity", name, check=0)
    return ["-r", done.stderr.decode().split()[-1]], ["-i", name]


def test_another_key_is_told_every_night_and_the_old_one_is_not(tree):
    night(tree, *KEY, check=0)
    for _ in range(2):
        done = night(tree, *KEY2, check=7)
        assert b"0 encrypted, 3 unchanged" in done.stderr and TOLD in done.stderr and SAYS_WHAT_TO_RUN in done.stderr
        assert b"3 containers stay as they were" in done.stderr
    assert opens(tree, *KEY) == [True] * 3
    night(tree, *KEY, check=0)
    record = tree.read("bk/.phalanx-tree")
    night(tree, *KEY, check=0)
    assert tree.read("bk/.phalanx-tree") == record and b"\nwish " in record and tree.read("key") not in record


def test_what_was_sealed_meanwhile_is_not_taken_for_the_old_ones(tree):
    night(tree, *KEY, check=0)
    (tree.folder / "src/two").write_bytes(b"two" * 1000 + b"!")
    assert b"1 encrypted, 2 unchanged" in night(tree, *KEY2, check=7).stderr
    for secrets in (KEY, KEY2):  # neither opens all
        assert TOLD in night(tree, *secrets, check=7).stderr
    update(tree, *BOTH)
    assert opens(tree, *KEY, names=("one", "a/three")) == opens(tree, *KEY2, names=("one", "a/three")) == [True, True]
    night(tree, *BOTH, check=0)
    night(tree, *reversed_pairs(BOTH), check=0)


def reversed_pairs(words):
    return [*words[2:], *words[:2]]


def test_a_killed_night_with_another_key_is_remembered(tree, faults):
    night(tree, *KEY, check=0)
    (tree.folder / "src/new").write_bytes(b"new")
    at = 0
    while not (tree.folder / "bk/new.phalanx").exists():
        at += 1
        killed = tree.run("encrypt", "--each", "--update", *KEY2, "src", "--to-tree", "bk", env=faults(f"change@{at}=kill-after"))
        assert killed.returncode < 0
    assert TOLD in night(tree, *KEY, check=7).stderr  # the new one is not for it
    assert tree.run("decrypt", *KEY, "bk/new.phalanx").returncode == 4
    update(tree, *KEY)
    assert tree.run("decrypt", *KEY, "bk/new.phalanx", check=0).stdout == b"new"


@pytest.mark.parametrize("goal", [BOTH, KEY2], ids=["by headers", "anew"])
def test_an_update_that_is_killed_is_remembered_and_goes_on(tree, faults, goal):
    night(tree, *KEY, check=0)
    shutil.copytree(tree.folder / "bk", tree.folder / "before")
    at, killed = 1, True
    while killed:
        shutil.rmtree(tree.folder / "bk")
        shutil.copytree(tree.folder / "before", tree.folder / "bk")
        env = faults(f"change@{at}={('kill', 'tear', 'kill-after')[at % 3]}")
        killed = tree.run("encrypt", "--each", "--update", "--update-recipients", *goal, "src", "--to-tree", "bk", env=env).returncode < 0
        by_old, by_new = opens(tree, *KEY), opens(tree, *KEY2)
        assert all(old or new for old, new in zip(by_old, by_new)), at  # none is lost
        shutil.copytree(tree.folder / "bk", tree.folder / "now")
        again = tree.run("encrypt", "--each", "--update", *KEY, "src", "--to-tree", "bk")
        assert again.returncode == 7 or all(by_old), at  # it is not taken for what it was
        shutil.rmtree(tree.folder / "bk")
        (tree.folder / "now").rename(tree.folder / "bk")
        update(tree, *goal)
        assert opens(tree, *KEY2) == [True] * 3, at
        at += 8
    assert at > 17


def test_a_new_recipient_is_added_by_headers_alone(tree):
    sealed, opened = identity(tree, "id")
    night(tree, *KEY, check=0)
    before = bodies(tree)
    night(tree, *KEY, *sealed, check=7)
    assert opens(tree, *opened) == [False] * 3
    assert b"0 encrypted, 3 unchanged" in update(tree, *KEY, *sealed).stderr
    assert bodies(tree) == before and opens(tree, *opened) == opens(tree, *KEY) == [True] * 3
    done = night(tree, *KEY, *sealed, check=0)
    assert b"0 encrypted, 3 unchanged" in done.stderr
    night(tree, *KEY, check=7)
    update(tree, *KEY)
    assert bodies(tree) == before and opens(tree, *opened) == [False] * 3 and opens(tree, *KEY) == [True] * 3
    night(tree, *KEY, check=0)


def test_public_keys_alone_are_changed_by_an_identity_or_sealed_anew(tree):
    (first, first_opens), (second, second_opens) = identity(tree, "id1"), identity(tree, "id2")
    night(tree, *first, check=0)
    night(tree, *first, check=0)
    before = bodies(tree)
    night(tree, *second, check=7)
    update(tree, *second, *first_opens)
    assert bodies(tree) == before and opens(tree, *first_opens) == [False] * 3 and opens(tree, *second_opens) == [True] * 3
    night(tree, *second, check=0)
    assert b"3 encrypted, 0 unchanged" in update(tree, *first).stderr  # nobody here opens them
    assert opens(tree, *first_opens) == [True] * 3


def test_a_passphrase_is_a_wish_too(tree):
    tree.write("word", b"a passphrase\n")
    tree.write("other", b"another one\n")
    word = ["--passphrase-file", "word", "--scrypt-log-n", "10"]
    night(tree, *word, check=0)
    night(tree, *word, check=0)
    night(tree, "--passphrase-file", "other", "--scrypt-log-n", "10", check=7)
    record = tree.read("bk/.phalanx-tree")
    assert record.count(b"\nwish ") == 1 and b":17:" in record  # by scrypt at its usual cost


@pytest.mark.parametrize("other", [["--cipher", "serpent-256"], ["--context", "beef"]], ids=["suite", "context"])
def test_another_suite_or_context_is_told_and_sealed_anew(tree, other):
    night(tree, *KEY, check=0)
    if other[0] == "--cipher":
        assert TOLD in night(tree, *KEY, *other, check=7).stderr
    assert b"3 encrypted, 0 unchanged" in update(tree, *KEY, *other).stderr
    night(tree, *KEY, *other, check=0)
    assert opens(tree, *KEY, *other[2 if other[0] == "--cipher" else 0 :]) == [True] * 3


def test_a_changed_context_does_not_stay_as_it_was(tree):
    night(tree, *KEY, "--context", "aa", check=0)
    night(tree, *KEY, "--context", "bb", check=7)
    update(tree, *KEY, "--context", "bb")
    assert opens(tree, *KEY, "--context", "bb") == [True] * 3
    night(tree, *KEY, "--context", "bb", check=0)


@pytest.mark.parametrize("bound", [["--bind-name"], ["--context", "beef"], ["--context", "beef", "--bind-name"]], ids=len)
def test_a_binding_that_is_asked_for_no_more_goes(tree, bound):
    night(tree, *KEY, *bound, check=0)
    assert TOLD in night(tree, *KEY, check=7).stderr
    assert b"3 encrypted, 0 unchanged" in update(tree, *KEY).stderr
    assert all(b"bound to" not in tree.run("inspect", f"bk/{name}.phalanx", check=0).stdout for name in NAMES)
    assert opens(tree, *KEY) == [True] * 3
    night(tree, *KEY, check=0)
    update(tree, *KEY, *bound)
    (tree.folder / "src/two").unlink()
    assert b"1 container whose file is gone or skipped stays" in update(tree, *KEY, check=7).stderr


def test_headers_are_appended_to_the_index(tree):
    how = AUTHENTICATORS["signature"]
    night(tree, *KEY, *how.write, check=0)
    update(tree, *BOTH, *how.write)
    tree.run("verify", "bk", *how.verify, "--strict", *KEY2, check=0)
    night(tree, *BOTH, *how.write, check=0)


def test_what_has_no_file_any_more_is_brought_by_its_header_or_told(tree):
    night(tree, *KEY, check=0)
    (tree.folder / "src/two").unlink()
    update(tree, *BOTH)
    assert opens(tree, *KEY2) == [True] * 3
    third = ["--key-file", "secret"]
    done = update(tree, *third, check=7)
    assert b"1 container whose file is gone or skipped stays for other recipients" in done.stderr
    assert opens(tree, *third) == [True, False, True] and opens(tree, *KEY, names=["two"]) == [True]
    night(tree, *third, check=7)
    tree.run("recipients", "replace", *KEY, "--remove-key-file", "key", "--remove-key-file", "key2", "--add-key-file", "secret", "bk/two.phalanx", check=0)
    update(tree, *third)
    night(tree, *third, check=0)


@pytest.mark.parametrize("why", ["a link", "needed"])
def test_what_is_skipped_is_brought_by_its_header_or_told(tree, why):
    night(tree, *KEY, check=0)
    one = tree.folder / "src/one"
    if why == "a link":
        one.rename(tree.folder / "one")
        one.symlink_to("../one")
        key2, both = KEY2, BOTH
    else:
        one.write_bytes(tree.read("key2"))
        night(tree, *KEY, check=0)
        key2, both = ["--key-file", "src/one"], [*KEY, "--key-file", "src/one"]
    done = update(tree, *key2, check=7)
    assert b"1 container whose file is gone or skipped stays for other recipients" in done.stderr
    assert TOLD in night(tree, *key2, check=7).stderr
    update(tree, *both)
    update(tree, *key2)
    night(tree, *key2, check=0)
    tree.run("verify", *KEY2, "bk", check=0)


def test_where_nothing_is_left_headers_are_brought_all_the_same(tree):
    night(tree, *KEY, check=0)
    shutil.rmtree(tree.folder / "src/a")
    for name in ("one", "two"):
        (tree.folder / "src" / name).unlink()
    done = update(tree, *KEY2, check=7)
    assert b"3 containers whose files are gone or skipped stay for other recipients" in done.stderr
    update(tree, *BOTH)
    assert opens(tree, *KEY2) == [True] * 3
    night(tree, *BOTH, check=0)


def test_an_identity_that_opens_the_old_ones_need_not_open_what_is_sealed(tree):
    (first, first_opens), (second, second_opens) = identity(tree, "id1"), identity(tree, "id2")
    night(tree, *first, check=0)
    (tree.folder / "src/two").write_bytes(b"two" * 1001)
    (tree.folder / "src/new").write_bytes(b"new")
    assert b"2 encrypted, 2 unchanged" in update(tree, *second, *first_opens).stderr
    assert opens(tree, *second_opens, names=["one", "a/three"]) == [True] * 2
    assert tree.run("decrypt", *second_opens, "bk/new.phalanx", check=0).stdout == b"new"
    update(tree, *second, *first_opens)
    night(tree, *second, check=0)


@pytest.mark.parametrize("change", [["replace", "--remove-key-file", "key"], ["add"]], ids=["replaced", "added"])
def test_what_was_changed_by_hand_and_is_asked_for_again_is_brought_back(tree, change):
    night(tree, *KEY, check=0)
    tree.run("recipients", change[0], "--each", *KEY, *change[1:], "--add-key-file", "key2", "bk", check=0)
    update(tree, *KEY)
    assert opens(tree, *KEY) == [True] * 3 and opens(tree, *KEY2) == [False] * 3
    night(tree, *KEY, check=0)
    record = tree.read("bk/.phalanx-tree")
    update(tree, *KEY)
    assert tree.read("bk/.phalanx-tree") == record


def test_what_a_run_over_another_folder_changed_is_told(tree):
    night(tree, *KEY, check=0)
    shutil.copytree(tree.folder / "src", tree.folder / "other")
    tree.run("encrypt", "--each", "--update", "--update-recipients", *KEY2, "other", "--to-tree", "bk", check=0)
    assert TOLD in night(tree, *KEY, check=7).stderr


def test_a_rotation_is_recorded_by_one_night(tree):
    night(tree, *KEY, check=0)
    tree.run("recipients", "replace", "--each", *KEY, "--remove-key-file", "key", "--add-key-file", "key2", "bk", check=0)
    before = [tree.read(f"bk/{name}.phalanx") for name in NAMES]
    night(tree, *KEY2, check=7)
    update(tree, *KEY2)
    assert [tree.read(f"bk/{name}.phalanx") for name in NAMES] == before
    night(tree, *KEY2, check=0)


@pytest.mark.parametrize("record", ["none", "earlier"])
def test_containers_are_tried_where_the_record_is_silent(tree, record):
    night(tree, *KEY, check=0)
    mark = tree.folder / "bk/.phalanx-tree"
    if record == "none":
        mark.unlink()
    else:
        shutil.copy(os.path.join(RELEASE, "tree/DIR/.phalanx-tree"), mark)
    saved = mark.read_bytes() if record == "earlier" else None
    done = night(tree, *KEY2, check=7)
    assert b"3 containers of earlier runs are for other recipients than are given" in done.stderr and SAYS_WHAT_TO_RUN in done.stderr
    mark.unlink()
    if saved:
        mark.write_bytes(saved)
    night(tree, *KEY, check=0)
    night(tree, *KEY, check=0)
    night(tree, *KEY2, check=7)


def test_that_public_keys_do_not_show_is_told_once(tree):
    sealed, _ = identity(tree, "id")
    night(tree, *sealed, check=0)
    (tree.folder / "bk/.phalanx-tree").unlink()
    assert b"is not recorded, and public keys do not show" in night(tree, *sealed, check=7).stderr
    night(tree, *sealed, check=0)


@pytest.mark.parametrize("where", [[], ["alone", "--to-tree", "bk"]], ids=["beside the files", "of a folder and a file"])
def test_without_a_record_keys_are_tried_and_of_others_the_number_counts(tree, where):
    sealed, _ = identity(tree, "id")
    tree.write("alone", b"a file that is named")

    def night(*options, check):
        return tree.run("encrypt", "--each", "--update", *options, "src", *where, check=check)

    night(*KEY, check=0)
    night(*KEY, check=0)
    for other in (KEY2, [*KEY, *sealed], sealed, [*KEY, "--cipher", "serpent-256"]):
        for _ in range(2):
            done = night(*other, check=7)
            assert b" of earlier runs " in done.stderr and b" for other recipients than are given" in done.stderr and SAYS_WHAT_TO_RUN in done.stderr
    night(*KEY2, "--update-recipients", check=0)
    night(*KEY2, check=0)
    night(*KEY, check=7)


def test_a_dry_run_tells_and_writes_nothing(tree):
    night(tree, *KEY, check=0)
    record, before = tree.read("bk/.phalanx-tree"), bodies(tree)
    assert TOLD in night(tree, *KEY2, "--dry-run", check=7).stderr
    assert tree.read("bk/.phalanx-tree") == record and bodies(tree) == before
    tree.assert_refused(tree.run("encrypt", "--each", *KEY, "--update-recipients", "src", "--to-tree", "bk"), 2, "--update-recipients goes with --update")
    tree.assert_refused(tree.run("encrypt", *KEY, "--update-recipients", "src/one", "x"), 2, "--update-recipients goes with --each")


@pytest.mark.parametrize("bound", [["--bind-name"], ["--context-text", "ours"]], ids=["name", "context"])
def test_what_is_bound_as_asked_is_not_sealed_anew(tree, bound):
    for number, expected in enumerate([b"3 encrypted, 0 unchanged", b"0 encrypted, 3 unchanged"]):
        assert expected in update(tree, *KEY, *bound).stderr, number
