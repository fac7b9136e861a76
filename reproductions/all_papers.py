#!/usr/bin/python3
"""Reruns the five papers as far as this machine can, then prints each table as printed, by the paper's method here, and by ours.

all_papers.py [PAPER...]        what could not run is said at the end; exits 1 if an output was not reference/'s
"""

import subprocess
import sys
import time

import paper_results


def run(paper):
    """Runs a paper; what it skipped and what failed, a line each."""
    folder = paper_results.REPRODUCTIONS / paper
    start = time.monotonic()
    done = subprocess.run([sys.executable, folder / "run"], stdout=subprocess.PIPE, text=True)
    print(f"{paper}: {time.monotonic() - start:.0f} s", flush=True)
    lines = [line for line in done.stdout.splitlines() if line.startswith(("skipped: ", "FAILED: "))]
    return lines or (["FAILED: run"] if done.returncode else [])


def main():
    papers = [paper for paper in sys.argv[1:] or paper_results.PAPERS if (paper_results.REPRODUCTIONS / paper / "run").exists()]
    said = [(paper, line) for paper in papers for line in run(paper)]
    for paper in papers:
        print(f"\n==== {paper} ====", flush=True)
        if subprocess.run([sys.executable, paper_results.REPRODUCTIONS / paper / "compare"]).returncode:
            said.append((paper, "FAILED: compare"))
    print("\nNot run here; figures of other machines, where a table has them, are those kept under results/papers/:" if said else "")
    for paper, line in said:
        print(f"  {paper}: {line}")
    return any("FAILED" in line for _, line in said)


if __name__ == "__main__":
    sys.exit(main())
