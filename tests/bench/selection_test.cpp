// Lists as options and plans write them; what is wrong is named.
#include "bench/measuring/selection.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "bench/measuring/text_file.hpp"
#include "engine/modes/mode_facts.hpp"

namespace phalanx::bench {
namespace {

SelectionText small_selection() {
  SelectionText text;
  text.ciphers = "aes-128";
  text.modes = "ctr";
  text.sizes = "64";
  text.engines = "cpu:scalar";
  text.threads = "1";
  return text;
}

std::vector<std::size_t> sizes_of(const std::string& list) {
  SelectionText text = small_selection();
  text.sizes = list;
  std::vector<std::size_t> sizes;
  for (const Job& job : parse_selection(text).jobs) sizes.push_back(job.message_bytes);
  return sizes;
}

std::string complaint(const SelectionText& text) {
  try {
    static_cast<void>(parse_selection(text));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    return error.what();
  }
  return "";
}

TEST(Selection, ReadsSizes) {
  using List = std::vector<std::size_t>;
  EXPECT_EQ(sizes_of("16,1K,2m"), (List{16, 1024, 2097152}));
  EXPECT_EQ(sizes_of("16..128"), (List{16, 32, 64, 128}));
  EXPECT_EQ(sizes_of("16..80"), (List{16, 32, 64, 80}));
  EXPECT_EQ(sizes_of("1K,16,1K"), (List{1024, 16}));
  for (const char* wrong : {"0", "8", "17", "1,", "K", "5G", "16..", "-16", "1e3", "99999999999999999999", "16 "}) {
    SelectionText text = small_selection();
    text.sizes = wrong;
    EXPECT_NE(complaint(text).find("--size"), std::string::npos) << wrong;
  }
}

TEST(Selection, LeavesOutWhatDoesNotExist) {
  SelectionText text = small_selection();
  text.ciphers = "des,aes-128";
  text.modes = "xts,ecb";
  EXPECT_EQ(parse_selection(text).jobs.size(), 3U);
  text.ciphers = "des";
  text.modes = "xts";
  EXPECT_NE(complaint(text).find("nothing is left"), std::string::npos);
  text.ciphers = "aes-128";
  text.modes = "xts,ctr";
  text.sizes = "16M,32M";
  EXPECT_EQ(parse_selection(text).jobs.size(), 3U);  // IEEE 1619-2018 section 5.1: no data unit of 32M
  text.modes = "xts";
  text.sizes = "32M";
  EXPECT_NE(complaint(text).find("16M at most"), std::string::npos);
}

TEST(Selection, EncryptsAndDecryptsWhereTheyDiffer) {
  SelectionText text = small_selection();
  text.modes = "all";
  const auto jobs = parse_selection(text).jobs;
  EXPECT_EQ(jobs.size(), num_modes + 2);
  text.directions = "both";
  EXPECT_EQ(parse_selection(text).jobs.size(), 2 * num_modes);
}

TEST(Selection, ReadsBatches) {
  SelectionText text = small_selection();
  text.batch = "4096:own-keys";
  const Job job = parse_selection(text).jobs.front();
  EXPECT_EQ(job.num_messages, 4096U);
  EXPECT_TRUE(job.key_each);
  text.batch = "16:fresh-keys";
  EXPECT_EQ(parse_selection(text).jobs.front().key_setting, KeySetting::fresh);
  EXPECT_TRUE(parse_selection(text).jobs.front().key_each);
  text.batch = "16:ready-keys";
  EXPECT_EQ(parse_selection(text).jobs.front().key_setting, KeySetting::ready);
  for (const char* wrong : {"0", "x", "16:keys", "16:", "1000001", ":own-keys"}) {
    text.batch = wrong;
    EXPECT_NE(complaint(text).find("--batch"), std::string::npos) << wrong;
  }
}

TEST(Selection, NamesTheOptionThatIsWrong) {
  const auto wrong = [](std::string SelectionText::*member, const char* value) {
    SelectionText text = small_selection();
    text.*member = value;
    return complaint(text);
  };
  EXPECT_NE(wrong(&SelectionText::ciphers, "rot13").find("--cipher"), std::string::npos);
  EXPECT_NE(wrong(&SelectionText::modes, "cbc,ige").find("--mode"), std::string::npos);
  EXPECT_NE(wrong(&SelectionText::threads, "0").find("--threads"), std::string::npos);
  EXPECT_NE(wrong(&SelectionText::threads, "two").find("--threads"), std::string::npos);
  EXPECT_NE(wrong(&SelectionText::directions, "up").find("--direction"), std::string::npos);
  EXPECT_NE(wrong(&SelectionText::engines, "cpu:mmx").find("engine 'cpu:mmx'"), std::string::npos);
  SelectionText text = small_selection();
  text.peers = "openssl,nobody";
  EXPECT_NE(complaint(text).find("--peers"), std::string::npos);
}

TEST(Selection, NamesEachOnceHoweverOftenItIsListed) {
  SelectionText text = small_selection();
  text.ciphers = "des,DES,des";
  text.modes = "ecb,ecb";
  EXPECT_EQ(parse_selection(text).jobs.size(), 1U);
  text.ciphers = text.modes = "all,all,all";
  const std::size_t num_jobs = parse_selection(text).jobs.size();
  text.ciphers = text.modes = "all";
  EXPECT_EQ(parse_selection(text).jobs.size(), num_jobs);
}

// "16,32,48 ...", so many.
std::string many_sizes(int number) {
  std::string list;
  for (int i = 1; i <= number; ++i) list += fmt::format("{}{}", i == 1 ? "" : ",", 16 * i);
  return list;
}

TEST(Selection, IsNotEndless) {
  SelectionText text = small_selection();
  text.ciphers = text.modes = "all";
  text.sizes = many_sizes(4000);
  EXPECT_NE(complaint(text).find("more than 100000 measurements"), std::string::npos);
  text.ciphers = "des";
  text.modes = "ecb";
  EXPECT_EQ(parse_selection(text).jobs.size(), 4000U);
  text.sizes = many_sizes(5000);
  EXPECT_NE(complaint(text).find("--size"), std::string::npos);
}

TEST(Selection, APlanIsNotEndless) {
  const std::string entry = fmt::format(
      R"({{"cipher": "des", "mode": "ecb", "threads": "1", "engine": "cpu:scalar", "size": "{}"}})", many_sizes(4000));
  std::string plan = "[" + entry;
  for (int i = 0; i < 29; ++i) plan += "," + entry;
  EXPECT_THROW(static_cast<void>(parse_plan(plan + "]", "a plan")), Error);
  EXPECT_EQ(parse_plan("[" + entry + "]", "a plan").size(), 1U);
  EXPECT_THROW(static_cast<void>(parse_plan(std::string(most_plan_bytes, ' ') + "[" + entry + "]", "a plan")), Error);
}

TEST(Selection, PlansLeaveOutWhatThisMachineLacks) {
  const auto plan =
      parse_plan(R"([{"cipher": "des", "mode": "ecb", "size": "64", "threads": "1", "engine": "cpu:scalar,cpu:none",
                                    "peers": "openssl:ecb,nobody", "target": {"engine": "cpu:scalar", "times_as_fast_as": {"fastest": 1.5}, "goals": {"share_of_64K": 0.9}}},
                                   {"cipher": "des", "mode": "ecb", "engine": "cpu:none"}])",
                 "a plan");
  ASSERT_EQ(plan.size(), 1U);
  EXPECT_EQ(plan[0].engines, std::vector<std::string>{"cpu:scalar"});
  ASSERT_EQ(plan[0].peers.size(), 1U);
  EXPECT_TRUE(plan[0].peers[0].in_ecb);
  ASSERT_TRUE(plan[0].target.has_value());
  EXPECT_EQ(plan[0].target->ratios.at("fastest"), 1.5);
  EXPECT_EQ(plan[0].target->goals.at("share_of_64K"), 0.9);
  for (const char* wrong :
       {"", "{", "[1]", R"([{"cipher": 5}])", R"([{"cipher": "rot13"}])", R"([{"engine": "cpu:none"}])"}) {
    EXPECT_THROW(static_cast<void>(parse_plan(wrong, "a plan")), Error) << wrong;
  }
}

TEST(Selection, GoalsAreRatiosThatSomebodyJudges) {
  const auto plan_with = [](const std::string& target) {
    return R"([{"cipher": "des", "mode": "ecb", "size": "64", "engine": "cpu:scalar", "target": {"engine": "auto", )" +
           target + "}}]";
  };
  EXPECT_EQ(parse_plan(plan_with(R"("goals": {"efficiency": 0.9})"), "a plan").size(), 1U);
  for (const char* wrong :
       {R"("goals": {"cycles_per_byte": 2})", R"("goals": {"efficiency": 0})", R"("times_as_fast_as": {"fastest": -1})"}) {
    EXPECT_THROW(static_cast<void>(parse_plan(plan_with(wrong), "a plan")), Error) << wrong;
  }
}

// An entry that measures libraries is judged by the fastest of them, and a goal below it would call a loss a win.
TEST(Selection, TheTableOfTargetsAsksForAWinOverEveryLibrary) {
  const auto table = nlohmann::json::parse(read_text(PHALANX_TARGET_TABLE, most_plan_bytes));
  for (const auto& entry : table) {
    if (!entry.contains("peers")) continue;
    EXPECT_GE(entry["target"]["times_as_fast_as"].value("fastest", 0.0), 1) << entry;
  }
  EXPECT_GE(parse_plan(table.dump(), "the table").size(), 20U);
}

}  // namespace
}  // namespace phalanx::bench
