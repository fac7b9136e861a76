"""No name that the program makes up itself leads out of a tree through a symbolic link: those of encrypt --each and decrypt
--each, and those of migrate --to-tree. What the user names himself may be a link."""

import os

import pytest
from conftest import KEY, OLD, TREE, contents, random_bytes, seal_old


@pytest.fixture
def tree(files):
    """A folder d with a file f and its container, and a folder beside it that links lead to."""
    for name in ("d/sub", "target"):
        (files.folder / name).mkdir(parents=True)
    for name in ("d/f", "d/sub/g"):
        files.write(name, random_bytes(1000))
    files.run("encrypt", "--each", "-q", *KEY, "d", check=0)
    return files


@pytest.mark.parametrize("named", ["folder", "file"])
@pytest.mark.parametrize("leads_to", ["nowhere", "a file"])
@pytest.mark.parametrize("command", ["encrypt", "decrypt"])
def test_an_out_that_is_a_link_is_refused(tree, command, leads_to, named):
    given, out = ("d/f", "d/f.phalanx") if command == "encrypt" else ("d/f.phalanx", "d/f")
    for name in (out, "d/sub/g.phalanx" if command == "encrypt" else "d/sub/g"):
        (tree.folder / name).unlink()
    (tree.folder / out).symlink_to("../target/new")
    if leads_to == "a file":
        tree.write("target/new", b"content of another")
    before = contents(tree)
    force = ["--force"] if leads_to == "a file" else []
    done = tree.run(command, "--each", *KEY, *force, given if named == "file" else "d")
    assert done.returncode == 2 and f"phalanx: {given}: {out} is a symbolic link" in done.stderr.decode()
    assert (tree.folder / out).is_symlink() and list((tree.folder / "target").iterdir()) == [tree.folder / "target/new"] * bool(force)
    others = 0 if named == "file" else 1
    assert f"{others} {command}ed, 1 failed".encode() in done.stderr and len(contents(tree)) == len(before) + others


def test_a_folder_that_becomes_a_link_is_not_written_through(tree, faults):
    """The input is open when its folder is replaced by a link."""
    (tree.folder / "d/sub/g.phalanx").unlink()
    swap = "test -d d/sub.old || { mv d/sub d/sub.old && ln -s ../target d/sub; }"
    done = tree.run("encrypt", "--each", *KEY, "d", env=faults("read:sub/g@1=run", actor=swap))
    assert done.returncode == 2 and b"d/sub/g: " in done.stderr and b"behind a symbolic link" in done.stderr
    assert (tree.folder / "d/sub").is_symlink() and list((tree.folder / "target").iterdir()) == []


def test_what_the_user_names_may_be_a_link(tree):
    (tree.folder / "link").symlink_to("target/new")
    (tree.folder / "way").symlink_to("d")
    tree.run("encrypt", *KEY, "d/f", "link", check=0)
    assert (tree.folder / "link").is_symlink() and (tree.folder / "target/new").exists()
    for name in ("d/f.phalanx", "d/sub/g.phalanx"):
        (tree.folder / name).unlink()
    tree.run("encrypt", "--each", *KEY, "way", check=0)
    assert (tree.folder / "d/f.phalanx").exists()


# --- migrate --to-tree


@pytest.fixture
def old(files):
    (files.folder / "target").mkdir()
    for name in ("old/f", "old/sub/g", "old/sub/deep/h"):
        seal_old(files, name, b"a text that anybody can read, long enough\n")
    return files


@pytest.mark.parametrize("preserve", [True, False])
def test_links_in_the_folder_of_containers_are_not_followed(old, preserve):
    (old.folder / "new").mkdir()
    (old.folder / "new/f.phalanx").symlink_to("../target/new")
    (old.folder / "new/sub").symlink_to("../target")
    options = [*TREE, *OLD, *KEY, "--delete-source", *([] if preserve else ["--no-preserve"])]
    done = old.run(*options)
    assert done.returncode == 2 and list((old.folder / "target").iterdir()) == []
    said = done.stderr.decode()
    assert "new/f.phalanx is a symbolic link" in said and "new/sub is or lies behind a symbolic link" in said
    assert len([path for path in (old.folder / "old").rglob("*") if path.is_file()]) == 3
    for name in ("f.phalanx", "sub"):
        (old.folder / "new" / name).unlink()
    old.run(*options, check=0)
    assert old.run("decrypt", *KEY, "new/sub/deep/h.phalanx", check=0).stdout.startswith(b"a text")


def test_a_link_to_a_whole_container_does_not_remove_the_old_file(old):
    old.run(*TREE, *OLD, *KEY, check=0)
    os.rename(old.folder / "new/f.phalanx", old.folder / "target/box")
    (old.folder / "new/f.phalanx").symlink_to("../target/box")
    done = old.run(*TREE, *OLD, *KEY, "--delete-source", "--force")
    assert done.returncode == 2 and b"new/f.phalanx is a symbolic link" in done.stderr and (old.folder / "old/f").exists()
    assert b"2 deleted" in done.stderr and (old.folder / "target/box").exists()


@pytest.mark.parametrize("preserve", [True, False])
def test_the_folder_of_containers_may_itself_be_a_link(old, preserve):
    (old.folder / "new").symlink_to("target")
    old.run(*TREE, *OLD, *KEY, *([] if preserve else ["--no-preserve"]), check=0)
    assert (old.folder / "target/sub/deep/h.phalanx").exists() and (old.folder / "new").is_symlink()


@pytest.mark.parametrize("what", ["f.phalanx", "sub"])
def test_what_is_compared_later_is_no_link(old, what):
    """--verify-only says what stands in the folder, not what a link in it leads to; and a run does not take it for done."""
    old.run(*TREE, *OLD, *KEY, check=0)
    os.rename(old.folder / "new" / what, old.folder / "target" / what)
    (old.folder / "new" / what).symlink_to(f"../target/{what}")
    done = old.run(*TREE, *OLD, *KEY, "--verify-only")
    assert done.returncode == 2 and b"symbolic link" in done.stdout and b"symbolic link" not in done.stderr, done.stdout
    again = old.run(*TREE, *OLD, *KEY)
    assert again.returncode == 2 and b"symbolic link" in again.stderr and (old.folder / "target" / what).exists()
