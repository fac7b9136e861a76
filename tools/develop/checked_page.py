#!/usr/bin/env python3
"""What was checked, when, and of which commit: results/checked.json, and docs/checked.md, which is made of it.

usage: checked_page.py keep CHECK LOG    a row of a run that has ended, from the last line of its log that counts
       checked_page.py write             docs/checked.md anew
       checked_page.py check             exits 1 where docs/checked.md says something else, or a page promises a check without a link

`tools/develop/run_test_matrix --keep` keeps a row of each configuration that it runs whole.
"""

import datetime
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
KEPT = "results/checked.json"
PAGE = "docs/checked.md"
MATRIX = ROOT / "tools/develop/run_test_matrix"
OLD_COMMITS = 200
OLD_MARK = re.compile(r" \*\*It is old\*\*: [^.]*[.]")
COUNTS = re.compile(rb"^\d+ (?:passed|proved), \d+ failed.*$", re.MULTILINE)

# What runs of its own are: the configurations of the matrix say that themselves.
OTHERS = {
    "ci": "`.ci/run`: `make test`, and a part of the configurations below",
    "gpu": "`run_gpu_checks test`, on a machine with a GPU: the kernels, the library and the program over the engine `cuda`",
    "prove": "`make prove`: ciphers, GHASH and steps of modes are what their standards say, for all keys",
    "constant-time": "`make constant-time`: no branch and no address from a secret, in the machine code",
}
# Words by which a page promises a check, and its row.
PROMISES = {
    "sanitize": re.compile(r"address(?: and undefined-behaviour)? sanitizer|AddressSanitizer|undefined-behaviour", re.IGNORECASE),
    "tsan": re.compile(r"thread sanitizer|ThreadSanitizer", re.IGNORECASE),
    "fuzz": re.compile(r"\blibFuzzer\b"),
    "mpich": re.compile(r"\bMPICH\b"),
    "lint": re.compile(r"clang-tidy"),
}
# What tells of the past, or of the configuration itself.
NO_PROMISES = ("CHANGELOG.md", PAGE, "docs/rooms.md", "docs/notes/", "docs/decisions/", "reproductions/", "tests/", "results/")


def git(*arguments):
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def kept_rows():
    path = ROOT / KEPT
    return json.loads(path.read_text()) if path.exists() else {}


def machine():
    """The processor."""
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "unknown"


def keep(check, log):
    """The commit must be one that anybody can build."""
    if check not in OTHERS and check not in configurations():
        sys.exit(f"checked_page.py: no check {check}")
    counts = COUNTS.findall(pathlib.Path(log).read_bytes())
    if not counts:
        sys.exit(f"checked_page.py: {log} has no line that counts")
    others = (".", f":!{KEPT}", f":!{PAGE}")  # several rows may be kept one after the other
    if git("status", "--porcelain", "--untracked-files=no", "--", *others):
        sys.exit("checked_page.py: the tree is modified, and nobody could run that again: commit first")
    rows = kept_rows()
    rows[check] = {"commit": git("rev-parse", "--short=10", "HEAD"), "date": datetime.date.today().isoformat(),
                   "machine": machine(), "counts": counts[-1].decode()}  # fmt: skip
    (ROOT / KEPT).write_text(json.dumps(dict(sorted(rows.items())), indent=1) + "\n")


def configurations():
    """Name, what is built and run of it whole, and what of that `.ci/run` does: as the script says them."""
    plans = {}
    for line in subprocess.run([MATRIX, "--plan"], check=True, capture_output=True, text=True).stdout.splitlines():
        name, whole, part = line.split("\t")
        plans[name] = whole, part
    return plans


def num_commits_since(commit):
    """None where this history does not have it, as in a shallow clone."""
    done = subprocess.run(["git", "rev-list", "--count", f"{commit}..HEAD"], cwd=ROOT, capture_output=True, text=True)
    return int(done.stdout) if done.returncode == 0 else None


def section_of(name, what, kept):
    yield from (f"### {name}", "", f"It runs {what}.")
    if kept is None:
        yield from ("No whole run of it is kept yet.", "")
        return
    since = num_commits_since(kept["commit"])
    old = f" **It is old**: more than {OLD_COMMITS} commits ago." if since is not None and since > OLD_COMMITS else ""
    yield f"The last whole run that is kept: {kept['counts']}. It was of commit `{kept['commit']}`, on {kept['date']}, {kept['machine']}.{old}"
    yield ""


def page():
    rows, plans = kept_rows(), configurations()
    lines = ["# What was checked", "",
             "Each section has the last whole run of a check that was kept. `tools/develop/checked_page.py` writes this page from",
             f"[{KEPT}](../{KEPT}). The test `repository.checked` fails where it says something else. A run is old when more than",
             f"{OLD_COMMITS} commits came after it.", "",
             "**No whole run of it is kept** means that this page has no proof that the check passed. It may have run, in part or whole,",
             "and nobody kept that. Other pages then say what was seen, and when.", "", "## What continuous integration runs", "",
             "`.ci/run` runs `make test` whole, by g++. Then it runs a part of these configurations, and of no other:", "",
             "| configuration | part |", "|---|---|",
             *(f"| [{name}](#{name}) | {part} |" for name, (_, part) in plans.items() if part), "", "## The last whole runs", ""]  # fmt: skip
    for name, what in OTHERS.items():
        lines += section_of(name, what, rows.get(name))
    for name, (whole, _) in plans.items():
        lines += section_of(name, whole.replace("\\|", "|"), rows.get(name))
    return "\n".join(lines).rstrip("\n") + "\n"


def unlinked_promises():
    for name in git("ls-files", "*.md").splitlines():
        if name.startswith(NO_PROMISES):
            continue
        text = (ROOT / name).read_text()
        for check, words in PROMISES.items():
            if words.search(text) and f"checked.md#{check}" not in text:
                yield f"{name}: promises {check}, and has no link to {PAGE}#{check}"


def same_page():
    """A shallow clone does not know which rows are old."""
    kept, now = (ROOT / PAGE).read_text(), page()
    if any(num_commits_since(row["commit"]) is None for row in kept_rows().values()):
        kept, now = OLD_MARK.sub("", kept), OLD_MARK.sub("", now)
    return kept == now


def check():
    if not (ROOT / ".git").exists():
        print("skipped: no history of commits here")
        return 77
    problems = [] if same_page() else [f"{PAGE}: write it anew by tools/develop/checked_page.py write"]
    problems += unlinked_promises()
    print("\n".join(problems) or f"{PAGE} is what {KEPT} says")
    return int(bool(problems))


def main():
    match sys.argv[1:]:
        case ["keep", name, log]:
            keep(name, log)
        case ["write"]:
            (ROOT / PAGE).write_text(page())
        case ["check"]:
            sys.exit(check())
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
