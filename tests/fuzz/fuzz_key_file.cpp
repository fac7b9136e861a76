// Keys and passphrases in files, descriptors and variables: exactly what secret_source.hpp says is taken.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "engine/text/hex.hpp"
#include "files/system/file_descriptor.hpp"
#include "program/cli/secrets/secret_source.hpp"
#include "tests/fuzz/driver/fuzzed_input.hpp"

namespace phalanx::fuzz {
namespace {

constexpr std::size_t key_sizes[] = {8, 16, 24, 32, 64};
constexpr std::size_t longest_line = 4096;
constexpr const char* variable = "PHALANX_FUZZED_KEY";

// One file in memory for all inputs.
int file_with(Bytes content) {
  static const int file = ::memfd_create("secret", MFD_CLOEXEC);
  require(file >= 0 && ::ftruncate(file, 0) == 0 && ::lseek(file, 0, SEEK_SET) == 0, "a file in memory");
  write_all(file, content, "a file in memory");
  require(::lseek(file, 0, SEEK_SET) == 0, "which is read from its beginning");
  return file;
}

int digit_of(std::uint8_t character) {
  if (character >= '0' && character <= '9') return character - '0';
  if (character >= 'a' && character <= 'f') return character - 'a' + 10;
  return character >= 'A' && character <= 'F' ? character - 'A' + 10 : -1;
}

std::optional<Buffer> from_digits(Bytes text, std::size_t key_bytes) {
  if (!text.empty() && text.back() == '\n') text = text.first(text.size() - 1);
  if (!text.empty() && text.back() == '\r') text = text.first(text.size() - 1);
  if (text.size() != 2 * key_bytes) return std::nullopt;
  Buffer key(key_bytes);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int digit = digit_of(text[i]);
    if (digit < 0) return std::nullopt;
    key[i / 2] = static_cast<std::uint8_t>(key[i / 2] << 4 | digit);
  }
  return key;
}

std::optional<Buffer> plain_key(Bytes content, std::size_t key_bytes) {
  if (content.size() == key_bytes) return Buffer(content.begin(), content.end());
  return from_digits(content, key_bytes);
}

std::optional<Buffer> plain_passphrase(Bytes content) {
  const auto end = std::find(content.begin(), content.end(), '\n');
  Buffer line(content.begin(), end);
  if (line.size() > longest_line) return std::nullopt;
  if (end != content.end() && !line.empty() && line.back() == '\r') line.pop_back();
  return line;
}

bool is_digits(Bytes content, std::size_t key_bytes) {
  return content.size() == key_bytes && std::ranges::all_of(content, [](std::uint8_t byte) { return digit_of(byte) >= 0; });
}

void check(SecretKind kind, const std::string& place, Bytes content, std::size_t key_bytes,
           const std::optional<Buffer>& expected) {
  SecretSources sources{.prefix = "", .named = {{kind, place}}};
  std::size_t num_warnings = 0;
  sources.warn = [&](const std::string& /*warning*/) { ++num_warnings; };
  std::optional<SecretBytes> secret;
  const auto error = error_of([&] { secret = read_secret(sources, sources.named[0], key_bytes, SecretUse::opens); });
  require(error.has_value() != expected.has_value(), "a secret is taken where it is what the interface says");
  if (expected) require(same(*secret, *expected), "and is the bytes that the file has");
  const bool is_key_of_bytes = kind == SecretKind::key_fd || kind == SecretKind::key_file;
  const bool is_half = is_key_of_bytes && expected && expected->size() == key_bytes && is_digits(content, key_bytes);
  const bool is_passphrase = kind == SecretKind::passphrase_fd || kind == SecretKind::passphrase_file;
  const std::size_t num_expected = is_passphrase && expected ? expected->empty() : is_half;
  require(num_warnings == num_expected, "a key that is nothing but digits is told, and an empty passphrase");
}

}  // namespace
}  // namespace phalanx::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace phalanx;
  using namespace phalanx::fuzz;
  FuzzedInput input(data, size);
  const std::size_t kind = input.below(5);
  const std::size_t key_bytes = input.one_of(key_sizes);
  const Bytes content = input.take_rest();
  if (kind == 4) {
    const std::string text(content.begin(), std::find(content.begin(), content.end(), 0));
    ::setenv(variable, text.c_str(), 1);
    const Bytes digits(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
    const std::optional<Buffer> key = from_digits(digits, key_bytes);
    check(SecretKind::key_env, variable, digits, key_bytes, key);
    if (key) require(from_digits(hex_line_of_secret(*key), key_bytes) == key, "digits that are written are read again");
    require(std::getenv(variable) == nullptr, "a variable that held a key is gone");
    return 0;
  }
  const std::string number = std::to_string(file_with(content));
  const bool is_key = kind < 2;
  const bool by_name = kind % 2 == 1;
  const SecretKind kinds[] = {SecretKind::key_fd, SecretKind::key_file, SecretKind::passphrase_fd,
                              SecretKind::passphrase_file};
  check(kinds[kind], by_name ? "/dev/fd/" + number : number, content, key_bytes,
        is_key ? plain_key(content, key_bytes) : plain_passphrase(content));
  return 0;
}
