#include "cli/commands/keygen.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <bit>
#include <ctime>
#include <memory>
#include <optional>
#include <string>

#include "age/native_keys.hpp"
#include "cli/console/messages.hpp"
#include "cli/options/general_options.hpp"
#include "cli/options/index_options.hpp"
#include "files/output/output.hpp"
#include "foreign/weak_keys.hpp"
#include "libcrypto/random_bytes.hpp"
#include "modes/named_cipher.hpp"
#include "secrets/secret_bytes.hpp"
#include "text/hex.hpp"

namespace phalanx {
namespace {

constexpr std::size_t default_key_bytes = 32;

struct KeygenOptions {
  std::string out;
  std::optional<std::string> cipher;
  bool hex = false;
  bool identity = false;
  bool index_keys = false;
  bool force = false;
};

// A cipher alone, or with its mode: XTS takes two keys.
NamedCipher parse_key_cipher(const std::string& name) {
  if (const CipherSpec* cipher = find_cipher(name)) return {.cipher = cipher, .mode = Mode::ecb};
  return parse_cipher_name(name);
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

OutputOptions new_file(const KeygenOptions& options, mode_t mode) {
  return {.force = options.force,
          .binary = !options.hex,
          .file_only = true,
          .mode = mode,
          .keep_attributes = false,
          .names = output_option_names};
}

// The public key comes first: a secret that nobody can check is worth nothing.
void make_pair(const KeygenOptions& options) {
  if (options.out.empty() || options.out == "-")
    throw Error(ErrorCode::usage, "--index-keys makes two files, OUT and OUT.pub: name OUT");
  SecretBytes signing_key(index_key_bytes);
  std::array<std::uint8_t, index_key_bytes> public_key{};
  make_index_keys(signing_key, public_key);
  Output public_out(options.out + ".pub", new_file(options, 0666));
  Output out(options.out, new_file(options, 0600));
  public_out.open();
  out.open();
  public_out.write(index_key_line(IndexKeyKind::public_key, public_key));
  out.write(index_key_line(IndexKeyKind::signing, signing_key));
  public_out.commit();
  out.commit();
}

// As age-keygen writes it.
SecretBytes identity_lines(Bytes identity, const std::string& public_key) {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char created[32];
  std::strftime(created, sizeof created, "%Y-%m-%dT%H:%M:%SZ", &utc);
  const std::string comments = fmt::format("# created: {}\n# public key: {}\n", created, public_key);
  const SecretBytes text = native_identity_text(identity);
  SecretBytes lines(comments.size() + text.size() + 1);
  std::uint8_t* const behind_comments = std::copy(comments.begin(), comments.end(), lines.begin());
  *std::copy(text.begin(), text.end(), behind_comments) = '\n';
  return lines;
}

// Never in place of another file: who loses an identity loses what is sealed for it.
void make_identity(const KeygenOptions& options) {
  if (options.cipher || options.hex || options.force) {
    throw Error(
        ErrorCode::usage,
        "--identity makes a key of age, in its own form, and replaces no file: leave out --cipher, --hex and --force");
  }
  struct stat status {};
  if (!options.out.empty() && options.out != "-" && ::lstat(options.out.c_str(), &status) == 0 && S_ISREG(status.st_mode)) {
    throw Error(ErrorCode::usage, options.out + " exists, and an identity never replaces a file: name another");
  }
  const SecretBytes identity = random_bytes(x25519_bytes);
  const std::string public_key = native_recipient_text(x25519_public_key(identity));
  Output output(options.out,
                {.binary = false, .file_only = true, .mode = 0600, .keep_attributes = false, .names = output_option_names});
  output.open();
  output.write(identity_lines(identity, public_key));
  output.commit();
  print_note("Public key: " + public_key, false);
}

void run_keygen(const KeygenOptions& options) {
  if (options.identity) return make_identity(options);
  if (options.index_keys) return make_pair(options);
  const SecretBytes key = make_key(options.cipher);
  Output output(options.out, new_file(options, 0600));
  output.open();
  output.write(options.hex ? hex_line_of_secret(key) : SecretBytes(Bytes(key)));
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
  command->add_flag("--identity", options->identity, "an identity of age (X25519), with its public key in a comment");
  command
      ->add_flag("--index-keys", options->index_keys,
                 "a pair of keys for the index of a folder: OUT signs it, and with OUT.pub it is verified")
      ->excludes(command->get_option("--cipher"))
      ->excludes(command->get_option("--hex"));
  add_force_option(*command, options->force);
  command->callback([options, &run] {
    run = [options](RunPlace*) {
      run_keygen(*options);
      return 0;
    };
  });
}

}  // namespace phalanx
