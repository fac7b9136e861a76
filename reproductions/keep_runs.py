#!/usr/bin/python3
"""Keeps the runs that tools/pack/run_papers packed on another machine, and names them in runs.toml.

keep_runs.py [--name NAME] RUNS.tar...

Each file goes to results/papers/<paper>/, where it must be new. The first name of a paper in runs.toml whose runs are of the same GPU, or of
the same CPU without one, gets the newest run: the pages then speak of it. With --name, that name does: for runs of some tables alone,
which stand beside whole runs. render_pages.py says which of the pages' words are not true any more.
"""

import argparse
import lzma
import re
import sys
import tarfile

import paper_results

MEMBER = re.compile(r"(?P<paper>[a-z0-9_]+)/(?P<machine>[A-Za-z0-9_]+)/(?P<file>[0-9]+_cores_[0-9-]+_[0-9]+[.]json[.]xz)")


def keep(tar):
    """Writes the files of a tar; (paper, machine, file) of each."""
    for member in tar:
        name = MEMBER.fullmatch(member.name)
        if not name or name["paper"] not in paper_results.PAPERS:
            sys.exit(f"keep_runs.py: {member.name} is no result of a paper")
        packed = tar.extractfile(member).read()
        path = paper_results.KEPT / member.name
        if path.exists() and path.read_bytes() != packed:
            sys.exit(f"keep_runs.py: {member.name} is there already, and another")
        if b"-modified\"" in lzma.decompress(packed):
            sys.exit(f"keep_runs.py: {member.name} is of a modified tree")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(packed)
        yield name["paper"], name["machine"], name["file"]


def name_run(told, paper, machine, file, wanted="[a-z0-9_]+"):
    """runs.toml's text with the run named, and the name; None for it if none is of that machine. wanted: which names may be."""
    lines, inside = told.splitlines(keepends=True), False
    for number, line in enumerate(lines):
        if line.startswith("["):
            inside = line.startswith(f"[{paper}]")
        found = inside and re.match(rf'(?P<name>{wanted}) = {{ run = "{machine}/', line)
        if found:
            lines[number] = re.sub(r'run = "[^"]*"', f'run = "{machine}/{file}"', line)
            return "".join(lines), found["name"]
    return told, None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--name", default="[a-z0-9_]+")
    parser.add_argument("tars", nargs="+")
    arguments = parser.parse_args()
    runs, path = {}, paper_results.REPRODUCTIONS / "runs.toml"
    for name in arguments.tars:
        with tarfile.open(name) as tar:
            for paper, machine, file in keep(tar):
                print(f"kept results/papers/{paper}/{machine}/{file}")
                runs[paper, machine] = max(file, runs.get((paper, machine), ""))
    told = path.read_text()
    for (paper, machine), file in runs.items():
        told, name = name_run(told, paper, machine, file, arguments.name)
        print(f"runs.toml: {paper}.{name} is {machine}/{file}" if name else f"runs.toml names no run of {paper} on {machine}: name {file} there")
    path.write_text(told)


if __name__ == "__main__":
    main()
