"""What shows `encrypt --each --prune` that a folder is the same as before: files of it that stay, and where disks are mounted."""

import os
import shutil

import pytest
from conftest import KEY, PROGRAM
from pruned_trees import NIGHTLY, PRUNING, assert_same_tree, copies, in_mounts, put, record_of, sealed, told  # noqa: F401


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


def test_renewing_keeps_what_was_gone_though_files_were_moved(sealed):
    """Moved files keep inode and birth, and yet show nothing of those that were not moved with them."""
    (sealed.folder / "new").mkdir()
    (sealed.folder / "src/one").rename(sealed.folder / "new/one")
    moved = [word.replace("src", "new") for word in PRUNING]
    text, _ = told(sealed, 7, "bk/two.phalanx: kept: ", command=moved, options=["--renew-tree"])
    assert "two.phalanx" in copies(sealed) and "a/three.phalanx" in copies(sealed)
    (sealed.folder / "new/one").rename(sealed.folder / "new/else")
    sealed.run(*moved, check=0)
    assert "one.phalanx" not in copies(sealed) and "two.phalanx" in copies(sealed)


def other(sealed, name="other"):
    """Another folder, that has a file of the same name."""
    put(sealed, f"{name}/one", b"another one")
    put(sealed, f"{name}/six", b"six")
    return [word.replace("src", name) for word in NIGHTLY]


def test_a_file_of_another_folder_is_not_sealed_over_one_of_the_same_name(sealed):
    command = other(sealed)
    for options in ([], ["--prune"], []):
        done = sealed.run(*command, *options)
        assert done.returncode == 2 and b"bk/one.phalanx is of a file of " in done.stderr and b"--renew-tree" in done.stderr
        assert sealed.run("decrypt", *KEY, "bk/one.phalanx", check=0).stdout == b"one" and "six.phalanx" in copies(sealed)
    sealed.run(*PRUNING, check=7)  # that the other's are kept is told
    (sealed.folder / "src").rename(sealed.folder / "away")
    (sealed.folder / "other").rename(sealed.folder / "src")
    assert sealed.run(*PRUNING).returncode == 2
    assert sealed.run("decrypt", *KEY, "bk/one.phalanx", check=0).stdout == b"one"


def test_but_where_the_user_says_that_it_is_the_same(sealed):
    command = other(sealed)
    sealed.run(*command, "--renew-tree", check=0)
    assert sealed.run("decrypt", *KEY, "bk/one.phalanx", check=0).stdout == b"another one"


def test_nor_where_a_file_shows_that_it_is_the_same(sealed):
    """As after a restore, or where a file system numbers its files anew each time."""
    shutil.copytree(sealed.folder / "src", sealed.folder / "copy")
    shutil.rmtree(sealed.folder / "src")
    (sealed.folder / "copy").rename(sealed.folder / "src")
    (sealed.folder / "src/one").write_bytes(b"changed")
    sealed.run(*PRUNING, check=0)
    assert sealed.run("decrypt", *KEY, "bk/one.phalanx", check=0).stdout == b"changed"


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


def test_the_copies_themselves_mounted_in_the_folder_are_refused(sealed):
    (sealed.folder / "src/a/copies").mkdir()
    done = in_mounts(sealed, "mount --bind bk src/a/copies; $N; echo $?")
    assert done.stdout.split() == [b"2"] and b"lies in the other, or both are one" in done.stderr


@pytest.mark.parametrize("dry", ["", "--dry-run"])
def test_the_containers_of_a_migration_mounted_in_the_old_folder_are_refused(sealed, dry):
    (sealed.folder / "src/a/copies").mkdir()
    migrate = f"$P migrate {dry} --manifest M --from-tree src --to-tree bk --from-auto --from-cipher des3 --from-passphrase-file key --key-file key"
    done = in_mounts(sealed, f"mount --bind bk src/a/copies; {migrate}; echo $?")
    assert done.stdout.split() == [b"2"] and b"lies in the other, or both are one" in done.stderr


def test_a_folder_that_went_back_to_an_earlier_state_loses_no_container(sealed):
    """A snapshot has the inodes and the births of what it was made of, and the times of then."""
    script = """mkdir disk && truncate -s 32M image && mkfs.ext4 -q -I 256 image && mount -o loop image disk || exit 99
    mkdir disk/src && echo old > disk/src/old && mkdir disk/src/a && echo old > disk/src/a/old && umount disk && cp image snapshot
    mount -o loop image disk && sleep 0.1 && echo new > disk/src/new && echo new > disk/src/a/new && rm disk/src/a/old
    N="$P encrypt --each --key-file key --update --prune disk/src --to-tree copies"; $N || exit 1
    umount disk && mount -o loop snapshot disk && $N; echo $?; touch disk/src/late; $N; echo $?; rm disk/src/late; $N; echo $?
    find copies -name new.phalanx; find copies -name late.phalanx"""
    if not shutil.which("mkfs.ext4"):
        pytest.skip("there is no mkfs.ext4 to make a snapshot of")
    done = in_mounts(sealed, script)
    assert done.stdout.split()[:3] == [b"7", b"0", b"0"], done
    assert sorted(done.stdout.split()[3:]) == [b"copies/a/new.phalanx", b"copies/new.phalanx"], done


def test_a_mount_point_in_another_one_is_a_wall_of_its_own(sealed):
    for name in ("src/disk/in", "one/in", "two"):
        (sealed.folder / name).mkdir(parents=True)
    put(sealed, "one/f1", b"1")
    put(sealed, "two/f2", b"2")
    script = "mount --bind one src/disk; mount --bind two src/disk/in; $N || exit 1; umount src/disk/in; $N; umount src/disk; $N; "
    in_mounts(sealed, script + "$N --prune-also mount:disk")
    assert "disk/f1.phalanx" not in copies(sealed) and "disk/in/f2.phalanx" in copies(sealed)
    sealed.run(*PRUNING, "--prune-also", "mount:disk/in", check=0)
    assert "disk/in/f2.phalanx" not in copies(sealed)


def test_a_file_that_is_moved_while_files_are_listed_keeps_its_container(sealed, faults):
    """From a folder that is listed later to one that was listed."""
    for number in range(10):
        put(sealed, f"src/box{number}/mail", f"of box {number}".encode())
        put(sealed, f"src/box{number}/stays")
    sealed.run(*PRUNING, check=0)
    order = [name for name in os.listdir(sealed.folder / "src") if name.startswith("box")]
    first, last = order[0], order[-1]
    move = f"mv {sealed.folder}/src/{last}/mail {sealed.folder}/src/{first}/moved"
    done = sealed.run(*PRUNING, env=faults(f"open:{last}@1=run", actor=move))
    assert done.returncode == 7 and b"its file has another name now, and was not sealed" in done.stderr, done.stderr
    assert f"{last}/mail.phalanx" in copies(sealed)
    sealed.run(*PRUNING, check=0)
    assert f"{last}/mail.phalanx" not in copies(sealed) and f"{first}/moved.phalanx" in copies(sealed)


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
