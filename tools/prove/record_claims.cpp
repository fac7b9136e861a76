// Records one claim as two AIGER files, or lists them all.
//
//   record_claims                                 lists the claims, those that are slow with this word behind them
//   record_claims check                           compares specifications with reference/, and recorded arithmetic with real
//   record_claims CLAIM FOLDER [FAULT NUMBER]     writes CLAIM.implementation.aig and CLAIM.specification.aig in FOLDER,
//                                                 and prints the gates of both
//
// FAULT makes the implementation wrong on purpose, for tests: `operation` complements the result of the NUMBER-th operation
// of words, `shift` shifts one bit further in the NUMBER-th shift, `inputs` exchanges input NUMBER (of a key or block) and
// the next, `rarely` complements the first output where the first NUMBER inputs are ones.
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "arithmetic_check.hpp"
#include "claims.hpp"
#include "outside_cores/ghash_specification.hpp"
#include "outside_cores/instruction_check.hpp"
#include "outside_cores/polynomials.hpp"
#include "recorded_integer.hpp"
#include "specifications.hpp"

namespace prove {

Signals unknown_memory(void* memory, std::size_t num_bytes) {
  const Signals bits = graph().inputs(8 * num_bytes);
  write_memory(memory, bits);
  return bits;
}

Signals one_of_equal_lanes(const std::vector<Signals>& outputs, const std::vector<Signals>& inputs) {
  for (std::size_t lane = 1; lane < outputs.size(); ++lane) {
    if (graph().with_inputs(outputs[lane], inputs[lane], inputs[0]) != outputs[0]) {
      throw std::runtime_error("lane " + std::to_string(lane) + " is not the circuit of lane 0");
    }
  }
  return outputs[0];
}

namespace {

std::vector<Claim> all_claims() {
  std::vector<Claim> all;
  for (const auto& family :
       {transpose_claims,   mode_claims,         range_claims,           packed_claims,         gcm_range_claims,
        des_claims,         gpu_des_claims,      des_vector_claims,      serpent_claims,        aes_claims,
        gpu_aes_claims,     warp_counter_claims, aes_instruction_claims, sliced_twofish_claims, packed_twofish_claims,
        gpu_twofish_claims, ghash_claims,        gpu_ghash_claims,       word_claims,           plain_word_claims,
        word_neon_claims,   tweak_claims,        padding_claims}) {
    const std::vector<Claim> claims = family();
    all.insert(all.end(), claims.begin(), claims.end());
  }
  return all;
}

// Makes the recorded implementation wrong.
void exchange_inputs(Signals& implementation, std::size_t number) {
  const Literal first = graph().input_made(number);
  const Literal second = graph().input_made(number + 1);
  implementation = graph().with_inputs(implementation, {first, second}, {second, first});
}
void go_wrong_rarely(Signals& implementation, std::size_t number) {
  Literal all = one;
  for (std::size_t i = 1; i <= number; ++i) all = graph().and_of(all, static_cast<Literal>(2 * i));
  implementation[0] = graph().xor_of(implementation[0], all);
}

Recording record_with_fault(const Claim& claim, const std::string& name, std::size_t number) {
  const Fault fault = name == "operation" ? Fault::operation : name == "shift" ? Fault::shift : Fault::none;
  if (fault != Fault::none) plant_fault(fault, number);
  Recording recording = claim.record();
  if (fault != Fault::none && num_recorded(fault) < number) {
    throw std::runtime_error("it has only " + std::to_string(num_recorded(fault)) + " of these");
  }
  if (name == "inputs") exchange_inputs(recording.implementation, number);
  if (name == "rarely") go_wrong_rarely(recording.implementation, number);
  return recording;
}

int record(const Claim& claim, const std::string& folder, const std::string& fault, std::size_t number) {
  const Recording recording = record_with_fault(claim, fault, number);
  if (claim.by_polynomials) {
    const PolynomialDifference difference = compare_polynomials(recording.implementation, recording.specification);
    std::printf("%s polynomials of %zu products, %zu of %zu bits differ\n",
                difference.num_outputs == 0 ? "equal" : "different", difference.num_products, difference.num_outputs,
                recording.implementation.size());
    return EXIT_SUCCESS;
  }
  Signals both = recording.implementation;
  both.insert(both.end(), recording.specification.begin(), recording.specification.end());
  const Signals inputs = graph().inputs_of(both);
  const std::string path = folder + "/" + claim.name;
  const std::size_t gates = graph().write(path + ".implementation.aig", inputs, recording.implementation);
  std::printf("%zu %zu\n", gates, graph().write(path + ".specification.aig", inputs, recording.specification));
  return EXIT_SUCCESS;
}

int check() {
  const bool real = recorded_arithmetic_is_real();
  const bool agree = specified_des_is_the_reference() && specified_serpent_is_the_reference() &&
                     specified_aes_is_the_reference() && specified_twofish_is_the_reference() &&
                     specified_ghash_is_the_reference();
  const InstructionCheck instructions = recorded_instructions_are_real();
  if (!instructions.agree) std::puts("a recorded instruction differs from the machine's");
  if (!real) std::puts("recorded arithmetic differs from the machine's");
  std::puts(agree ? "the specifications give what reference/ gives" : "a specification differs from reference/");
  std::printf("%u instructions are the machine's\n", instructions.num_compared);
  return real && agree && instructions.agree ? EXIT_SUCCESS : EXIT_FAILURE;
}

int run(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "check") return check();
  for (const Claim& claim : all_claims()) {
    if (argc == 1) std::printf("%s%s\n", claim.name.c_str(), claim.slow ? " slow" : "");
    if (claim.name == what && argc > 2)
      return record(claim, argv[2], argc > 4 ? argv[3] : "", argc > 4 ? std::stoul(argv[4]) : 0);
  }
  if (argc == 1) return EXIT_SUCCESS;
  std::fputs("usage: record_claims [check | CLAIM FOLDER [operation|shift|inputs|rarely NUMBER]]\n", stderr);
  return EXIT_FAILURE;
}

}  // namespace
}  // namespace prove

int main(int argc, char** argv) {
  try {
    return prove::run(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "record_claims: %s\n", e.what());
    return EXIT_FAILURE;
  }
}
