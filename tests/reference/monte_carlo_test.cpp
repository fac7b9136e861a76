// The reference along the published Monte Carlo chains.
#include <gtest/gtest.h>

#include <algorithm>

#include "monte_carlo_chain.hpp"

namespace phalanx::test {
namespace {

std::vector<Record> chains() {
  std::vector<Record> records;
  for (const auto& path : vector_files("monte_carlo")) {
    for (Record& record : load_records(path)) records.push_back(std::move(record));
  }
  if (records.empty()) throw std::runtime_error("there are no Monte Carlo chains in " PHALANX_VECTORS_DIR);
  return records;
}

ChainRule rule_of(const Record& record) {
  if (record.text("chain") == "cavp-aes") return ChainRule::cavp_aes;
  if (record.text("chain") == "cavp-tdes") return ChainRule::cavp_tdes;
  if (record.text("chain") == "aes-candidate") return ChainRule::aes_candidate;
  throw std::runtime_error(record.where + ": no such chain: " + record.text("chain"));
}

class MonteCarlo : public testing::TestWithParam<Record> {};

TEST_P(MonteCarlo, EndsAsPublished) {
  const Record& record = GetParam();
  SCOPED_TRACE(record.where);
  const std::string& full_name = record.text("cipher");
  const std::size_t dash = full_name.rfind('-');
  const Direction direction = record.text("direction") == "encrypt" ? Direction::encrypt : Direction::decrypt;
  ChainState state{record.bytes("key"), record.bytes("iv"), record.bytes("input")};
  ByteVector output;
  for (int step = std::stoi(record.text("steps")); step > 0; --step) {
    output = run_step(rule_of(record), full_name.substr(0, dash), full_name.substr(dash + 1), direction, state);
  }
  EXPECT_EQ(to_hex(output), record.text("output"));
}

std::string test_name(const testing::TestParamInfo<Record>& info) {
  std::string name = info.param.text("cipher") + "_" + info.param.text("direction") + "_" + std::to_string(info.index);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Every, MonteCarlo, testing::ValuesIn(chains()), test_name);

}  // namespace
}  // namespace phalanx::test
