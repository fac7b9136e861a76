"""phalanx bench: its one screen, its figures, and the calibration that later runs use. Nothing here is about speed."""

import json
import os
import re

import pytest
from conftest import NOBODY, is_root, random_bytes

QUICK = ("bench", "--seconds", "0.001", "--size", "1K", "--threads", "1", "--engine", "cpu:scalar")


def rows_of(text):
    return [line for line in text.splitlines() if line.count("B/s") == 2]


def test_all_of_it_fits_on_one_screen(phalanx):
    text = phalanx.run("bench", "--seconds", "0.001", "--size", "64K", check=0).stdout.decode()
    lines = text.splitlines()
    assert len(lines) < 24 and max(map(len, lines)) <= 80, text
    names = [row.split()[0] for row in rows_of(text)]
    assert {"des-ede3-cbc", "aes-128-gcm", "aes-256-xts", "serpent-256-xts", "twofish-256-xts"} <= set(names)
    assert len(set(names)) == len(names) == 18


def test_the_first_line_says_which_engine_and_how_many_threads(phalanx):
    lines = phalanx.run(*QUICK, "aes-128-ctr", check=0).stdout.decode().splitlines()
    assert lines[0].startswith("cpu:scalar, 1 thread;") and "1K" in lines[0]
    two = phalanx.run(*QUICK[:-3], "2", "--engine", "cpu:scalar", "aes-128-ctr", check=0).stdout.decode()
    assert two.startswith("cpu:scalar, 2 threads;")
    chosen = phalanx.run("bench", "--seconds", "0.001", "--size", "1K", "des-ecb", check=0).stdout
    assert chosen.startswith(b"cpu:")  # auto


def test_serial_directions_are_marked(phalanx):
    text = phalanx.run(*QUICK, "des-ede3-cbc", "aes-256-ofb", "aes-256-ctr", check=0).stdout.decode()
    cbc, ofb, ctr = rows_of(text)
    assert cbc.count("*") == 1 and cbc.index("*") < cbc.rindex("B/s")
    assert ofb.count("*") == 2 and "*" not in ctr
    assert "* block after block" in text
    assert "*" not in phalanx.run(*QUICK, "aes-256-ctr", check=0).stdout.decode()


def test_a_cipher_stands_for_its_modes(phalanx):
    text = phalanx.run(*QUICK, "3DES", "aes-192", "Serpent-128-CTR", check=0).stdout.decode()
    modes = ["ecb", "cbc", "ctr", "cfb", "ofb"]
    expected = [f"des-ede3-{mode}" for mode in modes] + [f"aes-192-{mode}" for mode in [*modes, "xts", "gcm"]] + ["serpent-128-ctr"]
    assert [row.split()[0] for row in rows_of(text)] == expected


def test_a_family_stands_for_its_ciphers_and_all_for_every_engine(phalanx):
    text = phalanx.run(*QUICK, "AES", check=0).stdout.decode()
    assert {row.split()[0][:7] for row in rows_of(text)} == {"aes-128", "aes-192", "aes-256"} and len(rows_of(text)) == 21
    engines = [engine["name"] for engine in json.loads(phalanx.run("engines", "--json", check=0).stdout) if engine["usable"]]
    text = phalanx.run("bench", "--seconds", "0.001", "--size", "1K", "--engine", "all", "aes-128-ctr", check=0).stdout.decode()
    heads = [line.split(",")[0] for line in text.splitlines() if "one message of 1K" in line]
    assert heads == engines and len(rows_of(text)) == len(engines)
    phalanx.assert_refused(phalanx.run("bench", "--engine", "all", "--json"), 2, "--engine all", "leave --json out")


def test_help_names_the_default_that_is_measured(phalanx):
    size = re.search(r"one message of (\w+),", phalanx.run("bench", "--seconds", "0.001", "aes-128-ctr", check=0).stdout.decode())[1]
    assert f"default {size}\n" in phalanx.run("bench", "--help", check=0).stdout.decode()


def test_every_engine_that_can_run_is_measured(phalanx):
    engines = json.loads(phalanx.run("engines", "--json", check=0).stdout)
    for engine in (engine["name"] for engine in engines if engine["usable"]):
        arguments = ("bench", "--seconds", "0.001", "--size", "1K", "--engine", engine, "--json", "twofish-256-xts")
        result = json.loads(phalanx.run(*arguments, check=0).stdout)
        assert result["engine"] == engine


def test_json_has_plain_figures(phalanx):
    result = json.loads(phalanx.run(*QUICK, "--json", "des-cbc", "aes-256-gcm", check=0).stdout)
    assert result["engine"] == "cpu:scalar" and result["threads"] == 1 and result["message_bytes"] == 1024
    assert result["cpu"] and result["phalanx"]
    assert [row["cipher"] for row in result["bytes_per_second"]] == ["des-cbc", "aes-256-gcm"]
    for row in result["bytes_per_second"]:
        assert row["encryption"] > 0 and row["decryption"] > 0


@pytest.mark.parametrize("arguments, words", [
    (("rot13",), ("rot13", "aes-256")),
    (("aes-256-siv",), ("siv", "gcm")),
    (("des-xts",), ("xts", "16-byte")),
    (("--size", "100"), ("--size", "multiple of 16")),
    (("--size", "2G"), ("--size", "up to 1G")),
    (("--size", "0"), ("--size",)),
    (("--threads", "-1"), ("--threads",)),
    (("--engine", "cpu:mmx"), ("cpu:mmx", "unknown")),
    (("--seconds", "-1"), ("--seconds", "seconds")),
    (("--seconds", "nan"), ("--seconds",)),
    (("--calibrate", "--json"), ("--calibrate", "--json")),
    (("--calibrate", "aes-128"), ("--calibrate",)),
    (("--peers",), ("--peers",)),
])  # fmt: skip
def test_wrong_arguments(phalanx, arguments, words):
    phalanx.assert_refused(phalanx.run("bench", *arguments), 2, *words)


@pytest.fixture
def cache(phalanx):
    """The program's environment with a cache folder of its own, and the calibration file in it."""
    return {"PATH": "/usr/bin:/bin", "XDG_CACHE_HOME": str(phalanx.folder / "cache")}, phalanx.folder / "cache/phalanx/calibration.json"


def crypt_notes(phalanx, environment, engine="cpu:scalar"):
    """What -v says of a small file, whose ciphertext must be the same whatever the crossover."""
    phalanx.write("key", random_bytes(24, seed=3))
    phalanx.write("in", random_bytes(1000))
    command = ("raw", "encrypt", "--cipher", "des-ede3-ctr", "--allow-legacy", "--iv", "00" * 8, "--key-file", "key", "-v", "in", "out")
    done = phalanx.run(*command, "--force", "--engine", engine, "--threads", "1", check=0, env=environment)
    return done.stderr.decode(), phalanx.read("out")


def test_calibration_is_kept_and_used(phalanx, cache):
    environment, path = cache
    before, plain = crypt_notes(phalanx, environment)
    assert "(built in)" in before
    done = phalanx.run("bench", "--calibrate", check=0, env=environment)
    assert str(path) in done.stdout.decode()
    kept = json.loads(path.read_text())
    assert kept["format"] == "phalanx-calibration" and kept["cpu"]
    entries = {(entry["engine"], entry["cipher"]): entry["blocks"] for entry in kept["serial_blocks"]}
    assert ("cpu:scalar", "des-ede3") in entries and ("cpu:scalar", "aes-256") in entries
    for entry in kept["serial_blocks"]:
        entry["blocks"] = 33
    path.write_text(json.dumps(kept))
    after, same = crypt_notes(phalanx, environment)
    assert "at most 33" in after and "measured by phalanx bench --calibrate" in after and same == plain
    phalanx.write("key", random_bytes(32, seed=4))
    box = ("--key-file", "key", "--engine", "cpu:scalar")  # containers go by the same crossovers
    done = phalanx.run("encrypt", "--cipher", "serpent-256", *box, "-v", "in", "box", check=0, env=environment)
    assert b"at most 33" in done.stderr and b"measured by phalanx bench --calibrate" in done.stderr
    assert phalanx.run("decrypt", *box, "box", check=0, env=environment).stdout == random_bytes(1000)
    phalanx.run("verify", *box, "box", check=0, env=environment)


def test_auto_is_the_cpu_whatever_an_old_calibration_says_of_gpus(phalanx, cache):
    environment, path = cache
    plain_notes, plain = crypt_notes(phalanx, environment, "auto")
    assert "runs on cpu:" in plain_notes and "(auto: the CPU" in plain_notes and "ignored" not in plain_notes
    phalanx.run("bench", "--calibrate", check=0, env=environment)
    kept = json.loads(path.read_text())
    assert "gpu_crossovers" not in kept
    for entry in kept["serial_blocks"]:
        entry["blocks"] = 33
    for crossovers in ([{"cipher": "des-ede3", "bytes": 1}], [], "anything"):
        kept["gpu_crossovers"] = crossovers
        path.write_text(json.dumps(kept))
        notes, same = crypt_notes(phalanx, environment, "auto")
        assert "runs on cpu:" in notes and f"GPUs in {path} are ignored" in notes and "at most 33" in notes and same == plain
        quiet = phalanx.run("bench", "--seconds", "0.001", "--size", "1K", "aes-128-ctr", check=0, env=environment)
        assert quiet.stderr == b""


@pytest.mark.parametrize("kind", ["link", "dangling link", "FIFO", "folder", "link to the folder"])
def test_nothing_but_a_file_is_the_calibration(phalanx, cache, kind):
    """Nothing is written through it, nothing in it is used, and no run waits for it."""
    environment, path = cache
    phalanx.write("precious", b"precious")
    (phalanx.folder / "another").mkdir()
    path.parent.mkdir(parents=True)
    if kind == "link to the folder":
        path.parent.rmdir()
        path.parent.symlink_to(phalanx.folder / "another")
        phalanx.write("another/calibration.json", b"precious")
    elif "link" in kind:
        path.symlink_to(phalanx.folder / ("precious" if kind == "link" else "new"))
    else:
        (os.mkfifo if kind == "FIFO" else os.mkdir)(path)
    phalanx.assert_refused(phalanx.run("bench", "--calibrate", env=environment), 2, "symbolic link" if "link" in kind else kind)
    notes, _ = crypt_notes(phalanx, environment)
    assert "is ignored" in notes
    assert phalanx.read("precious") == b"precious" and not (phalanx.folder / "new").exists()
    assert kind != "link to the folder" or phalanx.read("another/calibration.json") == b"precious"


@pytest.mark.skipif(not is_root(), reason="only root can be two users")
def test_nor_is_what_belongs_to_another_user(phalanx, cache):
    environment, path = cache
    path.parent.mkdir(parents=True)
    path.write_bytes(b"{}")
    os.chown(path, NOBODY, NOBODY)
    assert "belongs to another user" in crypt_notes(phalanx, environment)[0]


@pytest.mark.parametrize("content, reason", [
    (b"", "malformed"),
    (b"{", "malformed"),
    (b'{"format": "phalanx-calibration", "format_version": 1, "cpu": "another", "phalanx": "0", "serial_blocks": []}',
     "another processor"),
    (b"\xff" * 100, "malformed"),
])  # fmt: skip
def test_a_calibration_that_does_not_fit_is_ignored(phalanx, cache, content, reason):
    environment, path = cache
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    notes, _ = crypt_notes(phalanx, environment)
    (line,) = [line for line in notes.splitlines() if "calibration.json" in line]
    assert "ignored" in line and reason in line
    quiet = phalanx.run("engines", check=0, env=environment)
    assert quiet.stderr == b""
