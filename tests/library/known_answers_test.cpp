// self_test itself: its table, that every engine passes it, and that a broken engine does not.
#include "library/known_answers.hpp"

#include <gtest/gtest.h>

#include "engines/cpu/instruction_sets.hpp"
#include "engines/registry.hpp"
#include "modes/mode_facts.hpp"
#include "reference/reference.hpp"
#include "tested_engines.hpp"

namespace phalanx::test {
namespace {

TEST(KnownAnswers, AreThoseOfTheReference) {
  std::size_t count = 0;
  for (const KnownAnswer& answer : known_answers()) {
    const NamedCipher named = parse_cipher_name(answer.name);
    const bool whole_blocks = takes_whole_blocks(named.mode);
    const Buffer iv = known_answer_iv(iv_bytes(named));
    const Buffer out = reference::crypt(answer.name, Direction::encrypt, known_answer_key(key_bytes(named)), iv,
                                        known_answer_message(whole_blocks));
    EXPECT_EQ(fingerprint_of(out), answer.fingerprint)
        << answer.name << ": the table should say " << std::hex << "0x" << fingerprint_of(out);
    ++count;
  }
  std::size_t combinations = 0;
  for (const CipherSpec& cipher : all_ciphers()) {
    for (unsigned mode = 0; mode < num_modes; ++mode) combinations += is_mode_of(cipher, static_cast<Mode>(mode)) ? 1 : 0;
  }
  EXPECT_EQ(count, combinations) << "a cipher and mode without a known answer";
}

class SelfTest : public OnEveryEngine {};
PHALANX_ON_EVERY_ENGINE(SelfTest);

TEST_P(SelfTest, Passes) { EXPECT_NO_THROW(self_test(engine())); }

const Kernel& scalar_aes() { return *instruction_sets()[0].aes_128; }

// CBC decryption with one bit wrong.
void broken_cbc(const void* schedule, std::uint8_t* iv, const std::uint8_t* in, std::uint8_t* out, std::size_t num_blocks) {
  scalar_aes().range[static_cast<unsigned>(Mode::cbc)][1](schedule, iv, in, out, num_blocks);
  if (num_blocks != 0) out[num_blocks * 16 - 1] ^= 1;
}

TEST(BrokenEngine, FailsTheSelfTest) {
  static Kernel broken_aes = scalar_aes();
  broken_aes.range[static_cast<unsigned>(Mode::cbc)][1] = broken_cbc;
  static InstructionSet broken_set = instruction_sets()[0];
  broken_set.name = "broken";
  broken_set.aes_128 = &broken_aes;
  add_cpu_engine(broken_set);
  try {
    self_test("cpu:broken");
    FAIL() << "the self-test passed";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::runtime);
    EXPECT_NE(std::string(error.what()).find("aes-128-cbc on cpu:broken"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace phalanx::test
