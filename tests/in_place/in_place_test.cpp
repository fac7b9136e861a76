// encrypt_in_place and decrypt_in_place: what they make, that a run which ended early goes on, and whose journal it may be.
#include "files/in_place/in_place.hpp"

#include <gtest/gtest.h>

#include <phalanx/files/in_place.hpp>

#include "tests/foreign/foreign_file.hpp"

namespace phalanx::test {
namespace {

using Names = std::vector<std::string>;

class InPlace : public testing::Test {
 protected:
  TemporaryFolder folder;
  Buffer key = varied(32, 1), iv = varied(16, 2), plain = varied(3'500'000, 3);
  InPlaceFormat format{.cipher = "aes-256-cbc", .key = key, .iv = iv};
  std::string path = folder.write("file", plain);

  [[nodiscard]] Buffer encrypted() const {
    Buffer result(plain.size());
    Cipher(format.cipher, format.key).encrypt(format.iv, plain, result);
    return result;
  }
  template <class Call>
  std::pair<ErrorCode, std::string> failure_of(const Call& call) const {
    try {
      call();
    } catch (const Error& error) {
      return {error.code(), error.what()};
    }
    ADD_FAILURE() << "no error";
    return {};
  }
  // Ends after so many bytes, as a kill would: the journal stays.
  void stop_after(std::uint64_t num_bytes, bool encrypts) const {
    Cancellation cancellation;
    std::uint64_t told_bytes = 0;
    const InPlaceOptions options{.on_progress =
                                     [&](std::uint64_t more) {
                                       told_bytes += more;
                                       if (told_bytes > num_bytes) cancellation.cancel();
                                     },
                                 .cancellation = &cancellation};
    const auto [code, why] =
        failure_of([&] { encrypts ? encrypt_in_place(path, format, options) : decrypt_in_place(path, format, options); });
    EXPECT_EQ(code, ErrorCode::runtime);
    EXPECT_EQ(why.find("cancelled"), 0U) << why;
    EXPECT_EQ(folder.names(), (Names{"file", "file.phalanx-journal"}));
  }
};

TEST_F(InPlace, CryptsAFileWhereItLies) {
  const CryptedInPlace result = encrypt_in_place(path, format);
  EXPECT_EQ(result.file_bytes, plain.size());
  EXPECT_EQ(result.resumed_bytes, 0U);
  EXPECT_EQ(read_file(path), encrypted());
  static_cast<void>(decrypt_in_place(path, format));
  EXPECT_EQ(read_file(path), plain);
  EXPECT_EQ(folder.names(), (Names{"file"}));
}

TEST_F(InPlace, GoesOnWithWhatEndedEarly) {
  stop_after(1'500'000, true);
  const Buffer half = read_file(path);
  EXPECT_NE(half, plain);
  EXPECT_NE(half, encrypted());
  EXPECT_GT(encrypt_in_place(path, format).resumed_bytes, 0U);
  EXPECT_EQ(read_file(path), encrypted());
  stop_after(1'500'000, false);
  EXPECT_GT(decrypt_in_place(path, format).resumed_bytes, 0U);
  EXPECT_EQ(read_file(path), plain);
  EXPECT_EQ(folder.names(), (Names{"file"}));
}

TEST_F(InPlace, RefusesWhatIsNotTheSameRun) {
  stop_after(1'500'000, true);
  const Buffer half = read_file(path);
  EXPECT_EQ(failure_of([&] { static_cast<void>(decrypt_in_place(path, format)); }).first, ErrorCode::usage);
  const Buffer other = varied(32, 9);
  InPlaceFormat wrong = format;
  wrong.key = other;
  EXPECT_EQ(failure_of([&] { static_cast<void>(encrypt_in_place(path, wrong)); }).first, ErrorCode::wrong_key);
  EXPECT_EQ(read_file(path), half);
}

TEST_F(InPlace, RefusesWhatDoesNotFit) {
  InPlaceFormat xts{.cipher = "aes-128-xts", .key = key, .iv = iv};
  const Buffer equal_halves(32, 7);
  xts.key = equal_halves;
  EXPECT_EQ(failure_of([&] { static_cast<void>(encrypt_in_place(path, xts)); }).first, ErrorCode::policy);
  const Buffer des_key = varied(24, 4), des_iv = varied(8, 5);
  const InPlaceFormat legacy{.cipher = "des-ede3-ctr", .key = des_key, .iv = des_iv};
  EXPECT_EQ(failure_of([&] { static_cast<void>(encrypt_in_place(path, legacy)); }).first, ErrorCode::policy);
  EXPECT_EQ(read_file(path), plain);
  EXPECT_EQ(folder.names(), (Names{"file"})) << "no journal";
  static_cast<void>(encrypt_in_place(path, legacy, {.policy = {.allow_legacy = true}}));
  static_cast<void>(decrypt_in_place(path, legacy));
  EXPECT_EQ(read_file(path), plain);
  const Buffer empty;
  format.key = empty;
  EXPECT_EQ(failure_of([&] { static_cast<void>(encrypt_in_place(path, format)); }).first, ErrorCode::usage);
  format.key = key;
  const std::string odd = folder.write("odd", varied(17, 1));
  EXPECT_EQ(failure_of([&] { static_cast<void>(encrypt_in_place(odd, format)); }).first, ErrorCode::usage);
  EXPECT_EQ(failure_of([&] { static_cast<void>(encrypt_in_place("/dev/null", format)); }).first, ErrorCode::usage);
  EXPECT_EQ(read_file(path), plain);
  EXPECT_EQ(folder.names(), (Names{"file", "odd"}));
}

// A journal that an earlier version began must be found again.
TEST(JournalParameters, StayAsTheyAre) {
  CryptJob job;
  job.mode = Mode::xts;
  job.sectors = {.sector_bytes = 4096, .first_tweak = 8, .tweak_step = 2};
  EXPECT_EQ(journal_parameters("aes-256-xts", job, 1 << 20),
            "aes-256-xts encrypt iv= sector=4096 tweak=8 step=2 piece=1048576");
  job = {};
  job.direction = Direction::decrypt;
  job.mode = Mode::cbc;
  job.iv.size = 8;
  job.iv.bytes[7] = 0xab;
  EXPECT_EQ(journal_parameters("des-ede3-cbc", job, 1 << 24),
            "des-ede3-cbc decrypt iv=00000000000000ab sector=0 tweak=0 step=1 piece=16777216");
}

}  // namespace
}  // namespace phalanx::test
