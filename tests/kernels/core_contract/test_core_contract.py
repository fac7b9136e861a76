"""The contract of a core (src/engine/ciphers/block_core.hpp): each trait that is left out or contradicted is an error that says so in words."""

import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
COMPILER = os.environ["PHALANX_CXX"]
PROGRAM = """
#include "toy_core.hpp"
#include "engine/engines/cpu/kernels/kernel_table.hpp"
namespace phalanx {
using Toy = ToyCore<ToyTraits{%(traits)s}>;
struct Hidden {};  // its members are of no type that a trait has
struct Core : Toy { %(members)s };
static_assert(is_kernel_core<Core>());
}
"""
HIDDEN = "static constexpr Hidden {} {{}};".format
LEFT_OUT = {
    "block_bytes": "a core says its block_bytes and its lanes",
    "lanes": "a core says its block_bytes and its lanes",
    "stores_last_first": "a core says whether it stores_last_first",
    "fetches": "a core says what it fetches",
    "num_steps_beside": "a core says its num_steps_beside",
    "serial_blocks": "a kernel's core says its serial_blocks",
    "serial_messages": "a kernel's core says its serial_blocks",
    "key_stack_bytes": "a kernel's core says what it leaves on the stack",
    "lane_key_stack_bytes": "a kernel's core says what it leaves on the stack",
    "round_stack_bytes": "a kernel's core says what it leaves on the stack",
    "lane_round_stack_bytes": "a kernel's core says what it leaves on the stack",
    "clean_blocks": "a kernel's core says what it leaves on the stack",
    "key_lanes": "a kernel's core has LaneSchedules, key_lanes",
    "sets_lanes": "a kernel's core has LaneSchedules, key_lanes",
}
CONTRADICTED = [  # the toy's traits, what a core puts over them, what must be said
    ("", "static constexpr std::size_t block_bytes = 12;", "a core's blocks have 8 or 16 bytes"),
    ("", "struct Vector { char bytes[48]; };", "a core's group is a whole number of its vectors"),
    ("", "static constexpr Fetches fetches = Fetches::ahead;", "a core fetches something where its crypt takes a PrefetchHint"),
    (".fetches = Fetches::ahead", "static constexpr Fetches fetches = Fetches::nothing;", "a core fetches something where"),
    ("", "static constexpr int num_steps_beside = 9;", "a core's num_steps_beside is 0 where it has no crypt_beside"),
    (".num_steps_beside = 9", "static constexpr int num_steps_beside = 0;", "a core's num_steps_beside is 0 where"),
    (".num_steps_beside = 9", "static void fetch_line();", "a core with crypt_beside has fetch_line"),
    ("", "static constexpr std::size_t key_lanes = 2;", "a core's key_lanes are 0 where it has no expand_lane_keys"),
    (".key_lanes = 4", "static constexpr std::size_t key_lanes = 0;", "a core's key_lanes are 0 where it has no"),
    (".key_lanes = 4", "static constexpr std::size_t key_lanes = 3;", "a core's lanes are a multiple of its key_lanes"),
    ("", "static constexpr SetsLanes sets_lanes = SetsLanes::by_direction;", "a core without expand_lane_keys sets its lanes whole"),
    (".key_lanes = 4", "static constexpr SetsLanes sets_lanes = SetsLanes::never;", "a core sets its lanes whole where it has set_lane"),
    (".key_lanes = 4, .sets_lanes = SetsLanes::by_direction", "static constexpr SetsLanes sets_lanes = SetsLanes::never;",
     "a core sets its lanes by_direction where it has set_lane_for"),
    ("", "static void expand_key();", "a kernel's core has expand_key"),
    ("", "static void crypt_lanes();", "a kernel's core has crypt_lanes"),
    ("", "static void crypt_block();", "a core has crypt and crypt_block"),
    (".block_bytes = 8", "static void crypt_counters();", "a core of 64-bit blocks has crypt_counters"),
    ("", "static constexpr std::size_t padded_blocks = 9;", "a core's padded_blocks are 1 to its lanes"),
    ("", "using Narrower = Toy;", "a core's Narrower core has fewer lanes"),
    ("", "using Narrower = ToyRangeCore<ToyTraits{.block_bytes = 8, .lanes = 2}>;", "a core's Narrower core has blocks of the same size"),
    ("", "struct Narrower : ToyRangeCore<ToyTraits{.lanes = 2}> { struct Schedule : ToySchedule {}; };", "a core's Narrower core takes the same Schedule"),
]


def errors_of(traits, members):
    source = PROGRAM % {"traits": traits, "members": members}
    command = [COMPILER, "-std=c++20", "-fsyntax-only", "-x", "c++", "-", f"-I{ROOT}/src", f"-I{ROOT}/include", f"-I{pathlib.Path(__file__).parent}"]
    result = subprocess.run(command, input=source, capture_output=True, text=True, env=os.environ | {"LC_ALL": "C"})
    return [line for line in result.stderr.splitlines() if "error:" in line]


def test_a_core_that_fits_is_taken():
    assert errors_of("", "") == []


@pytest.mark.parametrize("trait", LEFT_OUT)
def test_a_trait_left_out_is_said(trait):
    first = errors_of("", HIDDEN(trait))[0]
    assert LEFT_OUT[trait] in first


@pytest.mark.parametrize("traits, members, said", CONTRADICTED)
def test_a_trait_contradicted_is_said(traits, members, said):
    assert any(said in line for line in errors_of(traits, members))
