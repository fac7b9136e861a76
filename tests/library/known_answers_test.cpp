// self_test itself: its table, that every engine passes it, and that a broken engine does not.
#include "engine/library/known_answers.hpp"

#include <gtest/gtest.h>

#include "engine/engines/cpu/instruction_sets.hpp"
#include "engine/engines/registry.hpp"
#include "engine/library/names/cipher_name.hpp"
#include "engine/modes/named_cipher.hpp"
#include "reference/reference.hpp"
#include "tested_engines.hpp"

namespace phalanx::test {
namespace {

TEST(KnownAnswers, AreThoseOfTheReference) {
  std::size_t count = 0;
  for (const KnownAnswer& answer : known_answers()) {
    const CipherFacts& facts = cipher_facts(answer.name);
    const bool whole_blocks = facts.tag_bytes == 0 && takes_padding(parse_cipher_name(answer.name).mode);
    const Buffer out = reference::crypt(answer.name, Direction::encrypt, known_answer_key(facts.key_bytes),
                                        known_answer_iv(facts.iv_bytes), known_answer_message(whole_blocks));
    EXPECT_EQ(fingerprint_of(out), answer.fingerprint)
        << answer.name << ": the table should say " << std::hex << "0x" << fingerprint_of(out);
    ++count;
  }
  EXPECT_EQ(count, all_cipher_facts().size()) << "a cipher and mode without a known answer";
}

class SelfTest : public OnEveryEngine {};
PHALANX_ON_EVERY_ENGINE(SelfTest);

TEST_P(SelfTest, Passes) { EXPECT_NO_THROW(self_test(engine())); }

constexpr auto aes_128 = static_cast<unsigned>(CipherKernel::aes_128);

const Kernel& scalar_aes() { return *instruction_sets()[0].kernels[aes_128]; }

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
  broken_set.kernels[aes_128] = &broken_aes;
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
