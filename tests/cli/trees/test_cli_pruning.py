"""What `encrypt --each --prune` removes: what the record .phalanx-tree says that runs of this folder made, where the folder shows to be
the same as before, and nothing else."""

import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from conftest import KEY, PROGRAM, Phalanx, contents, is_root, random_bytes

OLD_TIME = 1_234_567_890_123_456_789
NIGHTLY = ["encrypt", "--each", *KEY, "src", "--to-tree", "bk", "--update"]
PRUNING = [*NIGHTLY, "--prune"]
RESTORE = ["decrypt", "--each", *KEY, "bk", "--to-tree", "back"]


def put(files, name, content=b"content", time=None):
    path = files.folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
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
    put(sealed, "src/log", b"first", OLD_TIME)
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


# --- Whether a folder is the same


def test_a_folder_of_which_nothing_is_left_is_kept(sealed):
    for name in ("three", "four", "b/five"):
        (sealed.folder / "src/a" / name).unlink()
    before = copies(sealed)
    told(sealed, 7, "bk/a: kept: 2 containers: of what was recorded in src/a", "bk/a/b/five.phalanx: kept: ", "--prune-also emptied")
    assert copies(sealed) == before
    sealed.run(*PRUNING, "--prune-also", "emptied", check=0)
    assert copies(sealed) == ["one.phalanx", "two.phalanx"]


def test_a_folder_that_is_gone_by_name_goes_where_neighbours_stay(sealed):
    shutil.rmtree(sealed.folder / "src/a")
    sealed.run(*PRUNING, check=0)
    assert copies(sealed) == ["one.phalanx", "two.phalanx"]
    assert_same_tree(sealed)


def test_a_file_that_was_renamed_is_gone(sealed):
    """Though nothing else is left in its folder: it is there itself."""
    (sealed.folder / "src/a/b/five").rename(sealed.folder / "src/a/b/renamed")
    sealed.run(*PRUNING, check=0)
    assert "a/b/renamed.phalanx" in copies(sealed) and "a/b/five.phalanx" not in copies(sealed)


def test_a_folder_that_was_renamed_leaves_none_behind(sealed):
    """Nothing else shows that the folder that it was in is the same."""
    put(sealed, "src/c/d/six", b"six")
    sealed.run(*PRUNING, check=0)
    (sealed.folder / "src/c/d").rename(sealed.folder / "src/renamed")
    sealed.run(*PRUNING, check=0)
    assert not (sealed.folder / "bk/c/d").exists()
    assert_same_tree(sealed)


def test_an_emptied_folder_is_kept_as_a_whole(sealed):
    before = copies(sealed)
    for path in (sealed.folder / "src").iterdir():
        path.unlink() if path.is_file() else shutil.rmtree(path)
    told(sealed, 7, "bk: kept: 2 containers: of what was recorded in src")
    assert copies(sealed) == before


def test_the_nights_of_another_disk_prove_nothing(sealed):
    """Its files lie in the same folder, night after night; then the first ones are there again."""
    first = sealed.folder / "first"
    first.mkdir()

    def swap_in(folder):
        (sealed.folder / "src/a").rename(sealed.folder / "out")
        folder.rename(sealed.folder / "src/a")
        return sealed.folder / "out"

    put(sealed, "second/ten", b"ten")
    put(sealed, "second/eleven", b"eleven")
    out = swap_in(sealed.folder / "second")
    out.rename(first)
    everything = set(copies(sealed)) | {"a/ten.phalanx", "a/eleven.phalanx"}
    told(sealed, 7, "bk/a: kept: 2 containers")
    (sealed.folder / "src/a/ten").unlink()
    sealed.run(*PRUNING, check=0)
    everything -= {"a/ten.phalanx"}
    assert set(copies(sealed)) == everything, "what the second night has seen of this disk shows it for its own files"
    second = sealed.folder / "second"
    swap_in(first).rename(second)
    told(sealed, 7, "bk/a/eleven.phalanx: kept: ")
    assert set(copies(sealed)) == everything
    (sealed.folder / "src/a/three").unlink()
    sealed.run(*PRUNING, check=0)
    assert set(copies(sealed)) == everything - {"a/three.phalanx"}


def test_nor_does_a_night_in_which_a_file_failed(sealed, faults):
    """It has seen that the files of the first disk were not there."""
    put(sealed, "second/ten", b"ten")
    (sealed.folder / "src/a").rename(sealed.folder / "first")
    (sealed.folder / "second").rename(sealed.folder / "src/a")
    put(sealed, "src/new", b"new")
    assert sealed.run(*PRUNING, env=faults("pread:new@every=EIO")).returncode == 1
    (sealed.folder / "src/a").rename(sealed.folder / "second")
    (sealed.folder / "first").rename(sealed.folder / "src/a")
    told(sealed, 7, "bk/a/ten.phalanx: kept: ")


def test_another_name_of_before_is_no_renaming(sealed):
    """As in a snapshot that lies below the folder: it has an earlier state of the file."""
    os.link(sealed.folder / "src/a/b/five", sealed.folder / "src/snapshot")
    sealed.run(*PRUNING, check=0)
    (sealed.folder / "src/a/b/five").unlink()
    told(sealed, 7, "bk/a/b/five.phalanx: kept: of what was recorded in src/a/b")


@pytest.mark.parametrize("what", ["made anew", "moved", "restored"])
def test_another_folder_is_taken_where_the_user_says_so(sealed, what):
    """As after a restore: what was gone meanwhile is kept, since nothing shows that it was not on the old disk alone."""
    source = sealed.folder / "src"
    if what == "moved":
        source.rename(sealed.folder / "old")
        shutil.copytree(sealed.folder / "old", source)
    elif what == "restored":
        shutil.rmtree(source)
        sealed.run("decrypt", "--each", *KEY, "bk", "--to-tree", "src", check=0)
    else:
        shutil.copytree(source, sealed.folder / "copy")
        shutil.rmtree(source)
        (sealed.folder / "copy").rename(source)
    (source / "one").unlink()
    before = copies(sealed)
    done = sealed.run(*PRUNING)
    assert done.returncode == 7 and b"bk/one.phalanx: kept: a run over " in done.stderr and b"give --renew-tree" in done.stderr
    assert copies(sealed) == before
    if what != "moved":
        return
    sealed.write("bk/.phalanx-tree", b"phalanx tree 2\n")
    sealed.run(*NIGHTLY, check=0)


def test_renewing_keeps_the_names(sealed):
    shutil.rmtree(sealed.folder / "src/a")
    shutil.copytree(sealed.folder / "src", sealed.folder / "copy")
    shutil.rmtree(sealed.folder / "src")
    (sealed.folder / "copy").rename(sealed.folder / "src")
    told(sealed, 7, "bk/a: kept: ", options=["--renew-tree"])
    assert "a/three.phalanx" in copies(sealed) and sum(line.startswith("folder ") for line in record_of(sealed)) < 4
    sealed.run(*PRUNING, "--prune-also", "emptied", check=0)
    assert copies(sealed) == ["one.phalanx", "two.phalanx"]


MOUNTED = 'mount -t tmpfs one src/disk; for i in 1 2 3; do echo "only copy $i" > src/disk/f$i; done; $N || exit 1; '
GONE = {
    "not mounted": "umount src/disk; ",
    "another disk": "umount src/disk; mount -t tmpfs two src/disk; echo other > src/disk/other; echo '1' > src/disk/f9; ",
    "removed with its folder": "umount src/disk; rmdir src/disk; ",
}  # fmt: skip


@pytest.mark.parametrize("what", GONE)
def test_another_disk_at_a_mount_point_takes_nothing(sealed, what):
    (sealed.folder / "src/disk").mkdir()
    done = in_mounts(sealed, MOUNTED + GONE[what] + "$N; echo $?; $N; echo $?; cat src/disk/*; $N --prune-also mount:disk; echo $?")
    lines = done.stdout.decode().split()
    assert lines[:2] == ["7", "0"], (done.stdout, done.stderr)
    assert b"bk/disk: kept: 3 containers: src/disk was a mount point" in done.stderr and b"--prune-also mount:disk" in done.stderr
    assert not {f"disk/f{number}.phalanx" for number in (1, 2, 3)} & set(copies(sealed)), "the user said that they may go"
    assert b"bk/disk/f1.phalanx: removed" in done.stderr


def test_a_folder_of_the_same_disk_that_is_mounted_is_a_mount_point(sealed):
    """st_dev does not show it."""
    put(sealed, "elsewhere/f1", b"only copy")
    (sealed.folder / "src/disk").mkdir()
    done = in_mounts(sealed, "mount --bind elsewhere src/disk; $N || exit 1; umount src/disk; rmdir src/disk; $N; echo $?")
    assert done.stdout.split()[-1] == b"7" and b"disk/f1.phalanx: kept: src/disk was a mount point" in done.stderr, done.stderr
    assert "disk/f1.phalanx" in copies(sealed)


@pytest.mark.skipif(not shutil.which("tune2fs"), reason="there is no tune2fs to make another number of a file system")
def test_a_snapshot_of_the_same_disk_is_the_same(sealed):
    """It has another device and another number; so has each night's that is taken of btrfs or LVM."""
    script = (
        "truncate -s 16M disk && mkfs.ext4 -q -F disk 2>mkfs.log && mkdir snap && mount -o loop disk snap || exit 99; "
        "mkdir snap/a; for i in 1 2 3; do echo $i >snap/a/f$i; done; M=\"$P encrypt --each --key-file key snap --to-tree nights --update --prune\"; "
        "$M || exit 1; rm snap/a/f1; umount snap; cp disk later && e2fsck -fp later && tune2fs -U random later && mount -o loop later snap || exit 99; "
        "$M; echo $?; umount snap"
    )  # fmt: skip
    done = in_mounts(sealed, script)
    assert done.stdout.split()[-1] == b"0" and b"nights/a/f1.phalanx: removed" in done.stderr, (done.stdout, done.stderr)


def test_mounts_are_recorded_without_prune_too(sealed):
    (sealed.folder / "src/disk").mkdir()
    night = MOUNTED.replace("$N", f"{PROGRAM} {' '.join(NIGHTLY)}")
    done = in_mounts(sealed, night + "umount src/disk; rmdir src/disk; $N; echo $?")
    assert done.stdout.split()[-1] == b"7" and "disk/f1.phalanx" in copies(sealed), done.stderr


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


def test_what_stands_in_the_way_is_told_without_prune(sealed):
    make_a_folder_of_a_file_and_the_reverse(sealed)
    text, _ = told(sealed, 7, "bk/one.phalanx: kept: src/one is a folder now", "bk/a: kept: 2 containers: src/a is a file now", command=NIGHTLY)
    assert "one.phalanx" in copies(sealed)
    sealed.run(*PRUNING, check=0)
    assert_same_tree(sealed)


# --- The record itself


def test_dry_run_says_what_a_night_does_and_writes_nothing(sealed):
    put(sealed, "src/new", b"new")
    (sealed.folder / "src/one").unlink()
    (sealed.folder / "src/a/b/five").unlink()
    (sealed.folder / "src/a/b/empty").mkdir()
    (sealed.folder / "src/two").chmod(0o600)
    before = {path: (path.stat().st_mtime_ns, path.stat().st_mode) for path in sealed.folder.rglob("*")}
    done = sealed.run(*PRUNING, "--dry-run")
    text = done.stderr.decode()
    assert done.returncode == 7, text
    for line in ("src/new: would be encrypted", "bk/one.phalanx: would be removed: its file is gone", "bk/a/b/five.phalanx: kept: "):
        assert line in text, text
    assert "1 to encrypt, 3 unchanged, 0 failed, 0 skipped, 1 to remove, 1 kept" in text
    assert {path: (path.stat().st_mtime_ns, path.stat().st_mode) for path in sealed.folder.rglob("*")} == before
    assert sealed.run(*PRUNING, "--dry-run").stderr == done.stderr
    sealed.assert_refused(sealed.run(*NIGHTLY[:-1], "--update=content", "--dry-run"), 2, "leave --update=content out")
    shutil.rmtree(sealed.folder / "bk")
    sealed.assert_refused(sealed.run(*PRUNING, "--dry-run"), 2, "every file would be sealed")
    assert not (sealed.folder / "bk").exists()


def test_a_dry_run_makes_no_folder(sealed):
    put(sealed, "src/new/deep/six", b"six")
    before = contents(sealed)
    done = sealed.run(*PRUNING, "--dry-run", check=0)
    assert b"src/new/deep/six: would be encrypted" in done.stderr and b"1 to encrypt, 5 unchanged, 0 failed" in done.stderr, done.stderr
    assert contents(sealed) == before and not (sealed.folder / "bk/new").exists()


def test_expect_tree_ends_where_the_disk_of_the_copies_is_missing(sealed):
    sealed.run(*PRUNING, "--expect-tree", check=0)
    (sealed.folder / "bk").rename(sealed.folder / "away")
    for make in (lambda: None, (sealed.folder / "bk").mkdir):
        make()
        sealed.assert_refused(sealed.run(*PRUNING, "--expect-tree"), 2, "bk has no .phalanx-tree, and --expect-tree is given")
    assert list((sealed.folder / "bk").iterdir()) == []


def test_an_index_of_a_folder_that_has_none_of_its_containers_ends_the_run(sealed):
    sealed.write("secret", random_bytes(32, 3))
    index = ["--index", "index", "--index-key-file", "secret"]
    sealed.run(*PRUNING, *index, check=0)
    before = sealed.read("index")
    (sealed.folder / "bk").rename(sealed.folder / "away")
    sealed.assert_refused(sealed.run(*PRUNING, *index), 2, "none of the containers that index names")
    assert not (sealed.folder / "bk").exists() and sealed.read("index") == before


def test_an_index_forgets_nothing_of_a_folder_that_is_not_the_same(sealed):
    """Who removes a copy while the files are not there to make it anew is found."""
    sealed.write("secret", random_bytes(32, 3))
    index = ["--index", "index", "--index-key-file", "secret"]
    sealed.run(*PRUNING, *index, check=0)
    for name in ("three", "four"):
        (sealed.folder / "src/a" / name).unlink()
    shutil.rmtree(sealed.folder / "src/a/b")
    (sealed.folder / "bk/a/three.phalanx").unlink()
    told(sealed, 7, "bk/a/four.phalanx: kept: ", options=index)
    done = sealed.run("verify", *index, "bk")
    assert done.returncode == 3 and b"bk/a/three.phalanx: removed" in done.stderr, done.stderr
    sealed.run(*PRUNING, *index, "--prune-also", "emptied", check=0)
    sealed.run("verify", *index, "--strict", "bk", check=0)
    (sealed.folder / "src/one").unlink()
    (sealed.folder / "bk/one.phalanx").unlink()
    sealed.run(*PRUNING, *index, check=0)
    sealed.run("verify", *index, "--strict", "bk", check=0)


def test_a_record_that_is_damaged_or_none_is_moved_away_by_the_user(sealed):
    right = sealed.read("bk/.phalanx-tree")
    sealed.run(*PRUNING, check=0)
    assert sealed.read("bk/.phalanx-tree") == right, "a night without a change appends nothing"
    (sealed.folder / "src/one").unlink()
    for damaged in (b"my notes\n", right.replace(b"file two", b"file owt") + b"run 2 0\n", right * 3, right.replace(b"tree 2", b"tree 9"), right + bytes(1 << 17)):
        sealed.write("bk/.phalanx-tree", damaged)
        done = sealed.run(*PRUNING)
        assert done.returncode == 2 and b"move it away" in done.stderr, done.stderr
        assert sealed.read("bk/.phalanx-tree") == damaged and "one.phalanx" in copies(sealed)
    for cut in range(0, len(right), 7):  # as a kill leaves it: what it does not name is adopted, or kept
        sealed.write("bk/.phalanx-tree", right[:cut])
        done = sealed.run(*PRUNING)
        assert done.returncode in (2, 7) and "one.phalanx" in copies(sealed), (cut, done.stderr)


def test_a_record_that_leads_out_of_the_folder_is_damaged(sealed):
    put(sealed, "outside.phalanx", sealed.read("bk/one.phalanx"))
    for name in ("../outside", "a/../../outside", "/outside", "a//three", ".", "%00"):
        right = sealed.read("bk/.phalanx-tree")
        write_record(sealed, [*record_of(sealed), f"file {name} 3 1.000000000 5 - 1"])
        done = sealed.run(*PRUNING, "--prune-also", "emptied")
        assert done.returncode == 2 and b"move it away" in done.stderr, (name, done.stderr)
        sealed.write("bk/.phalanx-tree", right)
    assert (sealed.folder / "outside.phalanx").exists()


def test_two_runs_at_once_do_not_share_a_record(sealed):
    (sealed.folder / "src/one").unlink()
    with open(sealed.folder / "bk/.phalanx-tree", "rb") as record:
        subprocess.run(["flock", "-n", "-x", str(record.fileno())], pass_fds=[record.fileno()], check=True)
        done = sealed.run(*PRUNING)
        assert done.returncode == 2 and b".phalanx-tree is in use" in done.stderr
    sealed.run(*PRUNING, check=0)
    assert "one.phalanx" not in copies(sealed)


def test_a_kill_at_every_call_on_the_record_loses_nothing(sealed, faults):
    """Whatever it leaves of the record, the next night has the same copies and removes the same."""
    before = contents(sealed)
    changed = ["bk/.phalanx-tree", "src/new", "src/one"]
    for number in range(1, 40):
        for what in ("kill", "tear", "kill-after"):
            put(sealed, "src/new", b"new")
            (sealed.folder / "src/one").unlink()
            done = sealed.run(*PRUNING, env=faults(f"change:.phalanx-tree@{number}={what}"))
            sealed.run(*PRUNING, check=0)
            assert "one.phalanx" not in copies(sealed) and "new.phalanx" in copies(sealed), (number, what)
            (sealed.folder / "src/new").unlink()
            put(sealed, "src/one", b"one")
            sealed.run(*PRUNING, check=0)
            assert "new.phalanx" not in copies(sealed), (number, what)
        if done.returncode == 0:
            break
    assert number > 2 and {str(name) for name in contents(sealed)} == {str(name) for name in before} | set(changed[:1]) - set(changed[1:2])


@pytest.mark.skipif(not os.path.isdir("/dev/shm"), reason="there is no file system in memory, where thousands of files are sealed at once")
def test_the_record_does_not_grow_without_end():
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        files = Phalanx(Path(folder))
        files.write("key", random_bytes(32))
        largest = 0
        for number in range(6):
            for name in range(400):
                put(files, f"src/many/{name}", b"x", OLD_TIME + number)
            files.run(*PRUNING, check=0)
            largest = max(largest, len(record_of(files)))
        assert 1200 < largest < 2 * 410 + 1000 + 410


def test_names_of_any_bytes_are_recorded(sealed):
    for name in (b"with space", b"line\nend", b"percent%41", b"latin\xff", "snow\u2603".encode(), b"%"):
        (sealed.folder / "src" / os.fsdecode(name)).write_bytes(name)
    sealed.run(*PRUNING, check=0)
    for name in (b"with space", b"line\nend", b"percent%41", b"latin\xff", "snow\u2603".encode(), b"%"):
        (sealed.folder / "src" / os.fsdecode(name)).unlink()
    sealed.run(*PRUNING, check=0)
    assert copies(sealed) == ["a/b/five.phalanx", "a/four.phalanx", "a/three.phalanx", "one.phalanx", "two.phalanx"]


@pytest.mark.parametrize("command, words", [
    ("--prune-also emptied", "--prune-also goes with --prune"), ("--prune --prune-also all", "--prune-also is emptied, unrecorded, or mount:"),
    ("--prune --prune-also mount:", "--prune-also is emptied"), ("--prune --prune-also mount:a", "no mount point a is recorded of src"),
])  # fmt: skip
def test_what_does_not_fit(sealed, command, words):
    done = sealed.run(*NIGHTLY, *command.split())
    assert done.returncode == 2 and words.encode() in done.stderr, done.stderr
    assert Path(sealed.folder / "bk/one.phalanx").exists()


# --- Times


@pytest.mark.skipif(not shutil.which("mkfs.ext4"), reason="there is no mkfs.ext4 to make a file system of whole seconds")
def test_a_target_that_keeps_whole_seconds_is_not_sealed_anew_every_night(sealed):
    """A file of another second, or of another size, still is; a change within one second is what is said not to be seen."""
    script = (
        "truncate -s 16M img && mkfs.ext4 -q -F -I 128 img 2>mkfs.log && mkdir m && mount -o loop img m || exit 99; "
        "M=\"$P encrypt --each --key-file key src --to-tree m/bk --update\"; $M; $M; $M --dry-run; touch -d '2020-01-02 03:04:05.6' src/one; $M; "
        "echo x >>src/two; touch -r src/one src/two; $M; touch -d '2020-01-02 03:04:06.6' src/one; $M; umount m"
    )  # fmt: skip
    lines = [line for line in in_mounts(sealed, script).stderr.decode().splitlines() if "unchanged," in line]
    counts = [tuple(int(word) for word in line.split() if word.isdigit())[:2] for line in lines]
    assert counts == [(5, 0), (0, 5), (0, 5), (1, 4), (1, 4), (1, 4)], lines


def test_where_times_are_kept_whole_the_last_nanosecond_counts(sealed):
    put(sealed, "src/one", b"one", OLD_TIME)
    sealed.run(*NIGHTLY, check=0)
    put(sealed, "src/one", b"two", OLD_TIME - 1)
    assert b"1 encrypted, 4 unchanged" in sealed.run(*NIGHTLY, check=0).stderr
    put(sealed, "src/one", b"one", OLD_TIME - OLD_TIME % 10**9)
    assert b"1 encrypted, 4 unchanged" in sealed.run(*NIGHTLY, check=0).stderr
