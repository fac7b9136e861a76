#!/usr/bin/python3
"""Reruns the five papers as far as this machine can, then prints each table as printed, by the paper's method here, and by ours.

What could not run is said at the end. Exits 1 if an output was not reference/'s.
"""

import argparse
import subprocess
import sys
import time

sys.dont_write_bytecode = True  # the folder of the sources stays as it is
import paper_results  # noqa: E402
import paper_run  # noqa: E402


def run(paper, keeps):
    """Runs a paper; what it skipped and what failed, a line each."""
    folder = paper_results.REPRODUCTIONS / paper
    start = time.monotonic()
    with paper_run.started([sys.executable, folder / "run", *(["--keep"] if keeps else [])]) as done:
        said = done.communicate()[0]
    written = [line for line in said.splitlines() if line.startswith("written to ")]
    print(f"{paper}: {time.monotonic() - start:.0f} s; {'; '.join(written) or 'nothing written'}", flush=True)
    lines = [line for line in said.splitlines() if line.startswith(("skipped: ", "FAILED: "))]
    return lines or (["FAILED: run"] if done.returncode else [])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", action="store_true", help="keep the figures under results/papers/, not in build/papers/results/")
    parser.add_argument("papers", nargs="*", metavar="PAPER", help=", ".join(paper_results.PAPERS))
    arguments = parser.parse_args()
    unknown = set(arguments.papers) - set(paper_results.PAPERS)
    if unknown:
        parser.error(f"no paper is called {', '.join(sorted(unknown))}")
    paper_run.end_by_interrupts()
    papers = [paper for paper in arguments.papers or paper_results.PAPERS if (paper_results.REPRODUCTIONS / paper / "run").exists()]
    said = [(paper, line) for paper in papers for line in run(paper, arguments.keep)]
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
