"""`encrypt --each` and `decrypt --each` on a disk that is really full: nothing is lost, and the next run goes on."""

import subprocess

import pytest
from conftest import KEY, PROGRAM, random_bytes

FILES = {f"f{number}": random_bytes(40_000, seed=number) for number in range(12)}
MOST_SECONDS = 120


@pytest.fixture
def tree(phalanx):
    phalanx.write("key", random_bytes(32))
    for name in ("src", "later", "small"):
        (phalanx.folder / name).mkdir()
    return phalanx


def on_a_small_disk(files, script):
    """The script with small/ as a disk of 300 KiB, `each` as the program with its key, and what runs end with in codes."""
    beginning = f"""mount -t tmpfs -o size=300k none small || exit 99
    each() {{ command=$1; shift; {PROGRAM} $command --each {" ".join(KEY)} "$@"; echo $? >> codes; }}
    """
    done = subprocess.run(["unshare", "-rm", "sh", "-c", beginning + script], cwd=files.folder, capture_output=True, timeout=MOST_SECONDS)
    if done.returncode == 99 or b"unshare" in done.stderr:
        pytest.skip("this system does not let us mount a small disk")
    assert done.returncode == 0, done.stderr
    return done.stderr.decode(), (files.folder / "codes").read_text().split()


def files_in(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def held(files, folder):
    """What the containers of a folder open to; each must open."""
    files.run("decrypt", "--each", *KEY, folder, "--to-tree", f"{folder}.opened", check=0)
    return files_in(files.folder / f"{folder}.opened")


def test_encrypting_onto_a_full_disk_loses_nothing(tree):
    for name in ("f0", "f1", "f2"):
        tree.write(f"src/{name}", FILES[name])
    for name, content in FILES.items():
        tree.write(f"later/{name}", content + b"later")
    errors, codes = on_a_small_disk(tree, """
    each encrypt src --to-tree small/bk --update --prune
    cp later/* src
    each encrypt src --to-tree small/bk --update --prune
    cp -a small/bk full
    mount -o remount,size=4m small || exit 99
    each encrypt src --to-tree small/bk --update --prune
    cp -a small/bk after
    """)  # fmt: skip
    assert codes == ["0", "1", "0"] and "No space left" in errors, errors
    later = {name: content + b"later" for name, content in FILES.items()}
    full = held(tree, "full")
    assert 3 <= len(full) < len(FILES)
    assert all(content in (FILES[name], later[name]) for name, content in full.items())
    assert {"f0", "f1", "f2"} <= set(full), "what was sealed before stays, or is sealed anew"
    assert not [path for path in (tree.folder / "full").iterdir() if not path.name.endswith((".phalanx", ".phalanx-tree"))]
    assert held(tree, "after") == later
    assert f"{len(FILES)} encrypted" not in errors.splitlines()[-1], "the last run went on, and did not begin anew"


def test_decrypting_onto_a_full_disk_goes_on(tree):
    for name, content in FILES.items():
        tree.write(f"src/{name}", content)
    tree.run("encrypt", "--each", *KEY, "src", "--to-tree", "bk", check=0)
    errors, codes = on_a_small_disk(tree, """
    each decrypt bk --to-tree small/back
    cp -a small/back full
    mount -o remount,size=4m small || exit 99
    each decrypt bk --to-tree small/back
    cp -a small/back after
    """)  # fmt: skip
    assert codes == ["1", "0"] and "No space left" in errors, errors
    full = files_in(tree.folder / "full")
    assert 0 < len(full) < len(FILES) and all(FILES[name] == content for name, content in full.items())
    assert files_in(tree.folder / "after") == FILES
    assert f"{len(full)} skipped" in errors.splitlines()[-1]
