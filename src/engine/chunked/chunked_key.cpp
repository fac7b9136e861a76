#include "engine/chunked/chunked_key.hpp"

#include <algorithm>

#include "engine/engines/registry.hpp"
#include "engine/library/argument_checks.hpp"

namespace phalanx {

ChunkedKey::ChunkedKey(std::string_view given_name, Bytes own_key, Bytes own_context, const EngineOptions& own_options)
    : suite(find_chunked_suite(given_name)),
      name(suite.chunked_name),
      key(own_key),
      context(own_context.begin(), own_context.end()),
      options(own_options) {
  if (key.size() != suite.key_bytes) {
    fail_usage("the key of " + name + " is " + text_of(suite.key_bytes) + ", and " + text_of(key.size()) + " were given");
  }
  check_options(options);
  engine = find_engine(options.engine).info().name;
}

const std::shared_ptr<const ChunkedKey>& ChunkedKey::of(const ChunkedAead& aead) {
  if (aead.key_ == nullptr) fail_usage("this key of messages was moved from: use the object that it was moved to");
  return aead.key_;
}

ChunkedCipher ChunkedKey::new_message() const { return {suite, key, random_chunk_salt(), context, options}; }

ChunkedCipher ChunkedKey::message_of(Bytes prefix) const {
  MessagePrefix own;
  std::copy_n(prefix.begin(), own.size(), own.begin());
  return {suite, key, own, context, options};
}

std::uint64_t plain_bytes_of_message(std::uint64_t sealed_bytes) {
  if (sealed_bytes < message_prefix_bytes) {
    throw Error(ErrorCode::truncated,
                "the message ends within its first " + std::to_string(message_prefix_bytes) + " bytes: it is cut short");
  }
  return plain_bytes_of_chunks(sealed_bytes - message_prefix_bytes);
}

}  // namespace phalanx
