// OpenPgpReader: messages of several programs from files and calls, in pieces of any size; and what it refuses.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <phalanx/files/inspect.hpp>
#include <phalanx/files/openpgp.hpp>

#include "tests/foreign/foreign_file.hpp"
#include "tests/foreign/format_fixture.hpp"
#include "tests/foreign/openpgp/kept_messages.hpp"

namespace phalanx::test {
namespace {

constexpr const char* programs[] = {"gnupg_1.4.23", "gnupg_2.2.40", "gnupg_2.4.7", "sequoia"};

TEST(OpenPgpReader, ReadsWhatProgramsWrote) {
  const TemporaryFolder folder;
  for (const char* const program : programs) {
    const std::vector<KeptMessage> messages = kept_messages(program);
    EXPECT_GT(messages.size(), 3U) << program;
    for (const KeptMessage& kept : messages) {
      const std::string path = folder.write("message", kept.file);
      OpenPgpReader called(reading(kept.file), kept.by_passphrase(), one_thread);
      EXPECT_EQ(drain(called, 100000), kept.plaintext) << kept.what;
      for (const std::size_t each : {1, 100, 100000}) {
        OpenPgpReader file(path, kept.by_session_key(), one_thread);
        EXPECT_EQ(drain(file, each), kept.plaintext) << kept.what;
        EXPECT_TRUE(file.is_authenticated());
        EXPECT_EQ(file.cipher(), called.cipher());
        EXPECT_EQ(file.is_signed(), called.is_signed());
      }
      const InspectedFile inspected = inspect(kept.file, kept.file.size());
      EXPECT_EQ(inspected.openpgp.problem, "") << kept.what;
      EXPECT_FALSE(inspected.openpgp.recipients.empty()) << kept.what;
    }
  }
}

TEST(OpenPgpReader, TellsOneErrorOfWhateverFailsUnderASecret) {
  const KeptMessage kept = kept_messages("gnupg_2.2.40").at(0);
  std::string words;
  const auto failure_of = [&](Bytes file, const OpenPgpSecrets& secrets) {
    try {
      OpenPgpReader reader(reading(file), secrets, one_thread);
      static_cast<void>(drain(reader, 1000));
    } catch (const Error& error) {
      EXPECT_TRUE(words.empty() || words == error.what()) << error.what();
      words = error.what();
      return error.code();
    }
    return ErrorCode{0};
  };
  const std::string wrong = "another";
  EXPECT_EQ(failure_of(kept.file, {.passphrase = KeptMessage::bytes_of_text(wrong)}), ErrorCode::wrong_key);
  for (const std::size_t from_end : {1, 10, 20, 21, 22, 23, 40}) {
    ByteVector changed = kept.file;
    changed[changed.size() - from_end] ^= 1;
    EXPECT_EQ(failure_of(changed, kept.by_passphrase()), ErrorCode::wrong_key) << from_end;
  }
}

TEST(OpenPgpReader, RefusesSecretsThatDoNotFit) {
  const KeptMessage kept = kept_messages("gnupg_2.2.40").at(0);
  const auto code = [&](const OpenPgpSecrets& secrets) {
    return code_of([&] { const OpenPgpReader reader(reading(kept.file), secrets, one_thread); });
  };
  EXPECT_EQ(code({}), ErrorCode::usage);
  OpenPgpSecrets both = kept.by_passphrase();
  both.session_key = kept.by_session_key().session_key;
  EXPECT_EQ(code(both), ErrorCode::usage);
  for (const std::string text : {"", "9", "9:", "9:0", "99:00", "9:00", "x:00", "9:zz"})
    EXPECT_EQ(code({.session_key = KeptMessage::bytes_of_text(text)}), ErrorCode::usage) << text;
  EXPECT_EQ(code_of([&] { const OpenPgpReader reader(ReadNext(), kept.by_passphrase(), one_thread); }), ErrorCode::usage);
  const std::string empty;
  EXPECT_EQ(code({.passphrase = KeptMessage::bytes_of_text(empty), .passphrase_is_empty = true}), ErrorCode::wrong_key);
}

TEST(OpenPgpReader, FailsAgainAsItFailed) {
  int num_read = 0;
  for (const KeptMessage& kept : kept_messages("gnupg_2.4.7")) {
    if (kept.file.front() < 0x80) continue;  // an armor
    ByteVector changed = kept.file;
    changed.back() ^= 1;  // of the last tag, or of the code
    std::optional<OpenPgpReader> reader;
    const auto open = [&] { reader.emplace(reading(changed), kept.by_session_key(), one_thread); };
    if (const ErrorCode code = code_of(open); code != ErrorCode{0}) {
      EXPECT_EQ(code, ErrorCode::wrong_key) << kept.what;
      continue;
    }
    ++num_read;  // in chunks, of which the first are right
    Buffer part(1 << 20);
    for (int i = 0; i < 2; ++i)
      EXPECT_EQ(code_of([&] { static_cast<void>(reader->read(part)); }), ErrorCode::wrong_key) << kept.what;
  }
  EXPECT_GT(num_read, 0);
}

}  // namespace
}  // namespace phalanx::test
