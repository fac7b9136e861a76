"""How many instructions calls of ciphers and whole commands take, by valgrind's callgrind. It counts; the clock has no part in it."""

import os
import pathlib
import re
import subprocess
import tempfile

ENGINES = ["cpu:avx2", "cpu:scalar"]  # of valgrind's processor, which has no AVX-512
CIPHERS = ["des", "des-ede3", "aes-256", "serpent-256", "twofish-256"]
FILE_BYTES = 4_000_000
LONG_FILE_BYTES = 16_000_000
NUM_FILES = 60
NUM_RUNS = 3  # of a command: which thread takes a piece of a file, and makes a buffer for it first, is not the same each time
KEY = bytes(range(32))
OLD_KEY = bytes(range(24))
OLD_CIPHER = ["--cipher", "des-ede3-cbc", "--key-file", "old_key", "--iv", "00" * 8]


def run(command, folder, engine=None, **options):
    """With an environment of its own: its length is copied and counted."""
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "LC_ALL": "C"} | ({"PHALANX_ENGINE": engine} if engine else {})
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise SystemExit(f"count_costs: {' '.join(map(str, command))} failed: {done.stderr[-2000:]}")
    return done


def count_cipher(program, engine, cipher):
    """Rows by the names that cipher_costs gives its parts; of two sizes the difference, which is that of 64 KiB."""
    with tempfile.TemporaryDirectory() as folder:
        run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/part", program, engine, cipher], folder)
        parts = {}
        for path in pathlib.Path(folder).glob("part.*"):
            text = path.read_text()
            name = re.search(r"^desc: Trigger: Client Request: (.*)$", text, re.MULTILINE)
            if name:
                parts[name[1]] = int(re.search(r"^totals: (\d+)", text, re.MULTILINE)[1])
    counts = {name: count for name, count in parts.items() if not name.endswith((", short", ", long"))}
    for name in parts:
        if name.endswith(", long"):
            job = name.removesuffix(", long")
            counts[f"{job}, 64 KiB"] = parts[name] - parts[f"{job}, short"]
    return {f"{engine} {name}": {"instructions": count} for name, count in counts.items()}


def write_inputs(folder, program):
    for name, num_bytes in (("in", FILE_BYTES), ("long_in", LONG_FILE_BYTES)):
        (folder / name).write_bytes(bytes(index * 7 % 251 for index in range(1000)) * (num_bytes // 1000))
    for name, key in (("key", KEY), ("old_key", OLD_KEY)):
        (folder / name).write_bytes(key)
        os.chmod(folder / name, 0o600)
    (folder / "files").mkdir()
    for index in range(NUM_FILES):
        (folder / "files" / f"{index:02}").write_bytes(b"a line of text\n" * (index * 10))
    for name in ("in", "long_in"):
        run([program, "raw", "encrypt", "--allow-legacy", *OLD_CIPHER, name, f"old_{name}"], folder)


def count_command(program, folder, engine, command):
    counting = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, *command]
    return min(int(re.search(r"Collected : (\d+)", run(counting, folder, engine).stderr)[1]) for _ in range(NUM_RUNS))


def count_start(program):
    """What each command begins with. It depends on the libraries that the program is linked with, and so on what was built."""
    with tempfile.TemporaryDirectory() as name:
        return count_command(program, pathlib.Path(name), None, ["version"])


def count_commands(program, engine, start, names=None):
    """Of whole commands, less the start."""
    key = ["--key-file", "key"]
    old = ["--from-cipher", "des-ede3-cbc", "--from-key-file", "old_key", "--from-iv", "00" * 8]
    commands = {
        "encrypt of 4 MB": ["encrypt", "--force", *key, "in", "sealed"],
        "decrypt of 4 MB": ["decrypt", "--force", *key, "sealed", "opened"],
        "encrypt --each of 60 files": ["encrypt", "--each", "files", "--to-tree", "tree", *key, "--force"],
        "raw decrypt of 16 MB, des-ede3-cbc": ["raw", "decrypt", "--force", *OLD_CIPHER, "old_long_in", "plain"],
        "migrate of 4 MB, des-ede3-cbc": ["migrate", "--force", "--doubt-is-ok", *old, *key, "old_in", "migrated"],
    }
    rows = {}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_inputs(folder, program)
        for command in names or commands:
            count = count_command(program, folder, engine, [*commands[command], "--threads", "1", "--quiet"])
            rows[f"{engine} {command}"] = {"instructions": count - start}
    return rows
