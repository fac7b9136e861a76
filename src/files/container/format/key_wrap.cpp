#include "files/container/format/key_wrap.hpp"

#include <algorithm>
#include <phalanx/error.hpp>

#include "engine/chunked/chunked_encryption.hpp"

namespace phalanx {

std::size_t key_wrap_bytes(const Suite& suite) {
  return message_prefix_bytes + suite.key_bytes + chunk_tag_bytes;  // one chunk: the data key
}

void append_key_wrap(const FixedPart& fixed_part, std::string_view label, Bytes input_key, Bytes data_key,
                     std::vector<std::uint8_t>& data) {
  const ChunkedCipher cipher(*fixed_part.suite, input_key, random_chunk_salt(), labelled_fixed_part(fixed_part, label),
                             {"cpu", 1});
  data.insert(data.end(), cipher.prefix().begin(), cipher.prefix().end());
  data.resize(data.size() + data_key.size() + chunk_tag_bytes);
  cipher.seal(0, data_key, MutableBytes(data).last(data_key.size() + chunk_tag_bytes));
}

std::optional<SecretBytes> open_key_wrap(const FixedPart& fixed_part, std::string_view label, Bytes input_key, Bytes wrap) {
  MessagePrefix prefix;
  std::copy_n(wrap.begin(), prefix.size(), prefix.begin());
  std::optional<ChunkedCipher> cipher;
  try {
    cipher.emplace(*fixed_part.suite, input_key, prefix, labelled_fixed_part(fixed_part, label), EngineOptions{"cpu", 1});
  } catch (const Error& error) {
    if (error.code() == ErrorCode::wrong_key) return std::nullopt;
    throw;
  }
  SecretBytes data_key(fixed_part.suite->key_bytes);
  try {
    cipher->open(0, wrap.subspan(prefix.size()), data_key);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::authentication) throw;
    throw Error(ErrorCode::authentication, "the header is not authentic: its wrapped key was changed");
  }
  return data_key;
}

}  // namespace phalanx
