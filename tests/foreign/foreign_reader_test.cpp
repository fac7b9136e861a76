// ForeignReader: every cipher and mode, every way the iv and the key come, read in pieces of any size; and what it refuses.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <utility>

#include "tests/foreign/foreign_file.hpp"

namespace phalanx::test {
namespace {

void expect_error(ErrorCode code, const std::function<void()>& call) {
  try {
    call();
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
  }
}

TEST(ForeignReader, EveryCipherAndModeInPiecesOfAnySize) {
  for (const CipherFacts& facts : all_cipher_facts()) {
    if (facts.mode == "gcm") continue;
    const Buffer key = varied(facts.key_bytes, 1), iv = varied(facts.iv_bytes, 2);
    const ForeignFormat format{.cipher = facts.name, .key = key, .iv = iv};
    for (const std::size_t size : {std::size_t{16}, std::size_t{1000}, std::size_t{4096}}) {
      const Buffer plain = varied(size, 3), old = encrypt_old(format, plain);
      for (const std::size_t each : {std::size_t{1}, std::size_t{17}, std::size_t{5000}}) {
        ForeignReader reader(reading(old), format, one_thread);
        EXPECT_EQ(drain(reader, each), plain) << facts.name << ' ' << size << ' ' << each;
        EXPECT_EQ(reader.engine(), "cpu:scalar");
        EXPECT_EQ(reader.digest(), "");
      }
    }
  }
}

TEST(ForeignReader, LongerThanAChunk) {
  const Buffer key = varied(24, 1), iv = varied(8, 2), plain = varied((4U << 20) + 5, 3);
  const ForeignFormat format{.cipher = "des-ede3-cbc", .key = key, .iv = iv};
  const Buffer old = encrypt_old(format, plain);
  ForeignReader reader(reading(old), format);
  EXPECT_EQ(drain(reader, 1U << 20), plain);
}

TEST(ForeignReader, EveryPadding) {
  const Buffer key = varied(24, 1), iv = varied(8, 2);
  for (const Padding padding : {Padding::pkcs7, Padding::none, Padding::x923, Padding::iso7816, Padding::zero}) {
    const ForeignFormat format{.cipher = "des-ede3-cbc", .padding = padding, .key = key, .iv = iv};
    const Buffer plain(padding == Padding::none ? 24 : 21, 0x5a), old = encrypt_old(format, plain);
    ForeignReader reader(reading(old), format, one_thread);
    EXPECT_EQ(drain(reader, 100), plain) << padding_name(padding);
  }
}

TEST(ForeignReader, IvsThatTheDataBeginsWith) {
  const Buffer key = varied(16, 1), plain = varied(100, 3);
  const ForeignFormat format{.cipher = "aes-128-cbc", .key = key, .begins_with_iv = true};
  const Buffer old = encrypt_old(format, plain);
  ForeignReader reader(reading(old), format, one_thread);
  EXPECT_EQ(drain(reader, 7), plain);
  expect_error(ErrorCode::truncated, [&] { ForeignReader(reading(Bytes(old).first(10)), format, one_thread); });
}

TEST(ForeignReader, Sectors) {
  const Buffer key = varied(64, 1), plain = varied(4096 + 512, 3);
  const ForeignFormat format{
      .cipher = "aes-256-xts", .key = key, .sectors = {.sector_bytes = 512, .first_tweak = 77, .tweak_step = 2}};
  const Buffer old = encrypt_old(format, plain);
  ForeignReader reader(reading(old), format, one_thread);
  EXPECT_EQ(drain(reader, 1000), plain);
}

const std::string passphrase = "correct horse battery staple";
const Bytes passphrase_bytes{reinterpret_cast<const std::uint8_t*>(passphrase.data()), passphrase.size()};

TEST(ForeignReader, FilesOfOpensslEnc) {
  const TemporaryFolder folder;
  const Buffer plain = varied(1000, 3);
  for (const char* const digest : {"md5", "sha256", "sha512"}) {
    for (const bool pbkdf2 : {false, true}) {
      for (const bool salted : {false, true}) {
        for (const bool base64 : {false, true}) {
          ForeignFormat format{.cipher = "des3",
                               .passphrase = passphrase_bytes,
                               .derivation = {.digest = digest, .pbkdf2 = pbkdf2, .num_iterations = 1000},
                               .salted = salted,
                               .base64 = base64};
          const Buffer old = encrypt_old(format, plain);
          ForeignReader named(reading(old), format, one_thread);
          EXPECT_EQ(drain(named, 64), plain) << digest << pbkdf2 << salted << base64;
          EXPECT_EQ(named.digest(), digest);
          format.find_digest = true;
          format.derivation.digest = "sha256";
          ForeignReader found(folder.write("old", old), format, one_thread);
          EXPECT_EQ(drain(found, 64), plain) << digest << pbkdf2 << salted << base64;
          EXPECT_EQ(found.digest(), digest);
        }
      }
    }
  }
}

// -saltlen of OpenSSL 3.2, and -S of OpenSSL 3, whose salt is not in the file.
TEST(ForeignReader, SaltsOfOtherLengthsAndSaltsThatAreGiven) {
  const Buffer plain = varied(1000, 3), sixteen = varied(16, 6);
  ForeignFormat format{
      .cipher = "des3", .passphrase = passphrase_bytes, .derivation = {.pbkdf2 = true, .num_iterations = 9}};
  for (const std::size_t salt_bytes : {1U, 7U, 8U, 15U, 16U}) {
    format.salt_bytes = salt_bytes;
    format.salt = {};
    const Buffer old = encrypt_old(format, plain);
    EXPECT_EQ(old.size(), 8 + salt_bytes + 1008);  // 1000 bytes and a whole block of padding
    ForeignReader with_header(reading(old), format, one_thread);
    EXPECT_EQ(drain(with_header, 64), plain) << salt_bytes;
    format.salt_bytes = 8;
    format.salt = Bytes(sixteen).first(salt_bytes);
    const Buffer bare = encrypt_old(format, plain);
    ForeignReader given(reading(bare), format, one_thread);
    EXPECT_EQ(drain(given, 64), plain) << salt_bytes;
  }
}

// A variable that was not set, or a file with nothing in it, was a passphrase to `openssl enc`.
TEST(ForeignReader, FilesUnderAnEmptyPassphrase) {
  const Buffer plain = varied(1000, 3);
  ForeignFormat format{.cipher = "des3", .passphrase_is_empty = true, .derivation = {.digest = "md5"}};
  const Buffer old = encrypt_old(format, plain);
  ForeignReader reader(reading(old), format, one_thread);
  EXPECT_EQ(drain(reader, 64), plain);
  format.passphrase_is_empty = false;
  expect_error(ErrorCode::usage, [&] { ForeignReader(reading(old), format, one_thread); });
}

TEST(ForeignReader, WrongKeysShowByThePadding) {
  const Buffer key = varied(24, 1), wrong = varied(24, 5), iv = varied(8, 2);
  ForeignFormat format{.cipher = "des-ede3-cbc", .key = key, .iv = iv};
  const Buffer old = encrypt_old(format, varied(100, 3));
  format.key = wrong;
  ForeignReader reader(reading(old), format, one_thread);
  Buffer out(200);
  expect_error(ErrorCode::wrong_key, [&] { static_cast<void>(reader.read(out)); });
  ForeignReader cut(reading(Bytes(old).first(old.size() - 3)), format, one_thread);
  expect_error(ErrorCode::truncated, [&] { static_cast<void>(cut.read(out)); });
}

TEST(ForeignReader, RefusesFormatsThatDoNotFit) {
  const Buffer key = varied(24, 1), iv = varied(8, 2), data = varied(64, 3);
  const ForeignFormat right{.cipher = "des-ede3-cbc", .key = key, .iv = iv};
  const auto refuse = [&](const auto& change) {
    ForeignFormat format = right;
    change(format);
    expect_error(ErrorCode::usage, [&] { ForeignReader(reading(data), format, one_thread); });
  };
  refuse([](ForeignFormat& f) { f.cipher = "aes-256-gcm"; });
  refuse([](ForeignFormat& f) { f.cipher = "rot13"; });
  refuse([](ForeignFormat& f) { f.key = f.key.first(23); });
  refuse([](ForeignFormat& f) { f.iv = f.iv.first(7); });
  refuse([](ForeignFormat& f) { f.iv = {}; });
  refuse([](ForeignFormat& f) { f.begins_with_iv = true; });
  refuse([](ForeignFormat& f) { f.passphrase = passphrase_bytes; });
  refuse([](ForeignFormat& f) { f.key = {}; });
  refuse([](ForeignFormat& f) { f.passphrase_is_empty = true; });
  refuse([](ForeignFormat& f) { f.sectors.sector_bytes = 512; });
  refuse([](ForeignFormat& f) {
    f.key = {};
    f.iv = {};
    f.passphrase = passphrase_bytes;
    f.derivation.digest = "sha257";
  });
  refuse([](ForeignFormat& f) {
    f.key = {};
    f.iv = {};
    f.passphrase = passphrase_bytes;
    f.find_digest = true;  // of what cannot go back
    f.salted = false;
  });
  const auto refuse_salt = [&](std::size_t salt_bytes, Bytes salt, bool pbkdf2) {
    refuse([&](ForeignFormat& f) {
      f = {.cipher = "des-ede3-cbc",
           .passphrase = passphrase_bytes,
           .derivation = {.pbkdf2 = pbkdf2},
           .salt_bytes = salt_bytes,
           .salt = salt};
    });
  };
  refuse_salt(0, {}, true);
  refuse_salt(17, {}, true);
  refuse_salt(16, {}, false);
  refuse_salt(8, Bytes(data).first(17), true);
  refuse_salt(8, Bytes(data).first(7), false);
  EXPECT_THROW(ForeignReader(ReadNext(), right, one_thread), Error);
  Buffer out(9);
  EXPECT_THROW(static_cast<void>(ForeignReader([](MutableBytes to) { return to.size() + 1; }, right, one_thread).read(out)),
               Error);
}

TEST(ForeignReader, TakesNoSaltedFileForAnother) {
  const TemporaryFolder folder;
  const ForeignFormat salted{.cipher = "des3", .passphrase = passphrase_bytes};
  const std::string path = folder.write("old", encrypt_old(salted, varied(100, 3)));
  ForeignFormat other = salted;
  other.salted = false;
  expect_error(ErrorCode::format, [&] { ForeignReader(path, other, one_thread); });
  const Buffer key = varied(24, 1), iv = varied(8, 2);
  expect_error(ErrorCode::format,
               [&] { ForeignReader(path, {.cipher = "des-ede3-cbc", .key = key, .iv = iv}, one_thread); });
}

// Every call from now on fails as the first did, and writes nothing.
void expect_failed_for_ever(ForeignReader& reader, ErrorCode code) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{5U << 20}}) {
    Buffer out(size, 0xa5);
    expect_error(code, [&] { static_cast<void>(reader.read(out)); });
    EXPECT_EQ(out, Buffer(size, 0xa5)) << size;
  }
}

TEST(ForeignReader, ThatFailedOnceGivesNothingMore) {
  const Buffer key = varied(32, 1), wrong = varied(32, 5), iv = varied(16, 2), plain = varied((3U << 20) + 16, 3);
  ForeignFormat format{.cipher = "aes-256-cbc", .key = key, .iv = iv};
  const Buffer old = encrypt_old(format, plain);
  Buffer out(1U << 20);
  std::size_t num_reads = 0;
  bool fails = true;  // once, at the third read
  const ReadNext whole = reading(old);
  ForeignReader interrupted(
      [&](MutableBytes to) {
        if (++num_reads == 3 && std::exchange(fails, false)) throw Error(ErrorCode::runtime, "unplugged for a moment");
        return whole(to);
      },
      format);
  std::size_t num_given = 0;
  expect_error(ErrorCode::runtime, [&] {
    for (std::size_t i = 0; i < 10; ++i) num_given += interrupted.read(out);
  });
  EXPECT_LE(num_given, plain.size());
  expect_failed_for_ever(interrupted, ErrorCode::runtime);
  format.key = wrong;
  ForeignReader wrongly(reading(old), format);
  expect_error(ErrorCode::wrong_key, [&] {
    for (std::size_t i = 0; i < 10; ++i) static_cast<void>(wrongly.read(out));
  });
  expect_failed_for_ever(wrongly, ErrorCode::wrong_key);
  ForeignReader cut(reading(Bytes(old).first(old.size() - 3)), format);
  expect_error(ErrorCode::truncated, [&] {
    for (std::size_t i = 0; i < 10; ++i) static_cast<void>(cut.read(out));
  });
  expect_failed_for_ever(cut, ErrorCode::truncated);
}

TEST(ForeignReader, ThatFailedWithItsFirstByteGivesNothingMore) {
  const Buffer key = varied(32, 1), iv = varied(16, 2), plain = varied(100, 3);
  const ForeignFormat format{.cipher = "aes-256-ctr", .key = key, .iv = iv};
  const Buffer old = encrypt_old(format, plain);
  bool fails = true;
  const ReadNext whole = reading(old);
  ForeignReader reader(
      [&](MutableBytes to) {
        if (std::exchange(fails, false)) throw Error(ErrorCode::runtime, "not yet");
        return whole(to);
      },
      format);
  Buffer out(1);
  expect_error(ErrorCode::runtime, [&] { static_cast<void>(reader.read(out)); });
  expect_failed_for_ever(reader, ErrorCode::runtime);
}

TEST(ForeignReader, AtItsEndAndMovedFrom) {
  const Buffer key = varied(32, 1), iv = varied(16, 2), plain = varied(100, 3);
  const ForeignFormat format{.cipher = "aes-256-cbc", .key = key, .iv = iv};
  const Buffer old = encrypt_old(format, plain);
  ForeignReader first(reading(old), format, one_thread);
  Buffer out(60);
  EXPECT_EQ(first.read(out), 60U);
  ForeignReader second(std::move(first));
  EXPECT_EQ(second.read(out), 40U);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(second.read(out), 0U);
  // NOLINTBEGIN(bugprone-use-after-move)
  expect_error(ErrorCode::usage, [&] { static_cast<void>(first.read(out)); });
  expect_error(ErrorCode::usage, [&] { static_cast<void>(first.engine()); });
  expect_error(ErrorCode::usage, [&] { static_cast<void>(first.digest()); });
  first = std::move(second);
  EXPECT_EQ(first.read(out), 0U);
  // NOLINTEND(bugprone-use-after-move)
}

TEST(ForeignReader, PassesOnWhatTheReadThrows) {
  const Buffer key = varied(24, 1), iv = varied(8, 2);
  ForeignReader reader([](MutableBytes) -> std::size_t { throw std::runtime_error("unplugged"); },
                       {.cipher = "des-ede3-cbc", .key = key, .iv = iv}, one_thread);
  Buffer out(10);
  EXPECT_THROW(static_cast<void>(reader.read(out)), std::runtime_error);
  EXPECT_THROW(static_cast<void>(reader.read(out)), std::runtime_error) << "the same again";
}

// An old file of several pieces, of which the reader has read the beginning.
struct BegunFile {
  TemporaryFolder folder;
  Buffer key = varied(32, 1), iv = varied(16, 2), plain = varied((3U << 20) + 77, 3);
  ForeignFormat format{.cipher = "aes-256-ctr", .key = key, .iv = iv};
  std::string path = folder.write("old", encrypt_old(format, plain));
  ForeignReader reader{path, format};
  Buffer beginning = Buffer(1000);

  BegunFile() { EXPECT_EQ(reader.read(beginning), beginning.size()); }
};

TEST(ForeignReader, ReadsOnWhatIsAppended) {
  BegunFile old;
  Buffer longer = old.plain;
  const Buffer more = varied(2U << 20, 9);
  longer.insert(longer.end(), more.begin(), more.end());
  const Buffer sealed = encrypt_old(old.format, longer);
  std::ofstream(old.path, std::ios::binary | std::ios::app)
      .write(reinterpret_cast<const char*>(sealed.data()) + old.plain.size(), static_cast<std::streamsize>(more.size()));
  const Buffer rest = drain(old.reader, 1U << 18);
  old.beginning.insert(old.beginning.end(), rest.begin(), rest.end());
  EXPECT_EQ(old.beginning, longer);
  Buffer out(10);
  EXPECT_EQ(old.reader.read(out), 0U);
}

TEST(ForeignReader, RefusesAFileThatChanges) {
  const std::function<void(const std::string&)> changes[] = {
      [](const std::string& path) { std::filesystem::resize_file(path, 2'000'000); },
      [](const std::string& path) { std::filesystem::last_write_time(path, std::filesystem::file_time_type{}); },
  };
  for (const auto& change : changes) {
    BegunFile old;
    change(old.path);
    expect_error(ErrorCode::runtime, [&] { drain(old.reader, 1U << 18); });
    expect_failed_for_ever(old.reader, ErrorCode::runtime);
  }
}

}  // namespace
}  // namespace phalanx::test
