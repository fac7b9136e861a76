// Figures, their JSON, their verdicts and their page.
#include "bench/measuring/results.hpp"

#include <gtest/gtest.h>

#include <algorithm>

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
  m.target = Target{.engine = "cpu:avx512", .ratios = {{"fastest", 4}, {"openssl", 1.9}, {"botan", 3}}, .goals = {}};
  results.measurements.push_back(std::move(m));
  return results;
}

Results sample_results_without_engine() {
  Results results = sample_results();
  results.measurements[0].figures.erase(results.measurements[0].figures.begin());
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
  ASSERT_EQ(verdicts.size(), 3U);
  EXPECT_FALSE(verdicts[0].judged()) << verdicts[0].goal;
  EXPECT_EQ(verdicts[1].goal, "at least 4 x the fastest other, openssl");
  EXPECT_EQ(describe_margin(verdicts[1]), "MISSED by 50 %");
  EXPECT_EQ(describe_margin(verdicts[2]), "met by 5.3 %");
  EXPECT_EQ(count_verdicts(verdicts),
            "1 of 2 goals met, 1 missed; 1 not judged: their engine, library or size was not measured");
  EXPECT_TRUE(std::ranges::none_of(verdicts_of(sample_results_without_engine()), &Verdict::judged));
}

// A figure may be twice as fast as one library and still lose to another: the goal is asked of the fastest.
TEST(Results, ALossToAnyLibraryIsShownAsALoss) {
  Results results = sample_results();
  results.measurements[0].target->ratios = {{"fastest", 1}};
  EXPECT_TRUE(verdicts_of(results).at(0).met());
  results.measurements[0].figures.push_back(figure_of("libgcrypt", Kind::peer, 0.57e-5));
  const auto verdicts = verdicts_of(results);
  EXPECT_EQ(verdicts.at(0).goal, "at least 1 x the fastest other, libgcrypt");
  EXPECT_EQ(verdicts.at(0).measured, "0.57");
  const std::string table = verdict_table(verdicts);
  EXPECT_NE(table.find("MISSED by 43 %"), std::string::npos) << table;
  EXPECT_NE(table.find("0 of 1 goals met, 1 missed\n"), std::string::npos) << table;
  EXPECT_NE(report_page(results, verdicts).find("MISSED by 43 %"), std::string::npos);
}

TEST(Results, MissedGoalsStandLastInTheTable) {
  const std::string table = verdict_table(verdicts_of(sample_results()));
  EXPECT_LT(table.find("met by"), table.find("MISSED by"));
  EXPECT_EQ(table.find("not judged\n"), std::string::npos) << "those are only counted";
  EXPECT_EQ(verdict_table({}), "");
}

TEST(Results, ARegressionShowsBesideTheKeptRun) {
  Results kept = sample_results();
  Results now = sample_results();
  now.measurements[0].target.reset();
  EXPECT_TRUE(verdicts_of(now).empty()) << "nothing to judge beside";
  EXPECT_EQ(describe_margin(verdicts_of(now, {kept}).at(0)), "met by 5.3 %");
  now.measurements[0].figures[0].cycles_per_byte.median = 2;
  const auto slower = verdicts_of(now, {kept});
  ASSERT_EQ(slower.size(), 1U) << "libraries are not judged";
  EXPECT_EQ(slower[0].goal, "at least 0.95 of the kept run of 2026-01-02 abc");
  EXPECT_EQ(describe_margin(slower[0]), "MISSED by 47 %");
  kept.measurements.push_back(now.measurements[0]);
  EXPECT_TRUE(verdicts_of(now, {kept}).at(0).met()) << "of a job that was measured twice the slower figure counts";
}

TEST(Results, TheNewestKeptRunOfTheSameMachineJudges) {
  const Results now = sample_results();
  Results old = sample_results(), newest = sample_results();
  old.date = "2025-01-01";
  const auto goal_beside = [&](const std::vector<Results>& kept) {
    const auto verdicts = verdicts_of(now, kept);
    return verdicts.size() == 3 ? "" : verdicts.back().goal;
  };
  EXPECT_EQ(goal_beside({old, newest}), "at least 0.95 of the kept run of 2026-01-02 abc");
  newest.measurements[0].message_bytes = 4096;
  EXPECT_EQ(goal_beside({old, newest}), "at least 0.95 of the kept run of 2025-01-01 abc") << "the newest has no such job";
  old.cpu = "another";
  EXPECT_EQ(goal_beside({old}), "");
  old.cpu = now.cpu;
  old.compiler = "another";
  EXPECT_EQ(goal_beside({old}), "");
}

TEST(Results, SharesAreOfTheSameRun) {
  Results results = sample_results();
  Measurement gcm = results.measurements[0];
  gcm.mode = "gcm";
  gcm.figures[0].megabytes_per_second *= 0.8;
  gcm.target = Target{.engine = "auto", .ratios = {}, .goals = {{"share_of_ctr", 0.9}, {"share_of_memory", 0.5}}};
  results.measurements[0].target.reset();
  results.measurements.push_back(gcm);
  const auto verdicts = verdicts_of(results);
  ASSERT_EQ(verdicts.size(), 2U);
  EXPECT_EQ(describe_margin(verdicts[0]), "MISSED by 11 %");
  EXPECT_FALSE(verdicts[1].judged()) << "memory was not measured";
}

TEST(Results, PageNeedsNothingFromElsewhereAndEscapesNames) {
  const std::string page = report_page(sample_results(), verdicts_of(sample_results()));
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
