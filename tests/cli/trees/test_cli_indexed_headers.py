"""The index of a folder covers the headers of its containers: who can open them, and that somebody can."""

import hashlib
import os
import shutil

import pytest
from conftest import KEY, OLD, TREE, openssl
from indexed_trees import AUTHENTICATORS, generations_of, index_files, put, read_index, told_by, verify, write

NAMES = ("a/four", "a/three", "one", "two")
RELEASE = os.path.join(os.path.dirname(__file__), "../../vectors/releases/0.1.0_c23ce47b")


@pytest.fixture(params=AUTHENTICATORS)
def how(request):
    return AUTHENTICATORS[request.param]


@pytest.fixture
def tree(phalanx):
    index_files(phalanx)
    for name in NAMES:
        put(phalanx, f"src/{name}", name.encode() * 100)
    for name in ("key2", "key3"):
        phalanx.run("keygen", name, check=0)
    return phalanx


SECRET = AUTHENTICATORS["secret"]
REPLACED = ("--remove-key-file", "key2", "--add-key-file", "key3")
WITH_BOTH = ("--key-file", "key2")


def change(tree, action, *options, **settings):
    return tree.run("recipients", action, "--each", *KEY, *options, "bk", **settings)


def index_to_change(how):
    return tuple(word for word in how.write if word != "--index-digest")


def wipe_wrapped_key(path):
    """Nobody opens it any more; size and time stay."""
    times = path.stat()
    with open(path, "r+b") as file:
        file.seek(30)
        file.write(b"\xff" * 60)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def put_back(saved, path):
    times = path.stat()
    shutil.copy(saved, path)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def test_a_header_that_nobody_opens_is_told_and_sealed_anew(tree, how):
    write(tree, how, check=0)
    wipe_wrapped_key(tree.folder / "bk/two.phalanx")
    changed = {"two": "body right, header changed since generation 1"}
    assert told_by(verify(tree, how, check=7)) == changed
    done = verify(tree, how, "--strict", check=3)
    assert told_by(done) == changed and b"1 with a changed header" in done.stderr
    done = verify(tree, how, *KEY)
    assert done.returncode in (3, 4) and told_by(done)["two"].startswith("its header was changed since generation 1: ")
    assert b"0 encrypted, 4 unchanged" in tree.run("encrypt", "--each", *KEY, "src", "--to-tree", "bk", "--update", check=0).stderr
    assert b"1 encrypted, 3 unchanged" in write(tree, how, check=0).stderr
    assert tree.run("decrypt", *KEY, "bk/two.phalanx", check=0).stdout == b"two" * 100
    verify(tree, how, "--strict", *KEY, check=0)


def test_recipients_append_their_headers_to_the_index(tree, how):
    write(tree, how, *WITH_BOTH, check=0)
    entries = generations_of(tree, how)[-1].tree
    done = change(tree, "replace", *REPLACED, *index_to_change(how), check=0)
    assert done.stdout.startswith(b"index: generation 2, digest ")
    renewed = generations_of(tree, how)[-1].tree
    for name in NAMES:
        name = f"{name}.phalanx".encode()
        assert renewed[name].header != entries[name].header and renewed[name].sha256 == entries[name].sha256
        content = tree.read(f"bk/{name.decode()}")
        assert renewed[name].header == hashlib.sha256(content[: content.index(renewed[name].salt)]).digest()
    verify(tree, how, "--strict", check=0)
    verify(tree, how, "--strict", "--key-file", "key3", check=0)
    assert b"0 encrypted, 4 unchanged" in write(tree, how, *WITH_BOTH, check=0).stderr


def test_recipients_without_the_index_make_headers_that_are_told_once(tree, how):
    write(tree, how, check=0)
    change(tree, "add", "--add-key-file", "key2", check=0)
    assert told_by(verify(tree, how, check=7)) == dict.fromkeys(NAMES, "body right, header changed since generation 1")
    verify(tree, how, "--key-file", "key2", check=7)
    done = write(tree, how, check=7)
    assert done.stderr.count(b"its header was changed without the index: it opened, and is in the index from now on") == 4
    assert b"0 encrypted, 4 unchanged" in done.stderr
    write(tree, how, check=0)
    verify(tree, how, "--strict", check=0)
    tree.run("decrypt", "--key-file", "key2", "bk/one.phalanx", check=0)


def test_since_when_is_the_generation_that_gave_the_header(tree):
    write(tree, SECRET, check=0)
    put(tree, "src/one", b"another")
    write(tree, SECRET, check=0)
    write(tree, SECRET, check=0)
    change(tree, "add", "--add-key-file", "key2", check=0)
    told = told_by(verify(tree, SECRET, check=7))
    assert told["one"].endswith("since generation 2") and told["two"].endswith("since generation 1")


def test_a_header_from_before_a_removal_that_is_put_back_lets_nobody_in(tree, how):
    write(tree, how, *WITH_BOTH, check=0)
    path, saved = tree.folder / "bk/one.phalanx", tree.folder / "saved"
    shutil.copy(path, saved)
    change(tree, "replace", *REPLACED, *index_to_change(how), check=0)
    assert tree.run("decrypt", *WITH_BOTH, path).returncode == 4
    put_back(saved, path)
    tree.run("decrypt", *WITH_BOTH, path, check=0)
    came_back = {"one": "body right, and the header of generation 1 was put back: who was removed since may open it again"}
    for secrets in ((), KEY):
        done = verify(tree, how, *secrets, check=3)
        assert told_by(done) == came_back and b"3 as the index has them" in done.stderr and b"1 wrong" in done.stderr
    done = change(tree, "add", "--add-key-file", "key2", *index_to_change(how), check=3)
    assert b"bk/one.phalanx: its header is of an earlier generation of the index" in done.stderr
    tree.run("encrypt", "--each", *KEY, "src", "--to-tree", "bk", *how.write, check=7)  # without --update nothing is replaced
    assert path.read_bytes() == saved.read_bytes()
    done = write(tree, how, check=7)  # also since it is for others than the first night
    assert b"one.phalanx: a header of an earlier generation was put back" in done.stderr and b"1 encrypted" in done.stderr
    assert tree.run("decrypt", *WITH_BOTH, path).returncode == 4
    write(tree, how, "--update-recipients", check=0)


def test_an_older_container_of_the_same_content_is_not_taken_in_again(tree):
    """The file is as it was before, so what was sealed of it then opens to what it holds."""
    write(tree, SECRET, *WITH_BOTH, check=0)
    path, saved, before = tree.folder / "bk/one.phalanx", tree.folder / "saved", (tree.folder / "src/one").stat()
    shutil.copy2(path, saved)
    put(tree, "src/one", b"another")
    write(tree, SECRET, "--update-recipients", check=0)
    put(tree, "src/one", b"one" * 100)
    os.utime(tree.folder / "src/one", ns=(before.st_atime_ns, before.st_mtime_ns))
    shutil.copy2(saved, path)
    assert b"1 encrypted, 3 unchanged" in write(tree, SECRET, check=7).stderr
    assert tree.run("decrypt", *WITH_BOTH, path).returncode == 4


def test_a_change_that_was_stopped_is_taken_in_by_the_next_one(tree, faults, how):
    write(tree, how, *WITH_BOTH, check=0)
    killed = change(tree, "replace", *REPLACED, *index_to_change(how), env=faults("change@30=kill"))
    assert killed.returncode < 0
    done = change(tree, "replace", *REPLACED, *index_to_change(how))
    assert done.returncode in (0, 7) and b"generation 2" in done.stdout
    verify(tree, how, "--strict", *KEY, check=0)
    verify(tree, how, "--strict", "--key-file", "key3", check=0)


def test_what_the_index_does_not_have_is_changed_and_stays_out_of_it(tree, how):
    write(tree, how, check=0)
    tree.run("encrypt", *KEY, "src/one", "bk/more.phalanx", check=0)
    (tree.folder / "bk/two.phalanx").rename(tree.folder / "aside")
    (tree.folder / "bk/one.phalanx").rename(tree.folder / "bk/two.phalanx")
    (tree.folder / "aside").rename(tree.folder / "bk/one.phalanx")
    before = tree.read("bk/one.phalanx"), tree.read("bk/two.phalanx")
    done = change(tree, "add", "--add-key-file", "key2", *index_to_change(how), check=3)
    assert done.stderr.count(b"it is not the container that the index has for its name") == 2
    assert b"not in it, and not taken in: 1 of the containers" in done.stderr
    assert (tree.read("bk/one.phalanx"), tree.read("bk/two.phalanx")) == before
    tree.run("decrypt", "--key-file", "key2", "bk/more.phalanx", check=0)
    assert told_by(verify(tree, how, check=3)).keys() == {"one", "two", "more"}


def test_an_index_with_recipients_is_of_one_folder(tree):
    write(tree, SECRET, check=0)
    add = ["recipients", "add", *KEY, "--add-key-file", "key2"]
    tree.assert_refused(tree.run(*add, "bk/one.phalanx", *SECRET.write), 2, "--index goes with --each FOLDER")
    tree.assert_refused(tree.run(*add, "--each", "bk", "src", *SECRET.write), 2, "--index is of one folder")
    tree.assert_refused(tree.run(*add, "--each", "bk", "--index", "index"), 2, "--index needs one of")
    tree.assert_refused(tree.run(*add, "--each", "bk", *SECRET.write, "--at-least", "2"), 3, "generation 1")
    assert tree.run("decrypt", "--key-file", "key2", "bk/one.phalanx").returncode == 4


def test_headers_of_migrated_containers_are_covered(phalanx):
    index_files(phalanx)
    phalanx.write("pass", b"open sesame\n")
    for name in ("one", "two"):
        text = f"a text of {name}\n".encode() * 20
        put(phalanx, f"old/{name}", openssl("enc", "-des3", "-md", "sha256", "-pass", "file:pass", stdin=text, cwd=phalanx.folder))
    run = [*TREE, *OLD, *KEY, *SECRET.write]
    phalanx.run(*run, "--delete-source", check=0)
    wipe_wrapped_key(phalanx.folder / "new/one.phalanx")
    assert b"1 that the manifest has are gone, do not open, or are not" in phalanx.run(*run).stderr
    phalanx.run("verify", "new", *SECRET.verify, check=7)
    phalanx.run("keygen", "key2", check=0)
    phalanx.run("recipients", "add", *KEY, "--add-key-file", "key2", "new/two.phalanx", check=0)
    done = phalanx.run(*run, "--key-file", "key2", check=3)  # for the one that does not open
    assert b"two.phalanx: its header was changed without the index: it opened" in done.stderr
    told = told_by(phalanx.run("verify", "new", *SECRET.verify, check=7), "new")
    assert told == {"one": "body right, header changed since generation 1"}


def test_an_index_of_before_is_read_and_what_it_cannot_show_is_said(phalanx):
    """What the program of version 0.1.0 wrote: without headers."""
    for name in ("tree", "keys"):
        shutil.copytree(os.path.join(RELEASE, name), phalanx.folder / name)
    os.chmod(phalanx.folder / "keys/key", 0o600)
    os.chmod(phalanx.folder / "keys/index_key", 0o600)
    folder = next(path for path in (phalanx.folder / "tree").iterdir() if path.is_dir())
    index, key = ["--index", "tree/index", "--index-key-file", "keys/index_key"], ["--key-file", "keys/key"]
    silent = b"it says nothing of"
    done = phalanx.run("verify", folder, *index, check=0)
    assert silent in done.stderr
    phalanx.run("keygen", "key2", check=0)
    done = phalanx.run("recipients", "add", "--each", *key, "--add-key-file", "key2", folder, *index, check=0)
    assert silent not in done.stderr and b"generation 3" in done.stdout
    done = phalanx.run("verify", folder, *index, *key, "--strict", check=0)
    assert silent not in done.stderr
    generations, _ = read_index.read_index(phalanx.read("tree/index"), read_index.Secret(phalanx.read("keys/index_key")))
    assert [generation.version for generation in generations] == [1, 1, 2]


@pytest.mark.parametrize("damaged", [False, True], ids=["right", "damaged"])
def test_a_night_puts_the_headers_into_an_index_of_before(phalanx, damaged):
    """Where a key of the night opens them; one that it does not open stays out, and is told by the wish of the folder."""
    for name in ("tree", "keys"):
        shutil.copytree(os.path.join(RELEASE, name), phalanx.folder / name)
    for name in ("key", "index_key"):
        os.chmod(phalanx.folder / "keys" / name, 0o600)
    index, key = ["--index", "tree/index", "--index-key-file", "keys/index_key"], ["--key-file", "keys/key"]
    phalanx.run("decrypt", "--each", *key, "tree/DIR", "--to-tree", "src", check=0)
    containers = sorted(path for path in (phalanx.folder / "tree/DIR").rglob("*.phalanx"))
    if damaged:
        wipe_wrapped_key(containers[0])
    run = ["encrypt", "--each", *key, "src", "--to-tree", "tree/DIR", "--update", *index]
    done = phalanx.run(*run)
    if not damaged:
        assert done.returncode == 0 and b"0 encrypted" in done.stderr and b"it says nothing of" not in done.stderr
    phalanx.run(*run, *(["--update-recipients"] if damaged else []), check=0)
    phalanx.run("verify", "tree/DIR", *index, *key, "--strict", check=0)


def test_an_index_that_a_hole_makes_longer_is_refused_at_once(tree):
    write(tree, SECRET, check=0)
    os.truncate(tree.folder / "index", 15 << 40)
    for done in (verify(tree, SECRET), write(tree, SECRET)):
        tree.assert_refused(done, 3, "something has made it longer")
    assert os.stat(tree.folder / "index").st_size == 15 << 40
