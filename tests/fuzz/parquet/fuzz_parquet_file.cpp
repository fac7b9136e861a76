// Parquet files: any bytes as a plain file and as an encrypted one are refused or taken; what is taken as plain comes back
// the same from its encrypted form, however that was made, in memory and from a file; and a changed encrypted file is
// refused or gives the same again.
#include <array>
#include <phalanx/parquet/modular_encryption.hpp>

#include "tests/fuzz/driver/scratch_folder.hpp"

namespace phalanx::fuzz {
namespace {

constexpr std::array<std::uint8_t, 16> key_of(std::uint8_t byte) {
  std::array<std::uint8_t, 16> key{};
  key.fill(byte);
  return key;
}
constexpr auto key = key_of(7);  // of the files in the corpus
constexpr auto column_key = key_of(8);
constexpr std::string_view column_key_name = "another key";

// How a file is encrypted and decrypted: by bits of a number, all of which are zeros in the usual way.
struct Ways {
  EncryptParquetOptions encrypt{};
  DecryptParquetOptions decrypt{};
  bool through_files = false;
};

Ways take_ways(FuzzedInput& input) {
  const std::size_t bits = input.below(64);
  Ways ways;
  ways.encrypt.plaintext_footer = (bits & 1) != 0;
  if ((bits & 2) != 0) ways.encrypt.aad_prefix = {'f', 'u', 'z', 'z'};
  ways.encrypt.store_aad_prefix = (bits & 4) == 0;
  if ((bits & 2) != 0 && (bits & 4) != 0) ways.decrypt.aad_prefix = ways.encrypt.aad_prefix;
  if ((bits & 8) != 0) ways.encrypt.algorithm = ParquetAlgorithm::aes_gcm_ctr_v1;
  if ((bits & 16) != 0) {  // by the names that columns of the corpus have
    ways.encrypt.column_keys.emplace("id", ParquetKey(column_key, bytes_of(column_key_name)));
    ways.encrypt.plain_columns = {"name"};
  }
  ways.through_files = (bits & 32) != 0;
  ways.decrypt.replace = true;
  return ways;
}

Secret find_key(const ParquetKeyRequest& request) {
  return Secret(Bytes(same(request.key_metadata, bytes_of(column_key_name)) ? column_key : key));
}

Buffer decrypt_file(Bytes file, const DecryptParquetOptions& options) {
  static const ScratchFolder folder;
  const std::string in = (folder.path() / "in").string();
  const std::string out = (folder.path() / "out").string();
  write_file(in, file);
  static_cast<void>(decrypt_parquet_file(in, out, find_key, options));
  return read_file(out);
}

Buffer decrypt(Bytes file, const Ways& ways) {
  if (ways.through_files) return decrypt_file(file, ways.decrypt);
  Buffer plain;
  static_cast<void>(decrypt_parquet(file, plain, find_key, ways.decrypt));
  return plain;
}
Buffer encrypt(Bytes file, const Ways& ways) {
  Buffer encrypted;
  static_cast<void>(encrypt_parquet(file, encrypted, ParquetKey(key), ways.encrypt));
  return encrypted;
}

// Who has not the prefix that a file is bound to, or has another, gets nothing.
void check_prefix(Bytes encrypted, Ways ways) {
  const bool is_stored = ways.encrypt.store_aad_prefix;
  ways.decrypt.aad_prefix = Buffer{'o', 't', 'h', 'e', 'r'};
  require(error_of([&] { decrypt(encrypted, ways); }).has_value(), "a file is bound to its prefix");
  ways.decrypt.aad_prefix.reset();
  const auto error = error_of([&] { decrypt(encrypted, ways); });
  require(error == (is_stored ? std::nullopt : std::optional(ErrorCode::usage)), "which it has, or asks for");
}

// Modules that follow each other are all of the bytes, or reach over their end.
void check_walk(Bytes bytes) {
  std::vector<ParquetSpan> spans;
  const auto error = error_of([&] { spans = walk_parquet_modules(bytes); });
  require(!error || error == ErrorCode::truncated, "modules end where the bytes do");
  std::uint64_t end = 0;
  for (const ParquetSpan& span : spans) {
    require(span.offset == end && span.num_bytes >= 4, "one behind the other");
    end += span.num_bytes;
  }
  require(error || end == bytes.size(), "to the end");
}

}  // namespace
}  // namespace phalanx::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace phalanx;
  using namespace phalanx::fuzz;
  FuzzedInput input(data, size);
  const Ways ways = take_ways(input);
  const Buffer choices = input.fill(16);
  const Bytes rest = input.take_rest();
  check_walk(rest);
  static_cast<void>(error_of([&] { decrypt(rest, ways); }));
  Buffer encrypted;
  Buffer plain;
  if (error_of([&] { encrypted = encrypt(rest, ways); })) return 0;
  if (error_of([&] { plain = decrypt(encrypted, ways); })) {
    require(false, "what was encrypted is decrypted");
  }
  require(same(decrypt(encrypt(plain, ways), ways), plain), "a file that was written again stays what it is");
  if (!ways.encrypt.aad_prefix.empty()) check_prefix(encrypted, ways);
  FuzzedInput chosen(choices.data(), choices.size());
  const Buffer other = changed(encrypted, chosen);
  Buffer found;
  const bool is_told = ways.encrypt.algorithm == ParquetAlgorithm::aes_gcm_v1 && ways.encrypt.plain_columns.empty();
  if (!error_of([&] { found = decrypt(other, ways); }) && is_told) require(same(found, plain), "what was changed is told");
  return 0;
}
