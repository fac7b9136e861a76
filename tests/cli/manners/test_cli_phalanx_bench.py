"""phalanx-bench: its options, its JSON and its page, and the files that it never overwrites. Nothing here is about speed."""

import html.parser
import json
import pathlib
import re
import subprocess
import sys

import pytest
from conftest import PHALANX_BENCH, Phalanx, random_bytes

QUICK = ("--seconds", "0.001", "--threads", "1", "--engine", "cpu:scalar")
SMALL = (*QUICK, "--cipher", "aes-128", "--mode", "ctr", "--size", "1K")


@pytest.fixture
def phalanx(tmp_path):
    if PHALANX_BENCH is None:
        pytest.skip("PHALANX_BENCH_PROGRAM does not say where phalanx-bench is")
    return Phalanx(tmp_path, PHALANX_BENCH)


def run_json(phalanx, *arguments):
    return json.loads(phalanx.run(*arguments, "--json", "-", check=0).stdout)


def test_the_table_names_what_ran(phalanx):
    text = phalanx.run(*SMALL, "--peers", "openssl", check=0).stdout.decode()
    row = next(line for line in text.splitlines() if line.startswith("aes-128-ctr enc 1K"))
    assert "cpu:scalar" in row and "x openssl" in row
    assert any(line.split()[0] == "openssl" for line in text.splitlines() if line.startswith(" " * 20))


def test_json_has_every_figure(phalanx):
    result = run_json(phalanx, *SMALL, "--peers", "--commit", "0123abcd")
    assert result["format"] == "phalanx-bench" and result["format_version"] == 1
    assert result["commit"] == "0123abcd" and re.fullmatch(r"\d{4}-\d\d-\d\d", result["date"])
    assert result["cpu"] and result["cores"] >= 1 and result["compiler"] and "openssl" in [p["name"] for p in result["peers"]]
    (measurement,) = result["measurements"]
    assert (measurement["cipher"], measurement["mode"], measurement["direction"]) == ("aes-128", "ctr", "encrypt")
    assert measurement["message_bytes"] == 1024 and measurement["messages"] == 1 and measurement["keys"] == "one"
    ours, *others = measurement["figures"]
    assert ours["name"] == "cpu:scalar" and ours["kind"] == "engine" and ours["threads"] == 1
    assert {figure["kind"] for figure in others} == {"peer"}
    for figure in measurement["figures"]:
        assert figure["checked_with"] == "reference" and figure["samples"] >= 3
        for quantity in ("seconds", "cycles_per_byte"):
            assert 0 < figure[quantity]["low"] <= figure[quantity]["median"] <= figure[quantity]["high"]
        assert figure["megabytes_per_second"] == pytest.approx(1024 / figure["seconds"]["median"] / 1e6)
    assert set(ours["times_as_fast_as"]) == {figure["name"] for figure in others}


def test_json_to_a_file_leaves_the_table(phalanx):
    done = phalanx.run(*SMALL, "--json", "out.json", check=0)
    assert b"aes-128-ctr" in done.stdout
    assert json.loads(phalanx.read("out.json"))["measurements"]
    assert phalanx.names() == ["out.json"]


def test_batches_and_directions(phalanx):
    result = run_json(phalanx, *QUICK, "--cipher", "3des,twofish-128", "--mode", "cbc,xts", "--size", "64", "--batch", "20:own-keys")
    kinds = [(m["cipher"], m["mode"], m["direction"], m["messages"], m["keys"]) for m in result["measurements"]]
    assert kinds == [
        ("des-ede3", "cbc", "encrypt", 20, "own"), ("des-ede3", "cbc", "decrypt", 20, "own"),
        ("twofish-128", "cbc", "encrypt", 20, "own"), ("twofish-128", "cbc", "decrypt", 20, "own"),
        ("twofish-128", "xts", "encrypt", 20, "own"),
    ]  # fmt: skip


def test_every_cipher_and_mode_runs_on_every_engine(phalanx):
    everything = ("--cipher", "all", "--mode", "all", "--engine", "all", "--size", "64", "--direction", "both")
    result = run_json(phalanx, "--seconds", "0.001", "--threads", "1", *everything)
    ciphers = {m["cipher"] for m in result["measurements"]}
    assert len(ciphers) == 13 and len(result["measurements"]) == 2 * (4 * 5 + 9 * 7)


def test_in_place_and_memory(phalanx):
    result = run_json(phalanx, *QUICK, "--cipher", "aes-128", "--mode", "ecb", "--size", "4M", "--in-place")
    (measurement,) = result["measurements"]
    assert measurement["in_place"] and [f["name"] for f in measurement["figures"]] == ["cpu:scalar", "memory, in place"]


def test_a_peer_stands_in_with_ecb_where_it_lacks_the_mode(phalanx):
    result = run_json(phalanx, *QUICK, "--cipher", "des-ede3", "--mode", "ctr", "--size", "64", "--peers", "openssl")
    assert [f["ran"] for f in result["measurements"][0]["figures"]] == ["des-ede3-ctr", "des-ede3-ecb"]


@pytest.mark.parametrize("arguments, words", [
    (("--cipher", "rot13"), ("--cipher", "rot13", "aes-256")),
    (("--mode", "ctr,,cbc"), ("--mode", "empty")),
    (("--mode", "siv"), ("--mode", "siv", "gcm")),
    (("--size", "100"), ("--size", "multiples of 16")),
    (("--size", "5G"), ("--size",)),
    (("--threads", "0"), ("--threads",)),
    (("--engine", "cpu:mmx"), ("cpu:mmx", "unknown")),
    (("--direction", "sideways"), ("--direction", "both")),
    (("--batch", "many"), ("--batch", "own-keys")),
    (("--batch", "1000000", "--size", "1M"), ("--batch", "8G")),
    (("--peers", "nobody"), ("--peers", "nobody", "openssl")),
    (("--seconds", "-1"), ("--seconds", "seconds")),
    (("--seconds", "nan"), ("--seconds",)),
    (("--cipher", "des", "--mode", "gcm"), ("nothing is left",)),
    (("--mode", "gcm", "--batch", "4:own-keys"), ("nothing is left",)),
    (("--plan", "plan.json", "--cipher", "des"), ("--plan",)),
    (("--results", "r.json", "--plan", "plan.json"), ("--results", "--plan")),
    (("--unheard-of",), ("--unheard-of",)),
])  # fmt: skip
def test_wrong_options(phalanx, arguments, words):
    phalanx.write("plan.json", b"[]")
    phalanx.assert_refused(phalanx.run(*arguments), 2, *words)


def test_files_that_are_not_what_they_should_be(phalanx):
    phalanx.write("plan.json", b'[{"cipher": 7}]')
    phalanx.assert_refused(phalanx.run("--plan", "plan.json"), 2, "plan.json", "no plan")
    phalanx.write("result.json", b'{"format": "phalanx-bench"}')
    phalanx.assert_refused(phalanx.run("--results", "result.json"), 2, "result.json", "--json")
    phalanx.write("noise", random_bytes(5000))
    phalanx.assert_refused(phalanx.run("--results", "noise"), 2, "noise")
    phalanx.assert_refused(phalanx.run("--results", "missing"), 1, "missing")


def test_files_are_not_overwritten_unasked(phalanx):
    phalanx.write("out.json", b"mine")
    phalanx.assert_refused(phalanx.run(*SMALL, "--json", "out.json"), 2, "out.json", "--force")
    assert phalanx.read("out.json") == b"mine"
    phalanx.run(*SMALL, "--json", "out.json", "--force", check=0)
    assert json.loads(phalanx.read("out.json"))


class ResourceFinder(html.parser.HTMLParser):
    """Everything of a page that would be fetched, and the tags that are open at its end."""

    VOID = {"meta", "link", "br", "img"}

    def __init__(self):
        super().__init__()
        self.fetched, self.open, self.tags = [], [], set()

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.fetched += [value for name, value in attributes if name in ("src", "href", "data", "xlink:href")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.add(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_report_is_one_page_that_needs_nothing_else(phalanx):
    plan = [
        {"cipher": "aes-128", "mode": "ctr", "size": "16..512,64K", "threads": "1", "engine": "cpu:scalar", "peers": "openssl",
         "target": {"engine": "cpu:scalar", "times_as_fast_as": {"openssl": 1}}},
        {"cipher": "aes-128", "mode": "ctr", "size": "1M", "threads": "1,2,3", "engine": "cpu:scalar"},
    ]  # fmt: skip
    phalanx.write("plan.json", json.dumps(plan).encode())
    phalanx.run("--seconds", "0.001", "--plan", "plan.json", "--report", "report.html", "--json", "r.json", check=0)
    page = phalanx.read("report.html").decode()
    finder = ResourceFinder()
    finder.feed(page)
    assert finder.fetched == [] and finder.open == [] and "script" not in finder.tags and "svg" in finder.tags
    outside = page.replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"https?:|//|url\(|@import", outside), re.search(r".{30}(https?:|//|url\(|@import).{30}", outside)
    assert "prefers-color-scheme: dark" in page and "width=device-width" in page
    # The same from the kept figures, without measuring.
    phalanx.run("--results", "r.json", "--report", "again.html", check=0)
    assert phalanx.read("again.html").decode() == page
    (phalanx.folder / "pictures").mkdir()
    phalanx.run("--results", "r.json", "--pictures", "pictures", check=0)
    names = sorted(path.name for path in (phalanx.folder / "pictures").iterdir())
    assert names == ["against_libraries.svg", "rate_by_size.svg", "scaling.svg"]
    for name in names:
        assert (phalanx.folder / "pictures" / name).read_text().startswith("<svg ")


def test_goals_say_what_was_measured_and_by_how_much(phalanx):
    entry = {"cipher": "aes-128", "mode": "ctr", "size": "64K", "threads": "1", "engine": "cpu:scalar", "peers": "openssl",
             "target": {"engine": "cpu:scalar", "times_as_fast_as": {"fastest": 1e6}}}  # fmt: skip
    phalanx.write("plan.json", json.dumps([entry]).encode())
    lines = phalanx.run("--seconds", "0.001", "--plan", "plan.json", "--json", "r.json", check=0).stdout.decode().splitlines()
    assert re.search(r"at least 1e\+06 x the fastest other, openssl +\S+ +MISSED by 1e\+02 %$", lines[-2]), lines[-2]
    assert lines[-1] == "0 of 1 goals met, 1 missed"
    # A kept run that was twice as fast shows the regression; one of another processor does not.
    kept = json.loads(phalanx.read("r.json"))
    kept["measurements"][0]["figures"][0]["cycles_per_byte"]["median"] /= 2
    phalanx.write("kept.json", json.dumps(kept).encode())
    lines = phalanx.run("--results", "r.json", "--kept", "kept.json", check=0).stdout.decode().splitlines()
    assert lines[-2].endswith("MISSED by 47 %") and f"at least 0.95 of the kept run of {kept['date']}" in lines[-2], lines
    phalanx.write("other.json", json.dumps({**kept, "cpu": "another"}).encode())
    assert b"kept run" not in phalanx.run("--results", "r.json", "--kept", "other.json", check=0).stdout
    phalanx.assert_refused(phalanx.run("--plan", "plan.json", "--kept", "plan.json"), 2, "plan.json")


def test_kept_results_are_unpacked_the_newest_last(phalanx):
    script = pathlib.Path(__file__).resolve().parents[3] / "bench/unpack_kept.py"
    done = subprocess.run([sys.executable, "-B", script, phalanx.folder / "kept"], capture_output=True, text=True, check=True)
    paths = done.stdout.split()
    dates = [json.loads(pathlib.Path(path).read_text())["date"] for path in paths]
    assert dates and dates == sorted(dates)
    shown = phalanx.run("--results", paths[-1], "--kept", *paths, check=0).stdout.decode()
    assert "of the kept run of" in shown and " goals met, " in shown.splitlines()[-1]


def test_a_plan_and_results_are_never_overwritten(phalanx):
    phalanx.write("plan", b"[]")
    phalanx.write("results", b"{}")
    for option in ("--json", "--report"):
        phalanx.assert_refused(phalanx.run("--plan", "plan", option, "plan", "-f"), 2, "the plan")
        (phalanx.folder / "other").symlink_to("plan")
        phalanx.assert_refused(phalanx.run("--plan", "plan", option, "other", "-f"), 2, "the plan")
        (phalanx.folder / "other").unlink()
    phalanx.assert_refused(phalanx.run("--results", "results", "--report", "results", "-f"), 2, "the results")
    assert phalanx.read("plan") == b"[]" and phalanx.read("results") == b"{}" and phalanx.names() == ["plan", "results"]


def test_help_and_version(phalanx):
    short, whole = (phalanx.run(option, check=0).stdout.decode() for option in ("--help", "--help-all"))
    assert "--plan" in short and "--batch" not in short and "--batch" in whole
    assert len(short.splitlines()) <= 40 and max(map(len, short.splitlines() + whole.splitlines())) <= 100
    phalanx.write("plan.json", b'[{"cipher": "des", "size": "1K", "threads": "1"}]')
    examples = re.findall(r"^    phalanx-bench (.*)$", short, re.MULTILINE)
    assert len(examples) == 2
    for example in examples:
        phalanx.run(*example.split(), "--seconds", "0.001", check=0)
    assert re.fullmatch(rb"phalanx-bench \d+\.\d+\.\d+\n", phalanx.run("--version", check=0).stdout)
