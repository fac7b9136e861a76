// seal_with_new_nonce and open_with_leading_nonce: fresh nonces, what the sealed message consists of, places in memory, and what does not fit.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <set>

#include "tested_engines.hpp"

namespace phalanx::test {
namespace {

constexpr std::size_t overhead = Aead::nonce_and_tag_bytes;

const Buffer& key() {
  static const Buffer bytes = Random(90).bytes(32);
  return bytes;
}

Aead xaes() { return {"xaes-256-gcm", key(), {.engine = "auto", .num_threads = 2}}; }

Buffer sealed_by(const Aead& cipher, Bytes associated_data, Bytes in) {
  Buffer out(in.size() + overhead);
  cipher.seal_with_new_nonce(associated_data, in, out);
  return out;
}

template <class Call>
void expect_error(ErrorCode code, const char* word, const Call& call) {
  try {
    call();
    ADD_FAILURE() << "no error, which should say " << word;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
  }
}

TEST(RandomNonces, ASealedMessageIsNonceCiphertextAndTag) {
  const Aead cipher = xaes();
  Random random(91);
  for (const std::size_t size : {0, 1, 16, 100, 5000}) {
    const Buffer in = random.bytes(size), associated_data = random.bytes(size % 50);
    const Buffer sealed = sealed_by(cipher, associated_data, in);
    Buffer out(size), text(size), tag(16);
    const Bytes nonce = Bytes(sealed).first(24);
    cipher.open(nonce, associated_data, Bytes(sealed).subspan(24, size), out, Bytes(sealed).last(16));
    EXPECT_EQ(out, in);
    cipher.seal(nonce, associated_data, in, text, tag);
    EXPECT_TRUE(std::equal(text.begin(), text.end(), sealed.begin() + 24));
    Buffer opened(size);
    cipher.open_with_leading_nonce(associated_data, sealed, opened);
    EXPECT_EQ(opened, in);
    expect_error(ErrorCode::authentication, "tag", [&] { cipher.open_with_leading_nonce(Buffer(3), sealed, opened); });
  }
}

TEST(RandomNonces, AreDrawnAnewEachTime) {
  const Aead cipher = xaes();
  std::set<Buffer> nonces;
  for (int i = 0; i < 100; ++i) {
    Buffer sealed = sealed_by(cipher, {}, key());
    sealed.resize(24);
    nonces.insert(sealed);
  }
  std::vector<Buffer> outs(300, Buffer(overhead));
  std::vector<MessageToSealWithNewNonce> messages;
  for (Buffer& out : outs) messages.push_back({{}, {}, out});
  cipher.seal_with_new_nonce_batch(messages);
  for (Buffer& out : outs) nonces.insert(Buffer(out.begin(), out.begin() + 24));
  EXPECT_EQ(nonces.size(), 400U);
}

// A process that was forked has the state of its parent's generator.
TEST(RandomNonces, DifferAfterAFork) {
  const Aead cipher("xaes-256-gcm", key(), {.engine = "auto", .num_threads = 1});
  static_cast<void>(sealed_by(cipher, {}, {}));
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const Buffer sealed = sealed_by(cipher, {}, {});
    _exit(write(ends[1], sealed.data(), sealed.size()) == static_cast<ssize_t>(sealed.size()) ? 0 : 1);
  }
  const Buffer ours = sealed_by(cipher, {}, {});
  Buffer theirs(overhead);
  EXPECT_EQ(read(ends[0], theirs.data(), theirs.size()), static_cast<ssize_t>(overhead));
  int status = 1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_NE(ours, theirs);
  close(ends[0]);
  close(ends[1]);
}

TEST(RandomNonces, InPlace) {
  const Aead cipher = xaes();
  const Buffer in = Random(92).bytes(100);
  Buffer memory(100 + overhead);
  const MutableBytes text = MutableBytes(memory).subspan(24, 100);
  std::copy(in.begin(), in.end(), text.begin());
  cipher.seal_with_new_nonce({}, text, memory);
  EXPECT_FALSE(std::equal(in.begin(), in.end(), text.begin()));
  cipher.open_with_leading_nonce({}, memory, text);
  EXPECT_TRUE(std::equal(in.begin(), in.end(), text.begin()));
}

TEST(RandomNonces, WhatDoesNotFit) {
  const Aead cipher = xaes();
  Buffer memory(300, 0x33);
  const MutableBytes all(memory);
  constexpr ErrorCode usage = ErrorCode::usage;
  for (const std::size_t size : {0, 39, 59, 61}) {
    expect_error(usage, "40 bytes", [&] { cipher.seal_with_new_nonce({}, all.first(20), all.subspan(100, size)); });
  }
  expect_error(usage, "40 bytes", [&] { cipher.open_with_leading_nonce({}, all.first(60), all.subspan(100, 21)); });
  for (const std::size_t offset : {0, 23, 25, 59}) {
    expect_error(usage, "overlap", [&] { cipher.seal_with_new_nonce({}, all.subspan(offset, 20), all.first(60)); });
    expect_error(usage, "overlap", [&] { cipher.open_with_leading_nonce({}, all.first(60), all.subspan(offset, 20)); });
  }
  expect_error(usage, "associated data", [&] { cipher.seal_with_new_nonce(all.first(1), all.last(20), all.first(60)); });
  for (const std::size_t size : {0, 24, 39}) {
    expect_error(ErrorCode::truncated, "at least 40", [&] { cipher.open_with_leading_nonce({}, all.first(size), {}); });
  }
  EXPECT_EQ(memory, Buffer(300, 0x33)) << "nothing is written";
}

// The messages of a batch, the plaintext and its size being the same as its number.
struct Batch {
  std::vector<Buffer> plain, sealed, keys;

  Batch(const Aead& cipher, std::size_t num_messages) {
    std::vector<MessageToSealWithNewNonce> messages;
    for (std::size_t i = 0; i < num_messages; ++i) {
      plain.emplace_back(i, static_cast<std::uint8_t>(i));
      sealed.emplace_back(i + overhead);
      keys.push_back(i % 4 == 1 ? Random(i).bytes(32) : Buffer());
    }
    for (std::size_t i = 0; i < num_messages; ++i) messages.push_back({keys[i], plain[i], sealed[i], keys[i]});
    cipher.seal_with_new_nonce_batch(messages);
  }
};

TEST(RandomNonces, ABatchIsItsMessages) {
  const Aead cipher = xaes();
  Batch batch(cipher, 100);
  for (std::size_t i = 0; i < 100; ++i) {
    Buffer out(i);
    const Aead own("xaes-256-gcm", batch.keys[i].empty() ? key() : batch.keys[i], {.engine = "auto", .num_threads = 1});
    own.open_with_leading_nonce(batch.keys[i], batch.sealed[i], out);
    EXPECT_EQ(out, batch.plain[i]);
  }
  batch.sealed[7].back() ^= 1;
  batch.sealed[8].resize(39);
  batch.sealed[9].clear();
  std::vector<Buffer> outs;
  for (std::size_t i = 0; i < 100; ++i) outs.emplace_back(i, 0xa5);
  std::vector<MessageToOpenWithLeadingNonce> messages;
  for (std::size_t i = 0; i < 100; ++i) messages.push_back({batch.keys[i], batch.sealed[i], outs[i], batch.keys[i]});
  EXPECT_FALSE(cipher.open_with_leading_nonce_batch(messages));
  for (std::size_t i = 0; i < 100; ++i) {
    const bool is_good = i < 7 || i > 9;
    EXPECT_EQ(messages[i].is_authentic, is_good) << i;
    EXPECT_EQ(outs[i], is_good ? batch.plain[i] : Buffer(i, 0xa5)) << i;
  }
  EXPECT_TRUE(cipher.open_with_leading_nonce_batch(std::span(messages).first(7)));
  EXPECT_TRUE(cipher.open_with_leading_nonce_batch({}));
  EXPECT_NO_THROW(cipher.seal_with_new_nonce_batch({}));
}

TEST(RandomNonces, AreNotForNoncesOf12Bytes) {
  const Aead gcm("aes-256-gcm", key());
  Buffer memory(overhead);
  std::vector<MessageToOpenWithLeadingNonce> to_open;
  for (const char* word : {"xaes-256-gcm", "2^32"}) {
    expect_error(ErrorCode::usage, word, [&] { gcm.seal_with_new_nonce({}, {}, memory); });
    expect_error(ErrorCode::usage, word, [&] { gcm.open_with_leading_nonce({}, memory, {}); });
    expect_error(ErrorCode::usage, word, [&] { gcm.seal_with_new_nonce_batch({}); });
    expect_error(ErrorCode::usage, word, [&] { static_cast<void>(gcm.open_with_leading_nonce_batch(to_open)); });
  }
}

}  // namespace
}  // namespace phalanx::test
