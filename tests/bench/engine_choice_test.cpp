// What `auto` takes, by cipher, mode, length and crossover: no GPU is needed to decide.
#include "io/engine_choice.hpp"

#include <gtest/gtest.h>

namespace phalanx {
namespace {

constexpr std::uint64_t measured_bytes = 700000000;

FoundCalibration measured() {
  return {.calibration = Calibration{.gpu_crossovers = {{"des-ede3", measured_bytes}, {"aes-128", 1000}, {"aes-256", {}}}},
          .note = {}};
}

void expect_choice(const char* name, Direction direction, std::optional<std::uint64_t> num_bytes,
                   const FoundCalibration& found, const char* engine, const char* reason, bool by_sectors = false) {
  const EngineChoice choice = choose_engine({parse_cipher_name(name), direction, by_sectors, num_bytes}, found);
  EXPECT_EQ(choice.engine, engine) << name << ": " << choice.reason;
  EXPECT_NE(choice.reason.find(reason), std::string::npos) << name << ": " << choice.reason;
}

TEST(EngineChoice, GoesByTheLengthWhereItWasMeasured) {
  const char* const how = "700.0 MB on, measured";
  expect_choice("des-ede3-ctr", Direction::encrypt, measured_bytes, measured(), "cuda", how);
  expect_choice("des-ede3-ctr", Direction::encrypt, measured_bytes - 1, measured(), "cpu", how);
  expect_choice("des-ede3-ctr", Direction::encrypt, 0, measured(), "cpu", "0 bytes");
  expect_choice("des-ecb", Direction::decrypt, measured_bytes, measured(), "cuda", how);  // one kernel for the family
}

TEST(EngineChoice, KeepsAesKeyLengthsApart) {
  expect_choice("aes-128-xts", Direction::encrypt, 1000, measured(), "cuda", "1000 bytes on");
  expect_choice("aes-256-xts", Direction::encrypt, std::uint64_t{1} << 40, measured(), "cpu", "not faster, measured");
}

TEST(EngineChoice, NeverTakesAGpuForASerialModeOrAnUnknownLength) {
  for (const char* name : {"des-ede3-cbc", "des-ede3-cfb"}) {
    expect_choice(name, Direction::encrypt, std::uint64_t{1} << 40, measured(), "cpu", "serial");
    expect_choice(name, Direction::decrypt, std::uint64_t{1} << 40, measured(), "cuda", "measured");
  }
  expect_choice("des-ede3-ofb", Direction::decrypt, std::uint64_t{1} << 40, measured(), "cpu", "serial");
  expect_choice("des-ede3-ctr", Direction::decrypt, std::nullopt, measured(), "cpu", "not known");
  expect_choice("aes-128-xts", Direction::encrypt, std::uint64_t{1} << 40, measured(), "cpu", "sectors", true);
}

TEST(EngineChoice, HasFiguresOfItsOwnUntilThen) {
  const FoundCalibration none{.calibration = {}, .note = "built in"};
  for (const CipherSpec& cipher : all_ciphers()) {
    const auto choose = [&](std::uint64_t num_bytes) {
      return choose_engine({{&cipher, Mode::ctr}, Direction::encrypt, false, num_bytes, 2}, none);
    };
    const auto from = built_in_gpu_crossover(cipher, 2);
    EXPECT_EQ(choose(std::uint64_t{1} << 50).engine, from ? "cuda" : "cpu");
    if (!from) continue;
    EXPECT_EQ(choose(*from - 1).engine, "cpu");
    EXPECT_EQ(choose(*from).reason.find("measured"), std::string::npos);
  }
  const CipherSpec& des = *find_cipher("des");
  EXPECT_LT(built_in_gpu_crossover(des, 1), built_in_gpu_crossover(des, 4));
  EXPECT_EQ(built_in_gpu_crossover(des, 64), std::nullopt) << "so many threads are faster";
}

TEST(EngineChoice, CrossesWhereBothAreDoneTogether) {
  EXPECT_EQ(gpu_crossover(0.5, 1e9, 2e9), 1000000000U);  // the CPU takes 1 s; the GPU starts for 0.5 s, and takes as long
  EXPECT_EQ(gpu_crossover(0, 1e9, 2e9), 0U);
  EXPECT_EQ(gpu_crossover(0.5, 2e9, 2e9), std::nullopt);
  EXPECT_EQ(gpu_crossover(0.5, 3e9, 2e9), std::nullopt);
  EXPECT_EQ(gpu_crossover(1, 1e9, 1.0000001e9), std::nullopt) << "beyond any file";
}

}  // namespace
}  // namespace phalanx
