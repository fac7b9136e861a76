// What the tests of containers share: the corpus, and messages as a whole.
#pragma once

#include <gtest/gtest.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <phalanx/files/container.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "engine/chunked/chunked_encryption.hpp"
#include "files/container/format/recipient.hpp"
#include "tests/vector_file.hpp"

namespace phalanx::test {

/// "0011 ff*16384 22": hex digits, and bytes that repeat.
inline ByteVector expand_runs(const std::string& text) {
  ByteVector bytes;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const std::size_t star = word.find('*');
    const ByteVector digits = from_hex(word.substr(0, star));
    const std::size_t count = star == std::string::npos ? 1 : std::stoul(word.substr(star + 1));
    for (std::size_t i = 0; i < count; ++i) bytes.insert(bytes.end(), digits.begin(), digits.end());
  }
  return bytes;
}

inline std::vector<Record> records_of(const std::string& folder, const std::string& name) {
  return load_records(vectors_folder() / folder / name);
}

/// The container or message of a record, which may be empty.
inline ByteVector sealed_of(const Record& record) { return expand_runs(record.has("sealed") ? record.text("sealed") : ""); }

inline std::string sha512_hex(Bytes bytes) {
  std::array<std::uint8_t, 64> digest{};
  EXPECT_EQ(EVP_Digest(bytes.data(), bytes.size(), digest.data(), nullptr, EVP_sha512(), nullptr), 1);
  return to_hex(digest);
}

inline void expect_plaintext(const Record& record, Bytes plain) {
  EXPECT_EQ(std::to_string(plain.size()), record.text("plain_bytes"));
  EXPECT_EQ(sha512_hex(plain), record.text("plain_sha512"));
}

/// What the comment and flags of a published case promise.
inline int expected_code(const Record& record) {
  const auto flagged = [&](const char* flag) {
    return record.has("flags") && record.text("flags").find(flag) != std::string::npos;
  };
  const auto says = [&](const char* words) { return record.text("comment").find(words) != std::string::npos; };
  if (flagged("InvalidKeySize")) return 2;
  if (flagged("HeaderFailure") && !flagged("Truncation")) return 4;
  if (says("mid-body")) return 3;           // a cut inside a chunk looks like a change
  if (says("12 trailing bytes")) return 5;  // an impossible length
  return flagged("Truncation") ? 5 : 3;
}

inline ByteVector open_message(const Suite& suite, Bytes key, Bytes context, Bytes message,
                               const EngineOptions& options = {}) {
  if (message.size() < message_prefix_bytes) throw Error(ErrorCode::truncated, "no prefix");
  MessagePrefix prefix;
  std::copy_n(message.begin(), prefix.size(), prefix.begin());
  const ChunkedCipher cipher(suite, key, prefix, context, options);
  const Bytes chunks = message.subspan(prefix.size());
  ByteVector plain(plain_bytes_of_chunks(chunks.size()));
  cipher.open(0, chunks, plain);
  return plain;
}

inline ByteVector seal_message(const Suite& suite, Bytes key, Bytes salt, Bytes context, Bytes plain,
                               const EngineOptions& options = {}) {
  ChunkSalt chunk_salt;
  std::copy_n(salt.begin(), chunk_salt.size(), chunk_salt.begin());
  const ChunkedCipher cipher(suite, key, chunk_salt, context, options);
  ByteVector message(cipher.prefix().begin(), cipher.prefix().end());
  message.resize(message_prefix_bytes + chunks_bytes(plain.size()));
  cipher.seal(0, plain, MutableBytes(message).subspan(message_prefix_bytes));
  return message;
}

inline Recipient by_key(const ByteVector& key) { return {KeyKind::key, key, {}}; }

inline ByteVector seal(const std::string& suite, const std::vector<Recipient>& recipients, Bytes plain,
                       const EngineOptions& options = {}, const Binding& binding = {}) {
  ByteVector sealed(container_bytes(suite, recipients, plain.size(), binding));
  seal_container(suite, recipients, plain, sealed, options, binding);
  return sealed;
}

inline std::vector<Identity> identities_of(const std::vector<Recipient>& recipients) {
  std::vector<Identity> identities;
  for (const Recipient& recipient : recipients) identities.push_back(identity_of(recipient));
  return identities;
}

inline ByteVector open(Bytes sealed, const std::vector<Recipient>& recipients, const EngineOptions& options = {},
                       const Binding& binding = {}) {
  const ContainerReader reader(sealed, identities_of(recipients), options, {}, binding);
  ByteVector plain(reader.size());
  reader.read(0, plain);
  return plain;
}

/// The code of the Error that the function throws, 0 if none; its text must contain the words.
template <class Function>
int code_of(Function function, std::string_view words = "") {
  try {
    function();
  } catch (const Error& error) {
    EXPECT_NE(std::string_view(error.what()).find(words), std::string_view::npos) << error.what();
    return static_cast<int>(error.code());
  }
  return 0;
}

inline ByteVector bytes_of(std::string_view text) { return {text.begin(), text.end()}; }

}  // namespace phalanx::test
