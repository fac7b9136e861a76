"""The quick proofs of `make prove`, and mistakes made on purpose in every family, which must be refuted.

PHALANX_RECORDER is the program record_claims.
"""

import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

PROVE = pathlib.Path(__file__).parents[2] / "tools/prove/prove"
RECORDER = os.environ["PHALANX_RECORDER"]
# Each takes a few seconds.
QUICK = [
    "lemma.*",
    "transpose.*",
    "counters.two_input",
    "counters.gpu*",
    "mode.*",
    "chaining.*",
    "range.*.serial",
    "range.*.scalar",
    "range.xts.*.avx2",
    "range.cbc.decrypt.avx512",
    "range.*.serial_64",
    "range.cbc.decrypt.*_64",
    "packed.*.scalar*",
    "range.gcm.*.aesni",
    "packed.xts.*.avx512",
    "tweaks.*",
    "des.encrypt.lane_keys.two_input",
    "des.decrypt.lane_keys.three_input",
    "des.encrypt.shared_key.three_input",
    "des.encrypt.single_block.avx*",
    "des.encrypt.lane_keys.neon",
    "des.decrypt.shuffled.*",
    "gpu_des.tables",
    "gpu_des.decrypt.*",
    "serpent_256.key_schedule",
    "serpent_keyed.encrypt.rounds",
    "aes_128.*.single_block.aesni.rounds",
    "aes_128.*.single_block.neon.rounds",
    "aes_128.*.avx2_vaes.4_blocks.rounds",
    "aes_256.encrypt.lane_keys.avx512.8_blocks.rounds",
    "gpu_aes.*",
    "gpu_aes_128.*.rounds",
    "twofish.*.avx2.rounds",
    "twofish.g_of_few_blocks.avx2",
    "twofish.g_of_few_blocks.neon",
    "twofish.*.few_blocks.neon.rounds",
    "twofish_128.lane_g.avx512",
    "gpu_twofish.*.rounds",
    "gpu_twofish_128.lane_g",
    "padding.*",
    "xts.*",
    "ctr.*",
    "word.*",
    "ghash.gpu.*",
    "ghash.scalar.*",
    "ghash.avx2.[17]_block*",
    "ghash.avx2_vaes.3_blocks",
    "ghash.avx512.2_in_registers",
    "ghash.neon.2_blocks",
]
# One claim of each family and more, and where in its recording to go wrong: the n-th operation of words, shift or input bit.
FAULTS = [
    ("transpose.to_planes.plain", "inputs", 9),
    ("transpose.from_planes.avx2", "operation", 300),
    ("transpose.to_planes.avx512", "inputs", 700),
    ("transpose.to_planes.neon", "operation", 300),
    ("counters.two_input", "operation", 400),
    ("counters.gpu_block_128", "shift", 9),
    ("counters.gpu_des", "operation", 10),
    ("mode.cbc.decrypt.rows_64", "operation", 1),
    ("mode.ctr.encrypt.rows_128", "operation", 2000),
    ("mode.xts.encrypt.messages_128", "shift", 2),
    ("mode.cfb.encrypt.gpu_128", "inputs", 10),
    ("mode.ctr.decrypt.gpu_128", "operation", 30),
    ("mode.ofb.encrypt.messages_64_in_place", "operation", 1),
    ("chaining.counter_128", "operation", 2),
    ("chaining.tweak", "operation", 300),
    ("chaining.square", "operation", 7),
    ("range.ofb.encrypt.serial", "operation", 20),
    ("range.cbc.decrypt.avx512", "inputs", 300),
    ("range.ctr.encrypt.scalar", "operation", 5000),
    ("range.xts.encrypt.avx2", "operation", 400),
    ("range.ctr.encrypt.scalar_64", "operation", 40),
    ("range.cfb.decrypt.avx512_64", "inputs", 100),
    ("range.cbc.decrypt.neon", "inputs", 300),
    ("packed.cbc.decrypt.avx2", "inputs", 400),
    ("packed.ctr.encrypt.avx2_64", "operation", 300),
    ("packed.xts.encrypt.avx512", "operation", 50),
    ("packed.xts.encrypt.neon", "operation", 50),
    ("range.gcm.decrypt.aesni", "inputs", 200),
    ("range.gcm.encrypt.aesni", "operation", 300),
    ("range.gcm.encrypt.neon", "operation", 207),
    ("tweaks.gpu.powers_of_alpha", "shift", 100),
    ("tweaks.gpu.product", "operation", 2000),
    ("xts.avx2.next", "inputs", 130),
    ("xts.avx512.first", "operation", 3),
    ("xts.avx512.far", "operation", 2),
    ("xts.neon.next", "inputs", 100),
    ("ctr.avx2.later", "operation", 2),
    ("ctr.avx512.first", "operation", 3),
    ("des.encrypt.lane_keys.two_input", "operation", 5000),
    ("des.encrypt.lane_keys.three_input", "operation", 5000),
    ("des.encrypt.lane_keys.neon", "operation", 3000),
    ("des.decrypt.single_block", "operation", 3000),
    ("des.decrypt.shared_key.three_input", "operation", 3500),  # where keys are folded
    ("des.decrypt.shared_key.three_input", "inputs", 20),
    ("des.encrypt.shuffled.avx2.4_blocks", "operation", 900),
    ("des.decrypt.shuffled.avx2.32_blocks", "shift", 800),
    ("2des.encrypt.shuffled.avx512.8_blocks", "operation", 3000),
    ("des.decrypt.shuffled.avx512.64_blocks", "inputs", 70),
    ("3des.decrypt.single_block.avx512", "operation", 9000),
    ("gpu_des.encrypt.shared_key", "operation", 14000),
    ("gpu_des.decrypt.lane_keys", "inputs", 40),
    ("gpu_des.encrypt.by_tables.shared_key", "operation", 11900),
    ("gpu_3des.decrypt.by_tables.lane_keys", "shift", 300),
    ("serpent_128.key_schedule", "operation", 300),
    ("serpent_192.key_schedule", "shift", 100),
    ("serpent_128.encrypt.single_block.two_input", "shift", 400),
    ("serpent_keyed.decrypt.rounds", "operation", 1500),
    ("serpent_128.decrypt.lane_keys.neon", "inputs", 50),
    ("gpu_serpent_192.encrypt.lane_keys", "shift", 350),
    ("aes_128.encrypt.single_block", "operation", 6000),
    ("aes_256.decrypt.single_block", "operation", 9000),
    ("word.plain.logic", "operation", 700),
    ("word.plain.shifts", "shift", 20),
    ("word.plain.numbers", "inputs", 5),
    ("word.aesni.moves", "inputs", 40),
    ("word.avx2.shifts", "shift", 20),
    ("word.avx2.moves", "operation", 50),
    ("word.avx512.logic", "operation", 100),
    ("word.neon.logic", "operation", 100),
    ("word.neon.shifts", "shift", 20),
    ("word.neon.moves", "operation", 30),
    ("word.avx512.moves", "operation", 30),
    ("word.avx512_half.moves", "inputs", 100),
    ("word.avx512_half.memory", "operation", 2),
    ("aes_192.key_schedule.aesni", "operation", 100),
    ("aes_256.lane_key_schedule.avx512.16_blocks", "inputs", 50),
    ("aes_128.encrypt.shared_key.avx2_vaes.4_blocks.rounds", "inputs", 7),
    ("aes_192.decrypt.lane_keys.avx512.8_blocks.rounds", "inputs", 30),
    ("aes_256.decrypt.single_block.aesni.rounds", "operation", 9),
    ("aes_192.key_schedule.neon", "operation", 100),
    ("aes_128.encrypt.single_block.neon.rounds", "operation", 9),
    ("gpu_aes.counter_rounds", "operation", 40),
    ("gpu_aes.counters_of_a_warp", "inputs", 3),
    ("gpu_aes.counters_of_a_warp", "operation", 100),
    ("gpu_aes_192.key_schedule", "operation", 300),
    ("gpu_aes_256.lane_key_schedule", "shift", 70),
    ("gpu_aes_128.encrypt.shared_key.rounds", "operation", 60),
    ("gpu_aes_256.decrypt.lane_keys.rounds", "operation", 200),
    ("twofish_128.decrypt.single_block.two_input", "operation", 9000),
    ("twofish_192.encrypt.single_block.two_input", "shift", 500),
    ("twofish.encrypt.one_group.avx2.rounds", "inputs", 200),
    ("twofish.decrypt.few_blocks.avx512.rounds", "shift", 20),
    ("twofish.g_of_few_blocks.avx2", "operation", 60),
    ("twofish.g_of_few_blocks.avx512", "operation", 30),
    ("twofish.decrypt.few_blocks.neon.rounds", "shift", 20),
    ("twofish.g_of_few_blocks.neon", "operation", 30),
    ("twofish_256.lane_g.avx2", "operation", 200),
    ("twofish_128.lane_key_schedule.avx2.some_lanes", "inputs", 9),
    ("gpu_twofish.decrypt.shared_key.rounds", "operation", 60),
    ("gpu_twofish.encrypt.lane_keys.rounds", "shift", 30),
    ("gpu_twofish_192.g_of_one_table", "operation", 30),
    ("gpu_twofish_256.lane_g", "operation", 100),
    ("gpu_twofish_128.lane_key_schedule", "operation", 3000),
]
# The same of claims that are compared as polynomials.
POLYNOMIAL_FAULTS = [
    ("ghash.scalar.key", "operation", 17),
    ("ghash.scalar.1_block", "operation", 30),
    ("ghash.scalar.5_blocks", "inputs", 40),
    ("ghash.gpu.multiply", "operation", 30),
    ("ghash.gpu.square", "operation", 12),
    ("ghash.gpu.matrices", "operation", 400),
    ("ghash.gpu.8_bits.tables", "operation", 40),
    ("ghash.gpu.8_bits.times", "operation", 40),
    ("ghash.gpu.4_bits.times", "inputs", 100),
    ("ghash.avx2.key", "operation", 40),
    ("ghash.avx2.3_blocks", "operation", 60),
    ("ghash.avx2_vaes.7_blocks", "inputs", 2000),
    ("ghash.avx512.key", "inputs", 5),
    ("ghash.avx512.3_blocks", "operation", 30),
    ("ghash.neon.key", "operation", 40),
    ("ghash.neon.3_blocks", "operation", 60),
]


@pytest.fixture(autouse=True, scope="session")
def berkeley_abc():
    if shutil.which("berkeley-abc") is None:
        pytest.skip("berkeley-abc is missing: tools/develop/install_packages prove")


def prove(*arguments):
    command = [sys.executable, "-B", PROVE, RECORDER, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=900)


def test_specifications_are_the_reference():
    assert subprocess.run([RECORDER, "check"], timeout=100).returncode == 0


def test_quick_proofs():
    run = prove(*QUICK)
    assert run.returncode == 0, run.stdout
    assert run.stdout.splitlines()[-1].split(", ")[:2] == ["264 proved", "0 failed"], run.stdout


def test_planted_faults_are_refuted():
    """Random inputs show them, so that berkeley-abc is not asked."""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        runs = list(pool.map(lambda fault: prove(fault[0], "--fault", *fault[1:]), FAULTS))
    for (claim, _, _), run in zip(FAULTS, runs):
        assert run.returncode == 1, run.stdout
        refuted = rf"^{re.escape(claim)} +REFUTED .*counterexample: [1-9]\d* of \d+ bits differ"
        assert re.search(refuted, run.stdout, re.MULTILINE), run.stdout
        assert run.stdout.splitlines()[-1].startswith("0 proved, 1 failed, ")


@pytest.mark.parametrize("claim", ["padding.pkcs7.8_bytes", "padding.x923.16_bytes", "padding.iso7816.16_bytes", "padding.zero.8_bytes"])
def test_a_wrong_check_of_padding_is_refuted(claim):
    """Random inputs hardly ever are padding."""
    run = prove(claim, "--fault", "operation", 60)
    assert run.returncode == 1, run.stdout
    assert re.search(rf"^{re.escape(claim)} +REFUTED ", run.stdout, re.MULTILINE), run.stdout


@pytest.mark.parametrize("fault", POLYNOMIAL_FAULTS, ids=lambda fault: fault[0])
def test_planted_faults_are_refuted_by_polynomials(fault):
    run = prove(fault[0], "--fault", *fault[1:])
    assert run.returncode == 1, run.stdout
    assert re.search(rf"^{re.escape(fault[0])} +REFUTED .*, [1-9]\d* of \d+ bits differ", run.stdout, re.MULTILINE), run.stdout
    assert run.stdout.splitlines()[-1].startswith("0 proved, 1 failed, ")


def test_a_product_whose_carries_reach_a_bit_fails():
    """A mask that is wrong lets more ones meet than there is room for."""
    run = prove("ghash.scalar.1_block", "--fault", "operation", 200)
    assert run.returncode == 1
    assert re.search(r"BROKEN +record_claims: a product of unknown numbers carries into a bit", run.stdout), run.stdout


@pytest.mark.parametrize("claim", ["des.encrypt.lane_keys.two_input", "counters.two_input"])
def test_a_rare_fault_is_refuted_by_abc_alone(claim):
    """The first output is wrong where 60 inputs are ones: no random inputs show that."""
    run = prove(claim, "--fault", "rarely", 60)
    assert run.returncode == 1, run.stdout
    assert re.search(rf"^{re.escape(claim)} +REFUTED .*says berkeley-abc", run.stdout, re.MULTILINE), run.stdout
    assert run.stdout.splitlines()[-1].startswith("0 proved, 1 failed, ")


def test_abc_does_not_prove_what_is_wrong(tmp_path):
    claim = "des.encrypt.lane_keys.two_input"
    subprocess.run([RECORDER, claim, tmp_path, "operation", "5000"], check=True, capture_output=True, timeout=100)
    for options in ("-y", ""):
        command = f"&read {tmp_path}/{claim}.implementation.aig; &cec {options} {tmp_path}/{claim}.specification.aig"
        said = subprocess.run(["berkeley-abc", "-q", command], capture_output=True, text=True, timeout=100).stdout
        assert "UNDECIDED" in said or "NOT EQUIVALENT" in said
        assert "are equivalent" not in said


def test_undecided_is_not_proved():
    run = prove("aes_128.encrypt.single_block", "--seconds", 1)
    assert "undecided" in run.stdout
    assert run.stdout.splitlines()[-1].startswith("0 proved, 0 failed, ")


def test_a_fault_that_is_never_reached_fails():
    run = prove("serpent_128.key_schedule", "--fault", "operation", 100000)
    assert run.returncode == 1
    assert re.search(r"BROKEN +record_claims: it has only \d+ of these", run.stdout), run.stdout


def test_lanes_that_differ_fail():
    """What goes wrong in one lane only is no circuit for all lanes."""
    run = prove("des.decrypt.shared_key.three_input", "--fault", "operation", 7000)
    assert run.returncode == 1
    assert re.search(r"BROKEN +record_claims: lane \d+ is not the circuit of lane 0", run.stdout), run.stdout


def test_tables_that_differ_between_lanes_fail():
    run = prove("gpu_aes.decrypt.two_tables", "--fault", "operation", 30)
    assert run.returncode == 1
    assert re.search(r"BROKEN +record_claims: lane \d+ looks up something else", run.stdout), run.stdout
