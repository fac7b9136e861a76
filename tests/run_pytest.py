#!/usr/bin/env python3
"""Runs pytest, and says which tests were skipped inside of the files, and why: ctest sees a file as one test.

usage: run_pytest.py [--complete] ARGUMENT...      exits as pytest does; 77 where all was skipped

A line for each reason, "skipped N: REASON", also goes into a file under PHALANX_SKIPS, if that is set, for tools/develop/run_tests.
--complete: all packages that the tests can use were installed; with CI=true, one that "is not installed" is a failure.
"""

import collections
import hashlib
import os
import pathlib
import sys

import pytest


class Skips:
    """A plugin that hears of every test, and of every file that is skipped as a whole."""

    def __init__(self):
        self.reasons = collections.Counter()
        self.num_run = 0

    def hear(self, report):
        if report.skipped and not hasattr(report, "wasxfail"):
            self.reasons[report.longrepr[2].removeprefix("Skipped: ")] += 1

    def pytest_runtest_logreport(self, report):
        self.hear(report)
        self.num_run += report.when == "call" and not report.skipped

    def pytest_collectreport(self, report):
        self.hear(report)


def keep(arguments, lines):
    folder = os.environ.get("PHALANX_SKIPS")
    if folder and lines:
        name = hashlib.sha256("\n".join([*arguments, os.getcwd()]).encode()).hexdigest()[:16]
        pathlib.Path(folder, name).write_text("".join(f"{line}\n" for line in lines))


def main():
    arguments = sys.argv[1:]
    complete = arguments[:1] == ["--complete"]
    arguments = arguments[complete:]
    skips = Skips()
    status = int(pytest.main(["-q", "-p", "no:cacheprovider", *arguments], plugins=[skips]))
    lines = [f"skipped {number}: {reason}" for reason, number in sorted(skips.reasons.items())]
    print("\n".join(lines))
    all_skipped = status in (0, 5) and skips.num_run == 0 and bool(lines)
    if not all_skipped:
        keep(arguments, lines)  # ctest counts those that are skipped as a whole
    if complete and os.environ.get("CI") == "true" and any(reason.endswith("is not installed") for reason in skips.reasons):
        print("failed: with CI=true what cannot be had is a failure")
        return 1
    return 77 if all_skipped else status


if __name__ == "__main__":
    sys.exit(main())
