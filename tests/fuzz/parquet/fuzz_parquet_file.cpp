// Parquet files: any bytes as a plain file and as an encrypted one are refused or taken; what is taken as plain comes back the same
// from its encrypted form, and a changed encrypted file is refused or gives the same again.
#include <phalanx/parquet.hpp>

#include "tests/fuzz/driver/fuzzed_input.hpp"

namespace phalanx::fuzz {
namespace {

const Buffer key(16, 7);

Buffer decrypt(Bytes file) {
  Buffer plain;
  static_cast<void>(decrypt_parquet(file, plain, [](const ParquetKeyRequest&) { return Secret(key); }));
  return plain;
}
Buffer encrypt(Bytes file, const EncryptParquetOptions& options) {
  Buffer encrypted;
  static_cast<void>(encrypt_parquet(file, encrypted, ParquetKey(key), options));
  return encrypted;
}

Buffer changed(Buffer file, FuzzedInput& input) {
  for (std::size_t left = 1 + input.below(4); left > 0; --left) {
    file[input.below(file.size())] ^= static_cast<std::uint8_t>(1 + input.below(255));
  }
  if (input.below(4) == 0) file.resize(input.below(file.size() + 1));
  return file;
}

}  // namespace
}  // namespace phalanx::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace phalanx;
  using namespace phalanx::fuzz;
  FuzzedInput input(data, size);
  EncryptParquetOptions options{.plaintext_footer = input.flag()};
  const Buffer choices = input.fill(16);
  const Bytes rest = input.take_rest();
  static_cast<void>(error_of([&] { decrypt(rest); }));
  Buffer encrypted, plain;
  if (error_of([&] { encrypted = encrypt(rest, options); })) return 0;
  if (error_of([&] { plain = decrypt(encrypted); })) {
    require(false, "what was encrypted is decrypted");
  }
  require(same(decrypt(encrypt(plain, options)), plain), "a file that was written again stays what it is");
  FuzzedInput chosen(choices.data(), choices.size());
  const Buffer other = changed(encrypted, chosen);
  Buffer found;
  if (!error_of([&] { found = decrypt(other); })) require(same(found, plain), "what was changed is told");
  return 0;
}
