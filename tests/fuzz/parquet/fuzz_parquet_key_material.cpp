// Key material in a Parquet file, of any bytes: it is none, or names a key to the service that unwraps keys; and a new key's
// is read again, and gives that key.
#include <phalanx/parquet/modular_encryption.hpp>

#include "engine/text/hex.hpp"
#include "parquet/file_keys.hpp"
#include "tests/fuzz/driver/fuzzed_input.hpp"

namespace phalanx::fuzz {
namespace {

// A service that wraps keys as their digits, of as many bytes as they are.
std::string wrap(Bytes key, const std::string& /*master_key_id*/) { return encode_hex(key); }
Secret unwrap(const ParquetWrappedKey& wrapped) {
  Secret key(wrapped.wrapped.size() / 2);
  decode_hex(wrapped.wrapped, "the wrapped key", key);
  return key;
}

void check_any(Bytes key_metadata) {
  std::size_t num_asked = 0;
  const ParquetKeyFinder find = parquet_keys_of_kms([&](const ParquetWrappedKey& wrapped) {
    ++num_asked;
    return unwrap(wrapped);
  });
  std::optional<ErrorCode> errors[2];
  for (std::optional<ErrorCode>& error : errors) {
    error = error_of([&] { static_cast<void>(find({.key_metadata = key_metadata})); });
  }
  require(errors[0] == errors[1], "the same is said each time");
  require(errors[0] || num_asked == 1, "a service is asked once for each key");
  require(errors[0] != ErrorCode::usage || num_asked != 0, "what is no key material is the file's fault");
}

void check_new(FuzzedInput& input) {
  constexpr std::size_t sizes[] = {16, 24, 32};
  NewKmsKey wanted;
  wanted.is_footer = input.flag();
  wanted.double_wrapping = input.flag();
  wanted.key_bytes = input.one_of(sizes);
  wanted.master_key_id = input.text(input.below(20));
  wanted.kms_instance_url = input.text(input.below(20));
  const ParquetKey key = new_kms_parquet_key(wanted, wrap);
  const ParquetKeyFinder find = parquet_keys_of_kms(unwrap);
  const Secret found = find({.key_metadata = key.key_metadata()});
  require(same(found, key.state().key), "a new key is found by what the file has of it");
  Buffer changed(key.key_metadata().begin(), key.key_metadata().end());
  changed[input.below(changed.size())] ^= static_cast<std::uint8_t>(1U << input.below(8));
  check_any(changed);
}

}  // namespace
}  // namespace phalanx::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace phalanx::fuzz;
  check_any({data, size});
  FuzzedInput input(data, size);
  check_new(input);
  return 0;
}
