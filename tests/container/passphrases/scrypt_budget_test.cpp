// One budget of scrypt over all that is tried to open a container, the cheapest first.
#include <phalanx/files/container.h>

#include "files/container/format/header.hpp"
#include "files/container/format/passphrase_keys.hpp"
#include "tests/container/container_fixture.hpp"
#include "tests/container/fixed_random_bytes.hpp"
#include "tests/container/passphrases/counted_scrypt.hpp"

namespace phalanx::test {
namespace {

// 2^log2_mebibytes MiB.
ScryptCost cost_of(unsigned log2_mebibytes) { return {static_cast<std::uint8_t>(10 + log2_mebibytes), 8, 1}; }

Recipient by_passphrase(const ByteVector& passphrase) { return {KeyKind::passphrase, passphrase, cost_of(0)}; }

// A container's header for the passphrase, at 1 MiB, among records of these costs that no passphrase opens; it is the last
// record.
ContainerHeader header_with(const ByteVector& passphrase, const std::vector<unsigned>& other_costs) {
  set_random_seed("budget");
  const Suite& suite = find_suite("aes-256");
  const SecretBytes data_key = random_data_key(suite);
  const WrappedKey right = wrap_data_key(unbound(suite), by_passphrase(passphrase), data_key);
  std::vector<WrappedKey> records;
  for (const unsigned log2_mebibytes : other_costs) {
    records.push_back(right);
    records.back().data[0] ^= records.size();  // a salt of its own
    records.back().data[scrypt_salt_bytes] = cost_of(log2_mebibytes).log2_n;
  }
  records.push_back(right);
  return make_header(unbound(suite), records, data_key);
}

using Costs = std::vector<std::uint64_t>;
Costs derived;  // by the last call of open_code

int open_code(const ContainerHeader& header, const std::vector<Recipient>& recipients, std::string_view words = "",
              std::uint64_t budget = CostLimits{}.all_passphrases, std::uint64_t one = CostLimits{}.one_passphrase) {
  static_cast<void>(take_derived());
  std::vector<Identity> identities;
  for (const Recipient& recipient : recipients) identities.push_back(identity_of(recipient));
  const int code = code_of([&] { static_cast<void>(open_header(header, identities, {one, budget})); }, words);
  derived = take_derived();
  return code;
}

const ByteVector right = bytes_of("right");
const ByteVector wrong = bytes_of("wrong");

TEST(ScryptBudget, ACostlyRecordDoesNotStarveACheapOne) {
  const ContainerHeader header = header_with(right, std::vector<unsigned>(15, 10));
  EXPECT_EQ(open_code(header, {by_passphrase(right)}), 0);
  EXPECT_EQ(derived, Costs{1}) << "the cheapest first, though it is the last record";
}

TEST(ScryptBudget, BoundsAllThatIsTried) {
  const ContainerHeader header = header_with(right, std::vector<unsigned>(15, 10));
  EXPECT_EQ(open_code(header, {by_passphrase(wrong)}, "2048 MiB allowed"), 6);
  EXPECT_EQ(derived, (Costs{1, 1024})) << "another 1024 would not fit";
  EXPECT_EQ(open_code(header, {by_passphrase(wrong)}, "0 MiB allowed", 0), 6);
  EXPECT_EQ(derived, Costs{}) << "refused before anything is computed";
  EXPECT_EQ(open_code(header, {by_passphrase(wrong)}, "", 1 * mebibyte + 15 * 1024 * mebibyte), 4);
  EXPECT_EQ(derived.size(), 16U) << "who allows more waits longer";
}

TEST(ScryptBudget, SixteenUsualPassphrasesFit) {
  std::vector<unsigned> usual(15, 7);
  ContainerHeader header = header_with(right, usual);
  header.wrapped_keys.back().data[scrypt_salt_bytes] = ScryptCost{}.log2_n;
  EXPECT_EQ(open_code(header, {by_passphrase(wrong)}), 4) << "the passphrase is wrong, and nothing was refused";
  EXPECT_EQ(derived, Costs(16, 128));
  EXPECT_EQ(open_code(header, {by_passphrase(wrong), by_passphrase(wrong)}, "allowed"), 6);
  EXPECT_EQ(derived, Costs(16, 128)) << "the budget is the container's, not each passphrase's";
}

TEST(ScryptBudget, EachPassphraseIsTriedOnTheCheapRecordsFirst) {
  const ContainerHeader header = header_with(right, {3, 5});
  EXPECT_EQ(open_code(header, {by_passphrase(wrong), by_passphrase(right)}), 0);
  EXPECT_EQ(derived, (Costs{1, 1}));
}

TEST(ScryptBudget, OnePassphraseHasALimitOfItsOwn) {
  const ContainerHeader header = header_with(right, {5});
  EXPECT_EQ(open_code(header, {by_passphrase(wrong)}, "more than 16 MiB", std::uint64_t{2} << 30, 16 * mebibyte), 6);
  EXPECT_EQ(derived, Costs{1});
  EXPECT_EQ(open_code(header, {by_passphrase(wrong)}, "", std::uint64_t{2} << 30, 32 * mebibyte), 4);
  EXPECT_EQ(derived, (Costs{1, 32}));
}

TEST(ScryptBudget, KeysCostNothing) {
  set_random_seed("key");
  const ByteVector key(32, 1);
  const Recipient holder{KeyKind::key, key, {}};
  ByteVector sealed(container_bytes("aes-256", std::vector{by_passphrase(right), holder}, 0));
  seal_container("aes-256", std::vector{by_passphrase(right), holder}, {}, sealed);
  EXPECT_EQ(ContainerReader(sealed, std::vector{identity_of(holder)}, {}, {.all_passphrases = 0}).size(), 0U);
  EXPECT_EQ(code_of([&] {
              ContainerReader(sealed, std::vector{identity_of(by_passphrase(right))}, {}, {.all_passphrases = mebibyte - 1});
            }),
            6);
  EXPECT_EQ(code_of([&] {
              ContainerReader(sealed, std::vector{identity_of(by_passphrase(right))}, {}, {.all_passphrases = mebibyte});
            }),
            0);
}

TEST(ScryptBudget, InC) {
  set_random_seed("c");
  ByteVector sealed(container_bytes("aes-256", std::vector{by_passphrase(right)}, 0));
  seal_container("aes-256", std::vector{by_passphrase(right)}, {}, sealed);
  const phalanx_identity who = {sizeof(phalanx_identity), PHALANX_PASSPHRASE, right.data(), right.size()};
  const auto open = [&](std::uint64_t budget) {
    phalanx_container_reader* reader = nullptr;
    phalanx_cost_limits limits = PHALANX_COST_LIMITS_INIT;
    limits.all_passphrases = budget;
    const int code =
        phalanx_container_reader_of_memory(&reader, sealed.data(), sealed.size(), &who, 1, &limits, nullptr, nullptr);
    phalanx_container_reader_free(reader);
    return code;
  };
  EXPECT_EQ(open(mebibyte - 1), PHALANX_POLICY);
  EXPECT_EQ(open(mebibyte), PHALANX_OK);
  EXPECT_EQ(open(0), PHALANX_OK) << "the usual budget";
}

}  // namespace
}  // namespace phalanx::test
