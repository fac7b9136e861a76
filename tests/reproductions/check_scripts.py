#!/usr/bin/env python3
"""Checks what the scripts of reproductions/ write and say: a run leaves the folder of the sources as it is unless it is told to keep
its figures, and names its file; --help is help, and nothing else happens.

usage: check_scripts.py REPOSITORY      exits 0 if all holds
"""

import json
import lzma
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

REPOSITORY = pathlib.Path(sys.argv.pop(1)).resolve()
PAPERS = sorted(path.parent.name for path in (REPOSITORY / "reproductions").glob("*/run"))
LIN, SHORMAN = "lin2017_cbc_3des_cpu", "shorman2018_2des_mpi"
PROGRAM = "#!/bin/sh\necho result,cbc,OpenSSL,encrypt,baseline,time,cycles,800,1\n"  # prints one figure, as the paper's program does

MOST_SECONDS = 120  # what takes so long hangs


def wait_for(condition):
    end = time.monotonic() + MOST_SECONDS
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError
        time.sleep(0.02)


def is_alive(number):
    """Whether a process runs: one that has ended may wait for its parent."""
    try:
        return pathlib.Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class Scripts(unittest.TestCase):
    def setUp(self):
        """A copy of what the scripts need, and a program in place of a paper's."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name) / "repository"
        unwanted = shutil.ignore_patterns("__pycache__")
        shutil.copytree(REPOSITORY / "reproductions", self.root / "reproductions", ignore=unwanted)
        shutil.copytree(REPOSITORY / "results" / "papers", self.root / "results" / "papers")
        shutil.copy(REPOSITORY / "results" / "kept_results.py", self.root / "results")
        self.programs = pathlib.Path(folder.name) / "programs"
        self.programs.mkdir()
        (self.programs / "lin2017_cbc").write_text(PROGRAM)
        (self.programs / "lin2017_cbc").chmod(0o755)
        self.before = self.files()

    def files(self):
        """Every file but those of the build folder, with its bytes."""
        return {path.relative_to(self.root): path.read_bytes() for path in self.root.rglob("*")
                if path.is_file() and path.relative_to(self.root).parts[0] != "build"}  # fmt: skip

    def call(self, script, *arguments):
        done = subprocess.run([sys.executable, self.root / "reproductions" / script, *map(str, arguments)], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def run_lin(self, *arguments):
        """Where a run says that its figures are."""
        said = self.call(f"{LIN}/run", "--programs", self.programs, "--commit", "none", *arguments)
        names = [line.removeprefix("written to ") for line in said.splitlines() if line.startswith("written to ")]
        self.assertEqual(len(names), 1, said)
        self.assertTrue(pathlib.Path(names[0]).is_file())
        return pathlib.Path(names[0])

    def test_a_run_leaves_the_sources_as_they_are(self):
        path = self.run_lin()
        self.assertTrue(path.is_relative_to(self.root / "build" / "papers" / "results" / LIN), path)
        self.assertEqual(self.files(), self.before)

    def test_a_run_says_how_long_it_took(self):
        rows = json.loads(lzma.decompress(self.run_lin().read_bytes()))["rows"]
        self.assertEqual([row["unit"] for row in rows if row["quantity"] == "duration of the run"], ["s"])

    def test_a_run_goes_where_it_is_told(self):
        path = self.run_lin("--out", self.programs / "results")
        self.assertTrue(path.is_relative_to(self.programs / "results"), path)
        self.assertEqual(self.files(), self.before)

    def test_a_run_is_kept_where_that_is_asked(self):
        path = self.run_lin("--keep")
        self.assertTrue(path.is_relative_to(self.root / "results" / "papers" / LIN), path)
        self.assertEqual(set(self.files()) - set(self.before), {path.relative_to(self.root)})

    def test_comparing_writes_no_source_and_shows_runs_that_are_not_kept(self):
        kept = max((self.root / "results" / "papers" / LIN).glob("Intel*/*.xz"))
        made = self.root / "build" / "papers" / "results" / LIN / kept.parent.name / kept.name
        made.parent.mkdir(parents=True)
        shutil.copy(kept, made)
        titles = [line for line in self.call(f"{LIN}/compare", "--tables").splitlines() if line.endswith(("; 1 run", " runs"))]
        of_kept = [line for line in self.call(f"{LIN}/compare", "--tables", "--kept").splitlines() if line.endswith(("; 1 run", " runs"))]
        self.assertEqual(len(titles), len(of_kept) + 1)
        self.assertEqual(self.files(), self.before)

    def test_a_row_of_two_kinds_is_refused(self):
        """Shorman's table 2, where one of its columns is said to be of another kind than the others of its row."""
        rows = [line.split() for line in self.call(f"{SHORMAN}/compare", "--tables", "--kept").splitlines() if line.startswith("    ours")]
        self.assertTrue([row for row in rows if row[1:3] == ["a", "command"]] and [row for row in rows if row[1:3] == ["one", "process"]])
        self.assertEqual({row[3] for row in rows if row[1:3] == ["a", "command"]}, {"-"})  # of the sequential column
        told = self.root / "reproductions" / "quantities.toml"
        rule = f'[[{SHORMAN}]]\nmethod = "method"\ntable = "2"\ncolumn = "2"\nextent = "whole"\nboundary = "computation"\n\n'
        told.write_text(told.read_text().replace(f"[[{SHORMAN}]]", rule + f"[[{SHORMAN}]]", 1))
        done = subprocess.run([sys.executable, self.root / "reproductions" / SHORMAN / "compare", "--tables", "--kept"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("not like with like", done.stderr)

    def run_shorman(self, folder):
        """A quick run whose programs give one figure of each kind, with files in a folder; its results' file."""
        phases = ("time", "read", "distribute", "compute", "collect", "write")
        rows = [f"result,2,8KB,{column},{method},{phase},s,0.5,1" for column, method in (("Sequential Implementation", "baseline"), ("2", "method")) for phase in phases]
        rows += ["result,2,8KB,Sequential Implementation,ours,time,s,0.5,1", "result,2,8KB,2,ours,time,s,0.5,2"]
        program = self.programs / "shorman2018_sequential"
        program.write_text("#!/bin/sh\n" + "".join(f"echo '{row}'\n" for row in rows))
        program.chmod(0o755)
        script = self.root / "reproductions" / SHORMAN / "run"
        done = subprocess.run([sys.executable, script, "--quick", "--programs", self.programs, "--commit", "none"], capture_output=True, text=True,
                              env={**os.environ, "TMPDIR": str(folder)})  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f": {folder}/", done.stderr)
        return pathlib.Path(next(line.removeprefix("written to ") for line in done.stdout.splitlines() if line.startswith("written to ")))

    def test_a_run_records_where_its_files_were_and_empty_tables_are_left_out(self):
        path = self.run_shorman(self.programs)
        kind = subprocess.run(["findmnt", "-n", "-o", "FSTYPE", "--target", self.programs], capture_output=True, text=True, check=True).stdout.split()[0]
        self.assertTrue(json.loads(lzma.decompress(path.read_bytes()))["system"].endswith(f", files in {kind}"))
        here = self.call(f"{SHORMAN}/compare", "--tables").split("; 1 run. ")
        here = next(text for text in here if f"\nFiles in {kind}, " in text and "ours, one process" in text)
        self.assertIn("Where the time goes, 8KB", here)
        self.assertNotIn("Where the time goes, 1MB", here)

    def test_comparing_says_where_kept_runs_had_their_files_elsewhere(self):
        kept = max((self.root / "results" / "papers" / SHORMAN).glob("Intel*/16_cores_2026-11-23_2359*.xz"))
        made = self.root / "build" / "papers" / "results" / SHORMAN / kept.parent.name / kept.name
        made.parent.mkdir(parents=True)
        run = json.loads(lzma.decompress(kept.read_bytes()))
        for kind, says in (("ext4", True), ("tmpfs", False)):
            made.write_bytes(lzma.compress(json.dumps({**run, "system": f"{run['system']}, files in {kind}", "commit": kind}).encode()))
            said = self.call(f"{SHORMAN}/compare", "--tables")
            self.assertIn(f"\nFiles in {kind}, ", said)
            self.assertEqual("Kept runs of these tables had them in a place that was not recorded (tools/pack/run_papers takes /dev/shm" in said, says)
            self.assertEqual("its times here and there are not alike" in said, says)
            self.assertEqual(said.count("TMPDIR=/dev/shm before `run`"), int(says))

    def test_help_is_help(self):
        scripts = [f"{paper}/{name}" for paper in PAPERS for name in ("run", "compare")]
        for script in (*scripts, "all_papers.py", "render_pages.py", "keep_runs.py"):
            with self.subTest(script):
                said = self.call(script, "--help")
                self.assertTrue(said.startswith("usage: "), said[:200])
                self.assertNotIn("Table", said.partition("options:")[2])
        self.assertEqual({path for path in self.files() if "__pycache__" not in path.parts}, set(self.before))
        self.assertFalse((self.root / "build").exists())

    def interrupted(self, arguments, environment, begun):
        """A script that is interrupted, alone, once `begun` is there: what it says on standard error."""
        script = self.root / "reproductions" / arguments[0]
        process = subprocess.Popen([sys.executable, script, *map(str, arguments[1:])], env={**os.environ, **environment}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   text=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))  # fmt: skip
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.kill)
        wait_for(lambda: begun.exists() and begun.read_text().endswith("\n"))
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=MOST_SECONDS)[1]
        self.assertEqual(process.returncode, -signal.SIGINT, said)
        return said.splitlines()

    def slow(self, path, begun):
        """A program that writes its process's number, and that of one that it has started, and does not end."""
        path.write_text(f"#!/bin/sh\nsh -c 'echo $PPID $$ >\"{begun}\"; exec sleep 1000'\nexit 1\n")
        path.chmod(0o755)

    def assert_ended(self, begun):
        for number in begun.read_text().split():
            wait_for(lambda: not is_alive(number))

    def test_an_interrupt_stops_the_build_and_says_so_in_one_line(self):
        begun = self.programs / "begun"
        self.slow(self.programs / "cmake", begun)
        for script in (f"{LIN}/run", "all_papers.py"):
            with self.subTest(script):
                begun.unlink(missing_ok=True)
                lines = self.interrupted([script, *([LIN] if script == "all_papers.py" else [])], {"PATH": f"{self.programs}:{os.environ['PATH']}"}, begun)
                self.assert_ended(begun)
                self.assertTrue(lines[0].startswith("building the library and this paper's programs in ") and "minutes" in lines[0], lines)
                self.assertEqual({line.partition(": ")[2] for line in lines[1:]}, {"interrupted; what it had started is stopped. A build goes on with the next run"})
                self.assertEqual(len(lines), 2 if script == f"{LIN}/run" else 3)

    def test_an_interrupt_stops_a_program(self):
        begun = self.programs / "begun"
        self.slow(self.programs / "lin2017_cbc", begun)
        lines = self.interrupted([f"{LIN}/run", "--programs", self.programs, "--commit", "none"], {}, begun)
        self.assert_ended(begun)
        self.assertEqual(["running lin2017_cbc", "run: interrupted; what it had started is stopped. A build goes on with the next run"], lines)

    def test_an_unknown_paper_is_refused(self):
        for script in ("all_papers.py", "render_pages.py"):
            done = subprocess.run([sys.executable, "-B", self.root / "reproductions" / script, "nobody2000"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2, script)
            self.assertIn("no paper is called nobody2000", done.stderr)


if __name__ == "__main__":
    unittest.main()
