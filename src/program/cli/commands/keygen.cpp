#include "program/cli/commands/keygen.hpp"

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

#include "engine/host/host.hpp"
#include "engine/library/names/cipher_name.hpp"
#include "engine/modes/named_cipher.hpp"
#include "engine/secrets/secret_bytes.hpp"
#include "engine/text/hex.hpp"
#include "files/age/native_keys.hpp"
#include "files/foreign/weak_keys.hpp"
#include "files/libcrypto/ed25519.hpp"
#include "files/system/file_identity.hpp"
#include "files/system/output/output.hpp"
#include "files/system/signals.hpp"
#include "program/cli/console/help_marks.hpp"
#include "program/cli/console/messages.hpp"
#include "program/cli/options/general_options.hpp"
#include "program/cli/options/index_options.hpp"

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

// Parses a cipher alone, or with its mode, since XTS takes two keys.
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

// This is a file of the pair, which will have its name.
struct PairFile {
  PairFile(const std::string& path, const KeygenOptions& options, mode_t mode)
      : output(path, new_file(options, mode)), is_new(!identity_at(path)) {
    output.open();
  }
  // Takes back a name that this run made, and no other.
  void take_back() const {
    if (is_new && output.file() != nullptr) unlink_if_same(output.file()->path(), output.file()->identity());
  }

  Output output;
  bool is_new;
};

// Gives both files their names, or neither: half a pair is worth nothing. Where files are replaced, that cannot be taken
// back.
void commit_both(PairFile& secret, PairFile& open) {
  const SignalBlocker held_back;
  try {
    secret.output.commit();
    open.output.commit();
  } catch (const Error& error) {
    open.take_back();
    secret.take_back();
    if (secret.is_new && open.is_new) throw;
    throw Error(error, std::string(error.what()) + "; the two keys may not be of one pair: give the command again");
  }
}

// Makes the public key of a key that signs and stands alone, as a run leaves it that was killed between two names.
bool complete_pair(const KeygenOptions& options, const std::string& public_path) {
  if (options.force || !identity_at(options.out) || identity_at(public_path)) return false;
  std::array<std::uint8_t, index_key_bytes> public_key{};
  try {
    find_ed25519_public_key(read_index_signing_key(options.out), public_key);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::usage) throw;
    return false;  // writing OUT will say that it exists
  }
  OutputOptions writing = new_file(options, 0666);
  writing.takes_partial = true;
  Output public_out(public_path, writing);
  public_out.open();
  public_out.write(index_key_line(IndexKeyKind::public_key, public_key));
  public_out.commit();
  print_note(options.out + " was there without its public key: " + public_path + " was made from it", false);
  return true;
}

void make_pair(const KeygenOptions& options) {
  if (options.out.empty() || options.out == "-")
    throw Error(ErrorCode::usage, "--index-keys makes two files, OUT and OUT.pub: name OUT");
  const std::string public_path = options.out + ".pub";
  if (complete_pair(options, public_path)) return;
  SecretBytes signing_key(index_key_bytes);
  std::array<std::uint8_t, index_key_bytes> public_key{};
  make_index_keys(signing_key, public_key);
  PairFile secret(options.out, options, 0600), open(public_path, options, 0666);
  secret.output.write(index_key_line(IndexKeyKind::signing, signing_key));
  open.output.write(index_key_line(IndexKeyKind::public_key, public_key));
  commit_both(secret, open);
}

// Returns an identity as age-keygen writes it.
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

// An identity never replaces a file: who loses it loses what is sealed for it.
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
  set_examples(*command,
               "phalanx keygen key\n"
               "phalanx keygen --identity me.identity");
  const auto options = std::make_shared<KeygenOptions>();
  add_output_argument(*command, options->out, "file to write, for its owner only; - or nothing: standard output");
  mark_common(
      command->add_option("--cipher", options->cipher, "for this cipher (mode optional; xts: two keys); default: 32 bytes")
          ->type_name("NAME"));
  mark_common(command->add_flag("--hex", options->hex, "write hex digits and a newline, not raw bytes"));
  mark_common(command->add_flag("--identity", options->identity,
                                "make an identity of age (X25519), with its public key in a comment"));
  command
      ->add_flag("--index-keys", options->index_keys,
                 "make two keys for the index of a folder: OUT signs it, OUT.pub verifies it")
      ->excludes(command->get_option("--cipher"))
      ->excludes(command->get_option("--hex"));
  add_force_option(*command, options->force);
  command->callback([options, &run] {
    run = [options](RunExecutor*) {
      run_keygen(*options);
      return 0;
    };
  });
}

}  // namespace phalanx
