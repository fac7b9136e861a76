"""Other ways to say the same: OUT as an option, sizes with suffixes, a padding that is none anyway."""

import pytest
from conftest import IV16, KEY, OLD, random_bytes, seal_old, unknown_format

CTR = ["--cipher", "aes-256-ctr", "--iv", IV16, *KEY]
WRITERS = {
    "encrypt": ["encrypt", *KEY],
    "decrypt": ["decrypt", *KEY],
    "raw encrypt": ["raw", "encrypt", *CTR],
    "raw decrypt": ["raw", "decrypt", *CTR],
    "migrate": ["migrate", *OLD, *KEY],
}
INPUTS = {"decrypt": "BOX", "migrate": "OLD"}


@pytest.fixture
def sources(files):
    seal_old(files, "OLD", unknown_format(100))
    return files


@pytest.mark.parametrize("command", WRITERS)
@pytest.mark.parametrize("option", [["-o", "OUT"], ["--output", "OUT"], ["--output=OUT"]], ids=["short", "long", "joined"])
def test_out_as_an_option(sources, command, option):
    source = INPUTS.get(command, "IN")
    sources.run(*WRITERS[command], *option, source, check=0)
    sources.run(*WRITERS[command], source, "OUT2", check=0)
    assert len(sources.read("OUT")) == len(sources.read("OUT2")) != 0
    if command not in ("encrypt", "migrate"):  # which draw new keys
        assert sources.read("OUT") == sources.read("OUT2")
    refused = sources.run(*WRITERS[command], source, *option)
    sources.assert_refused(refused, 2, "OUT exists", "--force")


@pytest.mark.parametrize("command", ["encrypt", "raw encrypt"])
def test_out_as_an_option_and_standard_input(sources, command):
    sources.run(*WRITERS[command], "-o", "OUT", stdin=bytes(10), check=0)
    assert len(sources.read("OUT")) >= 10


@pytest.mark.parametrize("command", WRITERS)
def test_out_given_twice(sources, command):
    before = sources.names()
    done = sources.run(*WRITERS[command], INPUTS.get(command, "IN"), "OUT", "-o", "OUT2")
    sources.assert_refused(done, 2, "OUT", "--output", "give one of them")
    assert sources.names() == before


def test_the_key_of_keygen(phalanx):
    phalanx.run("keygen", "-o", "key", check=0)
    assert len(phalanx.read("key")) == 32
    phalanx.assert_refused(phalanx.run("keygen", "-o", "a", "b"), 2, "give one of them")
    assert phalanx.names() == ["key"]


def test_in_place_takes_no_out_as_an_option(sources):
    done = sources.run("raw", "encrypt", *CTR, "--in-place", "IN", "-o", "OUT")
    sources.assert_refused(done, 2, "--in-place")


@pytest.mark.parametrize(
    "text, begin, end",
    [("1K:1K", 1024, 2048), ("1k:1k", 1024, 2048), ("0:2K", 0, 2048), ("10:1K", 10, 1034), ("4K:", 4096, None),
     ("1K:96K", 1024, 99328), ("0K:0", 0, 0), ("97K:10", 99328, 99338)],
)  # fmt: skip
def test_ranges_with_suffixes(files, text, begin, end):
    assert files.run("decrypt", *KEY, "--range", text, "BOX", check=0).stdout == files.read("IN")[begin:end]


@pytest.mark.parametrize("text", ["K:1", "1:K", "1X:1", "1KK:1", "-1:1", "1.5K:1", "1 K:1", "17000000T:1", "1K"])
def test_ranges_that_are_none(files, text):
    files.assert_refused(files.run("decrypt", *KEY, f"--range={text}", "BOX", "OUT"), 2, "--range", "OFFSET:LENGTH")


@pytest.mark.parametrize("mode, options", [("ctr", []), ("cfb", []), ("ofb", []), ("xts", [])])
def test_no_padding_where_there_is_none(files, mode, options):
    files.write("key", random_bytes(64 if mode == "xts" else 32))
    command = ["raw", "encrypt", "--cipher", f"aes-256-{mode}", "--iv", IV16, *KEY, "IN"]
    assert files.run(*command, "--padding", "none", check=0).stdout == files.run(*command, check=0).stdout
    for padding in ("pkcs7", "zero"):
        files.assert_refused(files.run(*command, "--padding", padding), 2, "--padding", "leave it out")
    files.assert_refused(files.run(*command, "--padding", "nonsense"), 2, "nonsense")
