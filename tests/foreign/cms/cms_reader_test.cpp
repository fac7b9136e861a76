// CmsReader: the examples of RFC 4134 from files and calls, in pieces of any size; and what it refuses.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <phalanx/files/cms.hpp>
#include <phalanx/files/inspect.hpp>

#include "tests/foreign/foreign_file.hpp"
#include "tests/foreign/format_fixture.hpp"
#include "tests/vector_file.hpp"

namespace phalanx::test {
namespace {

struct Example {
  explicit Example(std::size_t number)
      : record(load_records(vectors_folder() / "cms" / "rfc4134.txt").at(number)),
        key(record.bytes("key")),
        message(record.bytes("message")),
        content(record.bytes("content")) {}

  [[nodiscard]] CmsRecipientKeys keys() const { return {.private_key = key}; }

  Record record;
  Buffer key, message, content;
};

TEST(CmsReader, ReadsTheExamplesOfTheStandard) {
  const TemporaryFolder folder;
  for (const std::size_t number : {std::size_t{0}, std::size_t{1}}) {
    const Example example(number);
    const std::string path = folder.write("message", example.message);
    for (const std::size_t each : {1, 7, 28, 1000}) {
      CmsReader called(reading(example.message), example.keys(), one_thread), file(path, example.keys(), one_thread);
      EXPECT_EQ(drain(called, each), example.content) << each;
      EXPECT_EQ(drain(file, each), example.content) << each;
      EXPECT_EQ(file.cipher(), number == 0 ? "des-ede3-cbc" : "rc2-40-cbc");
      EXPECT_EQ(file.engine(), number == 0 ? "cpu:scalar" : "cpu:libcrypto");
      EXPECT_FALSE(file.is_authenticated());
    }
  }
}

TEST(CmsReader, RefusesKeysThatDoNotFit) {
  const Example example(0);
  const Buffer word = to_bytes("word"), none;
  const auto code_with = [&](const CmsRecipientKeys& keys) {
    return code_of([&] { CmsReader(reading(example.message), keys, one_thread); });
  };
  EXPECT_EQ(code_with({}), ErrorCode::usage);
  EXPECT_EQ(code_with({.private_key = example.key, .key = word}), ErrorCode::usage);
  EXPECT_EQ(code_with({.key = word, .passphrase = word}), ErrorCode::usage);
  EXPECT_EQ(code_with({.certificate = word, .key = word}), ErrorCode::usage);
  EXPECT_EQ(code_with({.private_key_passphrase = word, .passphrase = word}), ErrorCode::usage);
  EXPECT_EQ(code_with({.private_key = word}), ErrorCode::format);
  EXPECT_EQ(code_with({.private_key = example.key, .certificate = word}), ErrorCode::format);
  EXPECT_EQ(code_with({.key = word}), ErrorCode::wrong_key);
  EXPECT_EQ(code_with({.passphrase_is_empty = true}), ErrorCode::wrong_key);
  EXPECT_EQ(code_of([&] { CmsReader(ReadNext(), example.keys(), one_thread); }), ErrorCode::usage);
}

TEST(CmsReader, TellsTheSameFailureAgainAndAgain) {
  Example example(0);
  example.message.back() ^= 0x40;  // its padding does not check any more
  CmsReader reader(reading(example.message), example.keys(), one_thread);
  Buffer out(100);
  std::string first;
  for (int i = 0; i < 3; ++i) {
    try {
      static_cast<void>(reader.read(out));
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::wrong_key);
      if (first.empty()) first = error.what();
      EXPECT_EQ(first, error.what());
    }
  }
  CmsReader moved = std::move(reader);
  EXPECT_EQ(code_of([&] { static_cast<void>(moved.read(out)); }), ErrorCode::wrong_key);
  EXPECT_EQ(code_of([&] { static_cast<void>(reader.read(out)); }), ErrorCode::usage);
}

TEST(CmsReader, RefusesWhatIsCut) {
  const Example example(1);
  for (std::size_t size = 0; size < example.message.size(); ++size) {
    const Bytes cut = Bytes(example.message).first(size);
    const ErrorCode code = code_of([&] {
      CmsReader reader(reading(cut), example.keys(), one_thread);
      drain(reader, 100);
    });
    EXPECT_TRUE(code == ErrorCode::truncated || code == ErrorCode::format) << size;
  }
}

TEST(CmsReader, GivesOnWhatACallThrows) {
  const Example example(0);
  const ReadNext fails = [](MutableBytes) -> std::size_t { throw Error(ErrorCode::runtime, "no more"); };
  EXPECT_EQ(code_of([&] { CmsReader(fails, example.keys(), one_thread); }), ErrorCode::runtime);
  const ReadNext lies = [](MutableBytes out) { return out.size() + 1; };
  EXPECT_EQ(code_of([&] { CmsReader(lies, example.keys(), one_thread); }), ErrorCode::usage);
  EXPECT_EQ(code_of([&] { CmsReader("/does/not/exist", example.keys(), one_thread); }), ErrorCode::runtime);
}

TEST(CmsFacts, AreSaidByInspect) {
  const Example example(1);
  const InspectedFile file = inspect(example.message, example.message.size());
  EXPECT_EQ(file.kind, "cms");
  EXPECT_EQ(file.cms.type, "EnvelopedData");
  EXPECT_EQ(file.cms.cipher, "rc2-40-cbc");
  EXPECT_EQ(file.cms.problem, "");
  ASSERT_EQ(file.cms.recipients.size(), 2U);
  EXPECT_EQ(file.cms.recipients[0].kind, "key transport");
  EXPECT_EQ(file.cms.recipients[0].issuer, "CN=CarlRSA");
  EXPECT_EQ(file.cms.recipients[0].serial, "46346bc7800056bc11d36e2ecd5d71d0");
  EXPECT_EQ(file.cms.recipients[1].kind, "key");
  EXPECT_EQ(file.cms.recipients[1].key_id, to_hex(to_bytes("MailListRC2")));
  const InspectedFile cut = inspect(Bytes(example.message).first(100), example.message.size());
  EXPECT_NE(cut.cms.problem, "");
  EXPECT_TRUE(cut.cms.recipients.empty());
}

}  // namespace
}  // namespace phalanx::test
