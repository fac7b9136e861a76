// The calibration file: what is written is read again; what does not fit is left alone, with a reason.
#include "program/cli/engine/calibration_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <phalanx/phalanx.hpp>

#include "engine/ciphers/cipher_spec.hpp"
#include "engine/engines/registry.hpp"

namespace phalanx {
namespace {

class CalibrationFile : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/phalanx-calibration-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    folder_ = name;
    ::setenv("XDG_CACHE_HOME", (folder_ / "cache").c_str(), 1);
  }
  void TearDown() override {
    ::unsetenv("XDG_CACHE_HOME");
    std::filesystem::remove_all(folder_);
  }

  [[nodiscard]] std::string text() const {
    std::ifstream file(calibration_path());
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static void put(const std::string& text) { std::ofstream(calibration_path()) << text; }

  void expect_ignored(const std::string& reason) {
    const FoundCalibration found = read_calibration();
    EXPECT_FALSE(found.calibration.has_value());
    EXPECT_NE(found.note.find("is ignored, " + reason), std::string::npos) << found.note;
  }

  std::string replaced(const std::string& from, const std::string& to) const {
    std::string changed = text();
    const std::size_t at = changed.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return changed.replace(at, from.size(), to);
  }

  std::filesystem::path folder_;
  Calibration calibration_{.crossovers = {{"cpu:scalar", "des-ede3", 7}, {"cpu:avx2", "aes-256", 0}}};
};

TEST_F(CalibrationFile, ComesBackAsItWasWritten) {
  EXPECT_FALSE(read_calibration().calibration.has_value());
  EXPECT_EQ(read_calibration().note, "built in");
  EXPECT_EQ(write_calibration(calibration_), calibration_path());
  EXPECT_EQ(write_calibration(calibration_), calibration_path()) << "again";
  const FoundCalibration found = read_calibration();
  ASSERT_TRUE(found.calibration.has_value()) << found.note;
  ASSERT_EQ(found.calibration->crossovers.size(), 2U);
  EXPECT_EQ(found.calibration->crossovers[0].engine, "cpu:scalar");
  EXPECT_EQ(found.calibration->crossovers[0].cipher, "des-ede3");
  EXPECT_EQ(found.calibration->crossovers[0].serial_blocks, 7U);
  EXPECT_FALSE(found.calibration->has_gpu_crossovers);
  const auto entries = std::filesystem::directory_iterator(folder_ / "cache" / "phalanx");
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 1) << "nothing unfinished beside it";
}

TEST_F(CalibrationFile, IsLeftAloneWhereItDoesNotFit) {
  write_calibration(calibration_);
  const std::string good = text();
  const auto expect = [&](const std::string& content, const std::string& reason) {
    put(content);
    expect_ignored(reason);
    put(good);
  };
  expect("", "it is malformed");
  expect(good.substr(0, good.size() / 2), "it is malformed");
  expect("[]", "it is malformed");
  expect(replaced("\"blocks\": 7", "\"blocks\": -7"), "it is malformed");
  expect(replaced("\"blocks\": 7", "\"blocks\": 1e9"), "it is malformed");
  expect(replaced("\"blocks\": 7", "\"blocks\": 99999"), "it is malformed");
  expect(replaced("\"blocks\": 7", "\"blocks\": \"7\""), "it is malformed");
  expect(replaced("des-ede3", "rot13"), "it is malformed");
  expect(replaced("\"cpu\": \"", "\"cpu\": \"another "), "it was measured on another processor");
  expect(replaced(version(), "99.0.0"), "it was measured by another version");
  expect(replaced("phalanx-calibration", "something-else"), "it is of another format");
  expect(std::string(3 << 20, ' '), "it is too large");
  std::filesystem::remove(calibration_path());
  std::filesystem::create_directory(calibration_path());
  expect_ignored("it is no regular file");
}

TEST_F(CalibrationFile, KeepsToTheMembersItKnows) {
  write_calibration(calibration_);
  put(replaced("\"serial_blocks\"", "\"a_later_member\": [1, 2], \"serial_blocks\""));
  EXPECT_TRUE(read_calibration().calibration.has_value());
}

TEST_F(CalibrationFile, OfAnEarlierVersionMayHaveCrossoversOfGpus) {
  write_calibration(calibration_);
  const std::string good = text();
  for (const char* crossovers : {R"([{"cipher": "des-ede3", "bytes": 5000000000}])", "[]", R"("anything")"}) {
    put(good);
    put(replaced("\"serial_blocks\"", std::string("\"gpu_crossovers\": ") + crossovers + ", \"serial_blocks\""));
    const FoundCalibration found = read_calibration();
    ASSERT_TRUE(found.calibration.has_value()) << found.note;
    EXPECT_TRUE(found.calibration->has_gpu_crossovers);
    EXPECT_EQ(found.calibration->crossovers.size(), 2U);
  }
}

TEST_F(CalibrationFile, IsUsedByTheEnginesThatCanRun) {
  const CipherSpec& cipher = *find_cipher("des-ede3");
  const std::size_t before = serial_blocks("cpu:scalar", cipher);
  write_calibration({.crossovers = {{"cpu:scalar", "des-ede3", before + 5}, {"cpu:unheard-of", "des-ede3", 9}}});
  EXPECT_TRUE(use_calibration().calibration.has_value());
  EXPECT_EQ(serial_blocks("cpu:scalar", cipher), before + 5);
  set_serial_blocks("cpu:scalar", cipher, before);
}

TEST_F(CalibrationFile, NeedsAPlace) {
  ::setenv("XDG_CACHE_HOME", "relative", 1);
  const char* home = std::getenv("HOME");
  const std::string before = home == nullptr ? "" : home;
  ::setenv("HOME", folder_.c_str(), 1);
  EXPECT_EQ(calibration_path(), folder_ / ".cache/phalanx/calibration.json");
  ::unsetenv("HOME");
  EXPECT_EQ(calibration_path(), "");
  EXPECT_THROW(write_calibration(calibration_), Error);
  EXPECT_EQ(read_calibration().note, "built in");
  if (!before.empty()) ::setenv("HOME", before.c_str(), 1);
}

}  // namespace
}  // namespace phalanx
