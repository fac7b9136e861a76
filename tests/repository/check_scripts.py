#!/usr/bin/env python3
"""Checks the shell scripts: by shellcheck, and for what it does not know.

usage: check_scripts.py REPOSITORY      exits 0 if all holds, 1 listing what does not, 77 where it cannot be said

Under `set -o pipefail` a command that writes into `head` or `grep -q` may be killed by SIGPIPE, once these have read enough: then
the script ends without a word, or takes what was found for missing. `sed -n 1p` and `grep ... >/dev/null` read all.
"""

import pathlib
import re
import shutil
import subprocess
import sys

SHELL = re.compile(r"#!.*\b(?:ba)?sh\s*\n")
LEAVES_EARLY = re.compile(r"\|\s*(head\s+-n|head\s+-[0-9]|grep\s+-\w*q)")


def is_script(path):
    with path.open("rb") as file:
        return SHELL.match(file.read(100).decode(errors="replace")) is not None


def early_leavers(name, text):
    if "pipefail" not in text:
        return
    for number, line in enumerate(text.splitlines(), start=1):
        for match in LEAVES_EARLY.finditer(line.split(" # ")[0]):
            yield f"{name}:{number}: a pipe into `{match[1]}` under pipefail: read all by `sed -n 1p`, or by grep >/dev/null"


def shellcheck(repository, scripts):
    done = subprocess.run(["shellcheck", "-x", "-S", "warning", "-f", "gcc", *scripts], cwd=repository, capture_output=True, text=True)
    return done.stdout.splitlines()


def main():
    repository = pathlib.Path(sys.argv[1])
    if not shutil.which("shellcheck") or not (repository / ".git").exists():
        print("skipped: no shellcheck, or no checkout of git")
        return 77
    files = subprocess.run(["git", "ls-files"], cwd=repository, check=True, capture_output=True, text=True).stdout.splitlines()
    scripts = [name for name in files if (repository / name).is_file() and is_script(repository / name)]
    problems = [found for name in scripts for found in early_leavers(name, (repository / name).read_text())]
    problems += shellcheck(repository, scripts)
    print("\n".join(problems) or f"{len(scripts)} scripts checked")
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
