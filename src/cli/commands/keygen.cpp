#include "cli/commands/keygen.hpp"

#include <CLI/CLI.hpp>
#include <bit>
#include <memory>
#include <optional>
#include <string>

#include "cli/options/cipher_arguments.hpp"
#include "cli/options/general_options.hpp"
#include "cli/options/weak_keys.hpp"
#include "files/output/output.hpp"
#include "libcrypto/random_bytes.hpp"
#include "modes/named_cipher.hpp"
#include "secrets/secret_bytes.hpp"

namespace phalanx {
namespace {

constexpr std::size_t default_key_bytes = 32;

struct KeygenOptions {
  std::string out;
  std::optional<std::string> cipher;
  bool hex = false;
  bool force = false;
};

// A cipher alone, or with its mode: XTS takes two keys.
NamedCipher parse_key_cipher(const std::string& name) {
  if (const CipherSpec* cipher = find_cipher(name)) return {.cipher = cipher, .mode = Mode::ecb};
  return read_cipher_name(name);
}

void set_odd_parity(MutableBytes key) {
  for (std::uint8_t& byte : key) {
    const auto bits = static_cast<std::uint8_t>(byte & 0xfeU);
    byte = static_cast<std::uint8_t>(bits | ((std::popcount(bits) & 1) ^ 1));
  }
}

SecretBytes random_bytes(std::size_t size) {
  SecretBytes bytes(size);
  fill_random(bytes);
  return bytes;
}

SecretBytes make_key(const std::optional<std::string>& name) {
  if (!name) return random_bytes(default_key_bytes);
  const NamedCipher named = parse_key_cipher(*name);
  for (;;) {
    SecretBytes key = random_bytes(key_bytes(named));
    if (named.cipher->family == CipherFamily::des) set_odd_parity(key);
    if (key_weakness(named, key).empty()) return key;
  }
}

// Not encode_hex, whose string is not wiped and whose digits come from a table.
SecretBytes hex_line(const SecretBytes& key) {
  SecretBytes line(2 * key.size() + 1);
  const auto digit = [](unsigned value) {
    const unsigned above_nine = (9U - value) >> 31;
    return static_cast<std::uint8_t>('0' + value + above_nine * ('a' - '0' - 10));
  };
  for (std::size_t i = 0; i < key.size(); ++i) {
    line.data()[2 * i] = digit(key.data()[i] >> 4);
    line.data()[2 * i + 1] = digit(key.data()[i] & 15U);
  }
  line.data()[2 * key.size()] = '\n';
  return line;
}

void run_keygen(const KeygenOptions& options) {
  const SecretBytes key = make_key(options.cipher);
  Output output(options.out, {.force = options.force,
                              .binary = !options.hex,
                              .file_only = true,
                              .mode = 0600,
                              .keep_attributes = false,
                              .names = output_option_names});
  output.open();
  output.write(options.hex ? hex_line(key) : SecretBytes(Bytes(key)));
  output.commit();
}

}  // namespace

void add_keygen_command(CLI::App& program, CommandRun& run) {
  CLI::App* command = program.add_subcommand("keygen", "Make a new random key");
  const auto options = std::make_shared<KeygenOptions>();
  add_output_argument(*command, options->out, "file to write, readable by its owner only; - or nothing: standard output");
  command->add_option("--cipher", options->cipher, "a key for this cipher (mode optional; xts: two keys); default: 32 bytes")
      ->type_name("NAME");
  command->add_flag("--hex", options->hex, "write hex digits and a newline, not raw bytes");
  add_force_option(*command, options->force);
  command->callback([options, &run] {
    run = [options](RunPlace*) {
      run_keygen(*options);
      return 0;
    };
  });
}

}  // namespace phalanx
