// The reference of XAES-256-GCM: what its specification gives between key and ciphertext, and its accumulated tests.
#include <gtest/gtest.h>

#include "reference/plain_xaes.hpp"
#include "tests/accumulated_cases.hpp"
#include "tests/vector_file.hpp"

namespace phalanx::test {
namespace {

TEST(PlainXaes, DerivesAsPublished) {
  const auto records = load_records(vectors_folder() / "xaes_256_gcm.txt");
  ASSERT_EQ(records.size(), 2U);
  for (const Record& record : records) {
    const reference::XaesDerivation derived = reference::derive_xaes(record.bytes("key"), record.bytes("iv"));
    EXPECT_EQ(to_hex(derived.L), record.text("L")) << record.where;
    EXPECT_EQ(to_hex(derived.K1), record.text("K1")) << record.where;
    EXPECT_EQ(to_hex(derived.M1), record.text("M1")) << record.where;
    EXPECT_EQ(to_hex(derived.M2), record.text("M2")) << record.where;
    EXPECT_EQ(to_hex(derived.Kx), record.text("Kx")) << record.where;
    EXPECT_EQ(to_hex(derived.Nx), record.text("Nx")) << record.where;
  }
}

TEST(PlainXaes, AccumulatesAsPublished) {
  const auto records = load_records(vectors_folder() / "accumulated/xaes_256_gcm.txt");
  const Record& record = records.at(0);  // the other takes minutes
  const std::size_t iterations = std::stoul(record.text("iterations"));
  AccumulatedCases cases(iterations);
  EXPECT_EQ(to_hex(cases.beginning()), record.text("rng_begins"));
  AccumulatedHash hash;
  for (std::size_t i = 0; i < iterations; ++i) {
    const AccumulatedCase given = cases.next();
    hash.add(reference::xaes_seal(given.key, given.nonce, given.aad, given.plaintext));
  }
  EXPECT_EQ(to_hex(hash.finish()), record.text("hash"));
}

TEST(PlainXaes, TakesNothingElse) {
  EXPECT_THROW(reference::derive_xaes(ByteVector(16), ByteVector(24)), std::invalid_argument);
  EXPECT_THROW(reference::derive_xaes(ByteVector(32), ByteVector(12)), std::invalid_argument);
}

}  // namespace
}  // namespace phalanx::test
