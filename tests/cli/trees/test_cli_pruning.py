"""What `encrypt --each --prune` removes: what the record .phalanx-tree says that runs of this folder made, where the folder shows to be
the same as before, and nothing else."""

import os
import shutil

import pytest
from conftest import KEY, random_bytes
from pruned_trees import NIGHTLY, OLD_TIME, PRUNING, assert_same_tree, copies, put, record_of, sealed, told, write_record  # noqa: F401

# --- What no run of this folder made


def test_the_copy_of_another_folder_below_is_a_wall(sealed):
    put(sealed, "photos/p1", b"photo")
    sealed.run("encrypt", "--each", *KEY, "photos", "--to-tree", "bk/photos", "--update", check=0)
    shutil.rmtree(sealed.folder / "photos")
    told(sealed, 7, "bk/photos: kept: the folder has a .phalanx-tree of its own")
    (sealed.folder / "src/one").unlink()
    sealed.run(*PRUNING, "--prune-also", "unrecorded", "--prune-also", "emptied", check=0)
    assert "photos/p1.phalanx" in copies(sealed) and "one.phalanx" not in copies(sealed)


def test_what_other_runs_made_in_the_same_folder_stays(sealed):
    put(sealed, "other/six", b"six")
    put(sealed, "loose", b"loose")
    sealed.run("encrypt", "--each", *KEY, "other", "--to-tree", "bk", "--update", check=0)
    sealed.run("encrypt", *KEY, "loose", "bk/loose.phalanx", check=0)
    text, again = told(sealed, 7, "bk/six.phalanx: kept: a run over ", "bk/loose.phalanx: kept: no run over src is recorded to have made it")
    assert "2 kept whose files are gone" in text and "2 kept whose files are gone" in again
    assert {"six.phalanx", "loose.phalanx"} < set(copies(sealed))
    sealed.run(*PRUNING, "--prune-also", "unrecorded", check=0)
    assert "six.phalanx" in copies(sealed) and "loose.phalanx" not in copies(sealed), "the other folder's section names it"


def test_another_container_in_the_place_of_ours_stays(sealed):
    """Of another length, or of another time."""
    put(sealed, "loose", b"of another length")
    sealed.run("encrypt", *KEY, "--force", "loose", "bk/one.phalanx", check=0)
    put(sealed, "loose", b"owt")
    sealed.run("encrypt", *KEY, "--force", "loose", "bk/two.phalanx", check=0)
    for name in ("one", "two", "a/three"):
        (sealed.folder / "src" / name).unlink()
    told(sealed, 7, "bk: kept: 2 containers: no run over src is recorded to have made it")
    assert copies(sealed) == ["a/b/five.phalanx", "a/four.phalanx", "one.phalanx", "two.phalanx"]


def test_where_no_times_are_kept_the_length_tells(phalanx):
    phalanx.write("key", random_bytes(32))
    night = ["encrypt", "--each", *KEY, "src", "--to-tree", "bk", "--prune", "--no-keep", "--update=content"]
    for name in ("one", "two", "three"):
        put(phalanx, f"src/{name}", name.encode())
    phalanx.run(*night, check=0)
    put(phalanx, "loose", b"of another length")
    phalanx.run("encrypt", "--force", *KEY, "loose", "bk/one.phalanx", check=0)
    for name in ("one", "two"):
        (phalanx.folder / "src" / name).unlink()
    told(phalanx, 7, "bk/one.phalanx: kept: no run over src is recorded to have made it", command=night)
    assert copies(phalanx) == ["one.phalanx", "three.phalanx"]


def test_of_a_folder_that_nobody_knows_nothing_goes(sealed):
    sealed.run("encrypt", *KEY, "src/one", "bk/mine.phalanx", check=0)
    (sealed.folder / "src").rename(sealed.folder / "away")
    (sealed.folder / "src").mkdir()
    before = copies(sealed)
    done = sealed.run(*PRUNING, "--prune-also", "unrecorded", "--prune-also", "emptied")
    assert done.returncode == 7 and b"bk/mine.phalanx: kept: nothing is recorded of src" in done.stderr, done.stderr
    assert copies(sealed) == before


def test_a_file_that_grew_while_it_was_sealed_is_known_again(sealed):
    """Its container has more than the file had when it was opened."""
    put(sealed, "src/log", b"first", time=OLD_TIME)
    sealed.run(*PRUNING, check=0)
    lines = [line.replace("file log 5 ", "file log 3 ") for line in record_of(sealed)]
    assert lines != record_of(sealed)
    write_record(sealed, lines)
    (sealed.folder / "src/log").unlink()
    sealed.run(*PRUNING, check=0)
    assert "log.phalanx" not in copies(sealed)


def test_what_a_kill_left_unrecorded_is_adopted(sealed, faults):
    put(sealed, "src/new", b"new")
    assert sealed.run(*PRUNING, env=faults("sync:.phalanx-tree@1=kill")).returncode == -9
    put(sealed, "src/newer", b"newer")
    assert sealed.run(*PRUNING, env=faults("pwrite:.phalanx-tree@1=tear")).returncode == -9
    sealed.run(*PRUNING, check=0)
    for name in ("new", "newer"):
        assert sum(line.startswith(f"file {name} ") for line in record_of(sealed)) == 1, record_of(sealed)
    (sealed.folder / "src/new").unlink()
    sealed.run(*PRUNING, check=0)
    assert "new.phalanx" not in copies(sealed) and "newer.phalanx" in copies(sealed)


def test_a_record_of_the_earlier_version_removes_nothing_in_the_first_night(sealed):
    status = os.stat(sealed.folder / "src")
    sealed.write("bk/.phalanx-tree", f"phalanx tree 1\nsource 0123456789abcdef {status.st_ino}\n".encode())
    (sealed.folder / "src/one").unlink()
    done = sealed.run(*PRUNING)
    assert done.returncode == 2 and b"is of an earlier version" in done.stderr and "one.phalanx" in copies(sealed)
    told(sealed, 7, "bk/one.phalanx: kept: no run over src is recorded to have made it")
    sealed.run(*PRUNING, "--prune-also", "unrecorded", check=0)
    assert "one.phalanx" not in copies(sealed)


def test_empty_folders_of_others_stay(sealed):
    (sealed.folder / "bk/mine").mkdir()
    (sealed.folder / "src/empty").mkdir()
    sealed.run(*PRUNING, check=0)
    (sealed.folder / "src/empty").rmdir()
    sealed.run(*NIGHTLY, check=0)
    assert (sealed.folder / "bk/empty").is_dir()
    sealed.run(*PRUNING, check=0)
    assert not (sealed.folder / "bk/empty").exists() and (sealed.folder / "bk/mine").is_dir()


# --- A file that became a folder, and the reverse


def make_a_folder_of_a_file_and_the_reverse(files):
    shutil.rmtree(files.folder / "src/a")
    put(files, "src/a", b"now a file")
    (files.folder / "src/one").unlink()
    put(files, "src/one/y", b"now in a folder")
    (files.folder / "src/two").unlink()
    (files.folder / "src/two").mkdir()


def test_a_file_that_became_a_folder_and_the_reverse(sealed):
    make_a_folder_of_a_file_and_the_reverse(sealed)
    sealed.run(*PRUNING, check=0)
    assert copies(sealed) == ["a.phalanx", "one/y.phalanx"] and not (sealed.folder / "bk/a").exists()
    assert_same_tree(sealed)


@pytest.mark.parametrize("options", [[], ["--prune"]])
def test_a_folder_of_others_in_the_way_of_a_file_is_told(sealed, options):
    """It stays, and a restore would not write the file."""
    put(sealed, "bk/a/notes", b"mine")
    (sealed.folder / "bk/a/b/mine").mkdir()
    shutil.rmtree(sealed.folder / "src/a")
    put(sealed, "src/a", b"a file")
    told(sealed, 7, "bk/a: kept: ", "src/a is a file now", command=[*NIGHTLY, *options])
    if options:
        assert copies(sealed) == ["a.phalanx", "one.phalanx", "two.phalanx"] and sealed.read("bk/a/notes") == b"mine"
        (sealed.folder / "bk/a").rename(sealed.folder / "moved")
        sealed.run(*PRUNING, check=0)
        assert_same_tree(sealed)


def test_a_link_in_the_place_of_a_folder_shows_nothing(phalanx):
    """The folder was moved to another disk: nothing here says that its files are gone."""
    phalanx.write("key", random_bytes(32))
    for name in ("a/one", "a/two"):
        put(phalanx, f"src/{name}", name.encode())
    phalanx.run(*PRUNING, check=0)
    (phalanx.folder / "src/a").rename(phalanx.folder / "away")
    (phalanx.folder / "src/a").symlink_to("../away")
    told(phalanx, 7, "bk/a: kept: 2 containers: of what was recorded in src")
    assert copies(phalanx) == ["a/one.phalanx", "a/two.phalanx"]


def test_a_file_that_became_a_link_or_a_pipe_is_kept_and_told(sealed):
    """It may have been moved to another disk: its container is the only copy that this folder has."""
    for name in ("src/a/three", "src/a/four"):
        (sealed.folder / name).rename(sealed.folder / os.path.basename(name))
    (sealed.folder / "src/a/three").symlink_to("../../three")
    os.mkfifo(sealed.folder / "src/a/four")
    told(sealed, 7, "bk/a: kept: 2 containers: a link, a pipe or a device has the file's name now")
    assert {"a/three.phalanx", "a/four.phalanx"} < set(copies(sealed))
    sealed.run(*PRUNING, "--prune-also", "unrecorded", "--prune-also", "emptied", check=0)
    assert {"a/three.phalanx", "a/four.phalanx"} < set(copies(sealed))
    (sealed.folder / "src/a/four").unlink()
    sealed.run(*PRUNING, check=0)
    assert "a/four.phalanx" not in copies(sealed)


def test_what_stands_in_the_way_is_told_without_prune(sealed):
    make_a_folder_of_a_file_and_the_reverse(sealed)
    text, _ = told(sealed, 7, "bk/one.phalanx: kept: src/one is a folder now", "bk/a: kept: 2 containers: src/a is a file now", command=NIGHTLY)
    assert "one.phalanx" in copies(sealed)
    sealed.run(*PRUNING, check=0)
    assert_same_tree(sealed)
