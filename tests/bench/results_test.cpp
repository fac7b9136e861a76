// Figures, their JSON, their verdicts and their page.
#include "bench/measuring/results.hpp"

#include <gtest/gtest.h>

#include "bench/measuring/counted_operations.hpp"
#include "bench/measuring/limits.hpp"
#include "bench/reporting/plots.hpp"
#include "bench/reporting/report_page.hpp"
#include "bench/reporting/result_table.hpp"
#include "bench/reporting/verdicts.hpp"
#include "engine/library/names/cipher_name.hpp"

namespace phalanx::bench {
namespace {

Figure figure_of(const char* name, Kind kind, double seconds) {
  return {.name = name,
          .kind = kind,
          .ran = "aes-256-ctr",
          .num_samples = 5,
          .seconds = {seconds * 0.9, seconds, seconds * 1.2},
          .cycles_per_byte = {0.9, 1.0, 1.2},
          .megabytes_per_second = 65536 / seconds / 1e6,
          .checked_with = "reference"};
}

Results sample_results() {
  Results results;
  results.cpu = "Intel <Test> & \"Sons\"";
  results.num_cores = 2;
  results.version = "0";
  results.commit = "abc";
  results.date = "2026-01-02";
  results.peers = {{"openssl", "3"}};
  Measurement m{.cipher = "aes-256", .mode = "ctr", .direction = "encrypt", .message_bytes = 65536};
  m.figures = {figure_of("cpu:avx512", Kind::engine, 1e-5), figure_of("openssl", Kind::peer, 2e-5)};
  m.figures[0].limit_cycles_per_byte = 0.5;
  m.target = Target{.engine = "cpu:avx512", .ratios = {{"openssl", 1.9}, {"botan", 3}}, .goals = {{"cycles_per_byte", 0.9}}};
  results.measurements.push_back(std::move(m));
  return results;
}

TEST(Results, QuartilesAreBetweenTheSamples) {
  const Quartiles q = quartiles_of({5, 1, 4, 2, 3});
  EXPECT_DOUBLE_EQ(q.low, 2);
  EXPECT_DOUBLE_EQ(q.median, 3);
  EXPECT_DOUBLE_EQ(q.high, 4);
  EXPECT_DOUBLE_EQ(quartiles_of({1, 2}).median, 1.5);
  EXPECT_DOUBLE_EQ(quartiles_of({7}).high, 7);
}

TEST(Results, ClockRateIsThatOfAProcessor) {
  EXPECT_GT(clock_rate(), 1e8);
  EXPECT_LT(clock_rate(), 1e10);
}

TEST(Results, JsonGivesTheSameResultsBack) {
  const Results results = sample_results();
  const std::string json = write_results(results);
  const Results again = read_results(json, "a file");
  EXPECT_EQ(write_results(again), json);
  EXPECT_EQ(again.measurements.at(0).figures.at(1).name, "openssl");
  for (const std::string& wrong : {std::string(), std::string("[]"), std::string("{}"), json.substr(0, json.size() / 2)}) {
    EXPECT_THROW(static_cast<void>(read_results(wrong, "a file")), Error);
  }
}

TEST(Results, VerdictsAreOfWhatWasMeasured) {
  const auto verdicts = verdicts_of(sample_results());  // Botan took no part
  ASSERT_EQ(verdicts.size(), 2U);
  EXPECT_TRUE(verdicts[0].met) << verdicts[0].asked;
  EXPECT_FALSE(verdicts[1].met) << verdicts[1].asked;
}

TEST(Results, PageNeedsNothingFromElsewhereAndEscapesNames) {
  const std::string page = report_page(sample_results());
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_EQ(page.find("src="), std::string::npos);
  EXPECT_EQ(page.find("<Test>"), std::string::npos);
  EXPECT_NE(page.find("Intel &lt;Test&gt; &amp; &quot;Sons&quot;"), std::string::npos);
  EXPECT_NE(page.find("<svg"), std::string::npos);
  EXPECT_EQ(plots_of(sample_results()).size(), 2U) << "bars, and the distance to the limit";
}

TEST(Results, BarsShowTheModeInWhichBlocksWait) {
  Results results = sample_results();
  Measurement serial = results.measurements[0];
  serial.mode = "cbc";
  results.measurements.push_back(serial);
  const std::string bars = plots_of(results).at(0).svg;
  EXPECT_NE(bars.find("aes-256-ctr"), std::string::npos);
  EXPECT_NE(bars.find("aes-256-cbc"), std::string::npos);
}

TEST(Results, RateBySizeShowsLibrariesToo) {
  Results results = sample_results();
  const Measurement sample = results.measurements[0];
  for (std::size_t size = 1024; size < 65536; size *= 2) {
    results.measurements.push_back(sample);
    results.measurements.back().message_bytes = size;
  }
  const std::vector<Plot> plots = plots_of(results);
  ASSERT_EQ(plots.at(1).name, "rate_by_size");
  EXPECT_NE(plots[1].svg.find("the best library"), std::string::npos);
}

TEST(Results, LimitsAreKnownForIntelAndAmdOnly) {
  const Job job{.cipher = parse_cipher_name("aes-256-ctr"), .message_bytes = 65536};
  EXPECT_DOUBLE_EQ(limit_cycles_per_byte(job, "cpu:avx512", "Intel(R) Xeon(R)").value(), 14.0 / 64);
  EXPECT_DOUBLE_EQ(limit_cycles_per_byte(job, "cpu:avx2", "AMD EPYC").value(), 14.0 / 32);
  EXPECT_FALSE(limit_cycles_per_byte(job, "cpu:avx512", "AMD EPYC").has_value());
  EXPECT_FALSE(limit_cycles_per_byte(job, "cuda", "Intel(R) Xeon(R)").has_value());
  EXPECT_FALSE(limit_cycles_per_byte(job, "cpu:avx2", "unknown").has_value());
}

TEST(Results, OperationsAreCountedInTheKernels) {
  const OperationCount des = count_des_round(true);
  EXPECT_GT(des.operations, 48 + 8 * 10);  // 48 for key and Feistel XOR; no S-box is that small
  EXPECT_LT(des.operations, count_des_round(false).operations);
  const OperationCount serpent = count_serpent(true, Direction::encrypt);
  EXPECT_EQ(serpent.shifts, 31 * 8);  // six rotations and two shifts in each of 31 linear transformations
  EXPECT_GT(serpent.operations, serpent.shifts);
  EXPECT_LT(serpent.operations, count_serpent(false, Direction::encrypt).operations);
}

}  // namespace
}  // namespace phalanx::bench
