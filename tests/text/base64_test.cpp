#include "engine/text/base64.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/foreign/format_fixture.hpp"
#include "tests/foreign/openssl_program.hpp"

namespace phalanx {
namespace {

FileBytes random_bytes(std::size_t size) {
  std::mt19937 generator(static_cast<unsigned>(size) + 1);
  FileBytes bytes(size);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(generator());
  return bytes;
}

// Runs a stream through update in parts of `part_bytes`, each into a buffer of just the promised size.
template <class Coder>
FileBytes run_in_parts(Coder& coder, const FileBytes& in, std::size_t part_bytes) {
  FileBytes out;
  for (std::size_t i = 0; i < in.size(); i += part_bytes) {
    const std::size_t size = std::min(part_bytes, in.size() - i);
    FileBytes part(Coder::max_update_bytes(size));
    const std::size_t written = coder.update(Bytes(in).subspan(i, size), part);
    EXPECT_LE(written, part.size());
    out.insert(out.end(), part.begin(), part.begin() + static_cast<std::ptrdiff_t>(written));
  }
  return out;
}

FileBytes encode(const FileBytes& in, std::size_t part_bytes) {
  Base64Encoder encoder;
  FileBytes out = run_in_parts(encoder, in, part_bytes);
  FileBytes end(Base64Encoder::max_finish_bytes);
  end.resize(encoder.finish(end));
  out.insert(out.end(), end.begin(), end.end());
  return out;
}

FileBytes decode(const FileBytes& in, std::size_t part_bytes) {
  Base64Decoder decoder;
  FileBytes out = run_in_parts(decoder, in, part_bytes);
  decoder.finish();
  return out;
}

// Expects the same failure however the stream is cut.
void expect_bad(std::string_view text, ErrorCode code, std::size_t position) {
  for (std::size_t part_bytes = 1; part_bytes <= text.size() + 1; ++part_bytes) {
    try {
      (void)decode(to_bytes(text), part_bytes);
      ADD_FAILURE() << "'" << text << "' was taken in parts of " << part_bytes;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code) << text << ": " << error.what();
      const std::string place = "at byte " + std::to_string(position);
      const std::size_t found = std::string_view(error.what()).find(place);
      ASSERT_NE(found, std::string::npos) << text << ": " << error.what();
      const char next = error.what()[found + place.size()];
      EXPECT_TRUE(next == ':' || next == ';') << text << ": " << error.what();
    }
  }
}

// RFC 4648, section 10.
TEST(Base64, PublishedVectors) {
  const std::pair<const char*, const char*> vectors[] = {
      {"", ""},
      {"f", "Zg==\n"},
      {"fo", "Zm8=\n"},
      {"foo", "Zm9v\n"},
      {"foob", "Zm9vYg==\n"},
      {"fooba", "Zm9vYmE=\n"},
      {"foobar", "Zm9vYmFy\n"},
  };
  for (const auto& [plain, encoded] : vectors) {
    EXPECT_EQ(encode(to_bytes(plain), 100), to_bytes(encoded));
    EXPECT_EQ(decode(to_bytes(encoded), 100), to_bytes(plain));
  }
}

TEST(Base64, WritesWhatOpensslWrites) {
  for (const std::size_t size : {0U, 1U, 2U, 3U, 47U, 48U, 49U, 50U, 95U, 96U, 97U, 144U, 1000U, 10007U}) {
    const FileBytes plain = random_bytes(size);
    EXPECT_EQ(encode(plain, 4096), run_openssl("enc -base64", plain)) << size;
  }
}

TEST(Base64, OpensslReadsOurs) {
  for (const std::size_t size : {1U, 48U, 49U, 1000U, 10007U}) {
    const FileBytes plain = random_bytes(size);
    EXPECT_EQ(run_openssl("enc -base64 -d", encode(plain, 4096)), plain) << size;
  }
}

TEST(Base64, ReadsOpensslsOneLongLine) {
  for (const std::size_t size : {1U, 2U, 3U, 48U, 49U, 1000U, 10007U}) {
    const FileBytes plain = random_bytes(size);
    EXPECT_EQ(decode(run_openssl("enc -base64 -A", plain), 100), plain) << size;
  }
}

TEST(Base64, EveryLengthInEveryPartSize) {
  for (std::size_t size = 0; size <= 150; ++size) {
    const FileBytes plain = random_bytes(size);
    const FileBytes whole = encode(plain, 1000);
    for (std::size_t part_bytes = 1; part_bytes <= size; ++part_bytes) ASSERT_EQ(encode(plain, part_bytes), whole) << size;
    for (std::size_t part_bytes = 1; part_bytes <= whole.size(); ++part_bytes) {
      ASSERT_EQ(decode(whole, part_bytes), plain) << size << " in parts of " << part_bytes;
    }
  }
}

TEST(Base64, AnEncoderBeginsAnew) {
  Base64Encoder encoder;
  for (int i = 0; i < 2; ++i) {
    FileBytes out(20);
    const std::size_t written = encoder.update(to_bytes("fooba"), out);
    const std::size_t end = encoder.finish(MutableBytes(out).subspan(written));
    out.resize(written + end);
    EXPECT_EQ(out, to_bytes("Zm9vYmE=\n"));
  }
}

TEST(Base64, ReadsAnyLines) {
  const FileBytes plain = to_bytes("foobarfoobarfooba");
  const std::string text = "Zm9vYmFyZm9vYmFyZm9vYmE=";
  for (const std::string line_end : {"\n", "\r\n", " \t\r\n\n"}) {
    for (std::size_t columns = 1; columns <= text.size(); ++columns) {
      std::string lines = line_end;
      for (std::size_t i = 0; i < text.size(); i += columns) lines += text.substr(i, columns) + line_end;
      for (const std::size_t part_bytes : {1U, 3U, 1000U}) {
        ASSERT_EQ(decode(to_bytes(lines), part_bytes), plain) << columns << " columns";
      }
    }
  }
}

TEST(Base64, RefusesEveryCharacterOutsideTheAlphabet) {
  const std::string allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/ \t\r\n";
  for (unsigned value = 0; value < 256; ++value) {
    if (allowed.find(static_cast<char>(value)) != std::string::npos || value == '=') continue;
    for (std::size_t place = 0; place < 8; ++place) {
      std::string text = "Zm9vYmFyZm9v";
      text[place] = static_cast<char>(value);
      ASSERT_NO_FATAL_FAILURE(expect_bad(text, ErrorCode::format, place)) << value;
    }
  }
}

TEST(Base64, RefusesBadPadding) {
  expect_bad("=", ErrorCode::format, 0);
  expect_bad("Z===", ErrorCode::format, 1);
  expect_bad("Zg=v", ErrorCode::format, 3);
  expect_bad("Zg==Zg==", ErrorCode::format, 4);
  expect_bad("Zg==AAAA", ErrorCode::format, 4);
  expect_bad("Zg==\n=", ErrorCode::format, 5);
  expect_bad("Zm9v=", ErrorCode::format, 4);
  expect_bad("Zh==", ErrorCode::format, 3);  // spare bits: 'h' is 33, of which the last four bits belong to no byte
  expect_bad("Zm9=", ErrorCode::format, 3);  // '9' is 61, of which the last two belong to none
}

TEST(Base64, AnEndWithinAGroupIsTruncation) {
  expect_bad("Z", ErrorCode::truncated, 1);
  expect_bad("Zm9vYm", ErrorCode::truncated, 6);
  expect_bad("Zm9vYmE", ErrorCode::truncated, 7);
  expect_bad("Zm9vYg=\n", ErrorCode::truncated, 8);
}

}  // namespace
}  // namespace phalanx
