#include "program/cluster/rank_seal.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <phalanx/files/key_derivation.hpp>
#include <string_view>

#include "engine/bytes/byte_order.hpp"
#include "engine/host/host.hpp"
#include "files/container/format/recipient.hpp"
#include "files/libcrypto/hkdf.hpp"
#include "files/system/file_descriptor.hpp"
#include "program/cli/secrets/source_names.hpp"

namespace phalanx {
namespace {

constexpr std::size_t longest_secret_bytes = 8192;  // a passphrase has 4096 bytes at most
constexpr std::size_t nonce_bytes = 12, tag_bytes = 16;
constexpr std::string_view key_label = "phalanx-mpi team key", link_label = "phalanx-mpi link";

void append(std::vector<std::uint8_t>& bytes, std::string_view text) { bytes.insert(bytes.end(), text.begin(), text.end()); }

void append(std::vector<std::uint8_t>& bytes, std::uint64_t number) {
  bytes.resize(bytes.size() + sizeof number);
  store_u64(bytes.data() + bytes.size() - sizeof number, number);
}

// "key-file" of "--from-key-file=FILE"; "" for what names no secret.
std::string_view secret_option(std::string_view argument) {
  if (!argument.starts_with("--")) return "";
  std::string_view name = argument.substr(2, argument.find('=') - 2);
  for (const std::string_view prefix : {"from-", "add-"}) {
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  }
  for (const std::string_view option : {"key-file", "key-fd", "key-env", "passphrase-file", "passphrase-fd"}) {
    if (name == option) return option;
  }
  return "";
}

// Behind its length, so that no two lists of files read alike.
void append_content(const SecretFile& secret, SecretBytes& contents, std::size_t& size) {
  const FileDescriptor file(call_again([&] { return ::open(secret.path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC); }));
  const std::string named = "the file that " + secret.option + " names, ";
  const bool may_be_repeated = names_something(secret.path);
  if (!file.is_open())
    throw_system_error(
        "open", named + (may_be_repeated ? secret.path : "which is not repeated here since it may be the secret itself"));
  struct stat status {};
  if (fstat(file.get(), &status) != 0) throw_system_error("open", secret.path);
  if (!S_ISREG(status.st_mode))
    throw Error(ErrorCode::usage, secret.path + " is no regular file, which every rank could read");
  const MutableBytes place = MutableBytes(contents).subspan(size + sizeof(std::uint64_t), longest_secret_bytes + 1);
  const std::size_t num_bytes = read_until_full(file.get(), place, secret.path);
  if (num_bytes > longest_secret_bytes)
    throw Error(ErrorCode::usage, secret.path + " is too long for a key or a passphrase");
  store_u64(contents.data() + size, num_bytes);
  size += sizeof(std::uint64_t) + num_bytes;
}

std::array<std::uint8_t, nonce_bytes> nonce_of(std::uint64_t number) {
  std::array<std::uint8_t, nonce_bytes> nonce{};
  store_u64(nonce.data(), number);
  return nonce;
}

}  // namespace

std::vector<SecretFile> secret_files_of(std::span<const std::string> arguments) {
  std::vector<SecretFile> files;
  for (std::size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
    const std::string& argument = arguments[i];
    const std::string_view option = secret_option(argument);
    if (option.empty()) continue;
    const std::size_t equals = argument.find('=');
    const bool has_next = i + 1 < arguments.size();
    const std::string place = equals != std::string::npos ? argument.substr(equals + 1) : has_next ? arguments[++i] : "-";
    if (!option.ends_with("-file") || place == "-" || inherited_descriptor(place)) {
      throw Error(ErrorCode::usage,
                  "--key-per-rank takes secrets from files, which every rank reads for itself: give "
                  "--key-file or --passphrase-file with a file's name");
    }
    files.push_back({.path = place, .option = argument.substr(0, equals), .is_passphrase = option == "passphrase-file"});
  }
  if (!files.empty()) return files;
  throw Error(ErrorCode::usage, "--key-per-rank needs a secret in a file: give --key-file or --passphrase-file");
}

SecretBytes read_team_key(std::span<const SecretFile> files, Bytes salt) {
  SecretBytes contents(files.size() * (sizeof(std::uint64_t) + longest_secret_bytes + 1));
  std::size_t size = 0;
  for (const SecretFile& file : files) append_content(file, contents, size);
  const Bytes secret = Bytes(contents).first(size);
  std::vector<std::uint8_t> labelled_salt;
  append(labelled_salt, key_label);
  labelled_salt.insert(labelled_salt.end(), salt.begin(), salt.end());
  SecretBytes key(64);
  if (std::ranges::any_of(files, &SecretFile::is_passphrase)) {
    const ScryptCost cost;  // as a container's: what crosses is no cheaper to guess by
    derive_scrypt(secret, labelled_salt, cost.log2_n, cost.r, cost.p, key);
  } else {
    compute_hmac_sha512(labelled_salt, secret, key);
  }
  key.shrink(team_key_bytes);
  return key;
}

RankSeal::Link RankSeal::make_link(int from, int to) const {
  std::vector<std::uint8_t> info;
  append(info, link_label);
  append(info, static_cast<std::uint64_t>(from));
  append(info, static_cast<std::uint64_t>(to));
  const std::vector<std::uint8_t>& salt = salts_.at(std::max(from, to));
  info.insert(info.end(), salt.begin(), salt.end());
  SecretBytes key(team_key_bytes);
  expand_hkdf_sha512(team_key_, info, key);
  return {.aead = Aead("aes-256-gcm", key, {.engine = "cpu", .num_threads = 1})};
}

SecretBytes RankSeal::seal(int to, Bytes message) {
  if (!to_.contains(to)) to_.emplace(to, make_link(own_rank_, to));
  Link& link = to_.at(to);
  SecretBytes sealed(message.size() + tag_bytes);
  const MutableBytes all(sealed);
  link.aead.seal(nonce_of(link.num_messages++), {}, message, all.first(message.size()), all.last(tag_bytes));
  return sealed;
}

SecretBytes RankSeal::open(int from, Bytes sealed) {
  if (!salts_.contains(std::max(from, own_rank_))) throw Error(ErrorCode::authentication, "a rank that has no key speaks");
  if (!from_.contains(from)) from_.emplace(from, make_link(from, own_rank_));
  Link& link = from_.at(from);
  if (sealed.size() < tag_bytes) throw Error(ErrorCode::authentication, "a message of a rank is cut short");
  SecretBytes message(sealed.size() - tag_bytes);
  link.aead.open(nonce_of(link.num_messages++), {}, sealed.first(message.size()), message, sealed.last(tag_bytes));
  return message;
}

}  // namespace phalanx
