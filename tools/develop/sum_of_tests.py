#!/usr/bin/env python3
"""Says what was skipped, and why, and ends with the line "N passed, N failed, N skipped".

usage: sum_of_tests.py RESULTS.xml SKIPS_FOLDER

RESULTS.xml is ctest's; the folder has what tests/run_pytest.py wrote of tests that were skipped inside of files that ran.
"""

import collections
import pathlib
import re
import sys
import xml.etree.ElementTree as ET

REASON = re.compile(r"^(?:skipped: (?P<ours>.+)|.*: Skipped\n(?P<gtest>.+)|skipped (?P<number>\d+): (?P<inside>.+))$", re.MULTILINE)


def reasons_of(text):
    for match in REASON.finditer(text):
        yield match["ours"] or match["gtest"] or match["inside"], int(match["number"] or 1)


def main():
    reasons = collections.Counter()
    counts = collections.Counter()
    for case in ET.parse(sys.argv[1]).getroot().iter("testcase"):
        kind = {"run": "passed", "fail": "failed"}.get(case.get("status"), "skipped")
        counts[kind] += 1
        if kind == "skipped":
            found = next(reasons_of(case.findtext("system-out") or ""), (None, 0))[0]
            reasons[found or f"{case.get('name')} said nothing"] += 1
    for path in pathlib.Path(sys.argv[2]).iterdir():
        for reason, number in reasons_of(path.read_text()):
            reasons[reason] += number
            counts["skipped"] += number
    if reasons:
        print("\nskipped:")
    for reason, number in reasons.most_common():
        print(f"{number:6} {reason}")
    print(f"\n{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")


if __name__ == "__main__":
    main()
