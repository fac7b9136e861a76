// Messages between ranks that share a key: sealed, so that the interconnect shows neither keys nor what is done.
#pragma once

#include <cstdint>
#include <map>
#include <phalanx/aead.hpp>
#include <phalanx/bytes.hpp>
#include <span>
#include <string>
#include <vector>

#include "engine/secrets/secret_bytes.hpp"

namespace phalanx {

inline constexpr std::size_t team_salt_bytes = 32;
inline constexpr std::size_t team_key_bytes = 32;

/// The files that the arguments name as keys and passphrases, in their order.
struct SecretFile {
  std::string path;      ///< by mistake it may be a secret: messages repeat it only where something has that name
  std::string option{};  ///< that names it, as given: "--from-key-file"
  bool is_passphrase = false;
};

/// Throws Error (usage) for a secret that comes from elsewhere, and where there is none.
[[nodiscard]] std::vector<SecretFile> secret_files_of(std::span<const std::string> arguments);

/// Returns a key that is the same for the same content of the same files, in one run. It comes from scrypt where one of
/// them holds a passphrase. Throws Error: usage for a file that is not regular or too long, runtime for one that cannot
/// be read.
[[nodiscard]] SecretBytes read_team_key(std::span<const SecretFile> files, Bytes salt);

/// Seals messages between rank 0 and another, on either side. A message is sealed under a key of its sender and its
/// receiver, and its number is the nonce. So no message can be changed, left out, given again or given to another rank.
/// The key comes from random bytes of both. So nobody can make a rank use a nonce twice by sending it rank 0's messages
/// of an earlier run.
class RankSeal {
 public:
  /// `team_key` has team_key_bytes, and is of one run.
  RankSeal(Bytes team_key, int own_rank) : team_key_(team_key), own_rank_(own_rank) {}

  /// Random bytes of a rank that is not 0, before its first message.
  void set_salt(int rank, Bytes salt) { salts_[rank].assign(salt.begin(), salt.end()); }

  [[nodiscard]] SecretBytes seal(int to, Bytes message);
  /// Throws Error (authentication).
  [[nodiscard]] SecretBytes open(int from, Bytes sealed);

 private:
  struct Link {
    Aead aead;
    std::uint64_t num_messages = 0;
  };
  [[nodiscard]] Link make_link(int from, int to) const;

  SecretBytes team_key_;
  int own_rank_;
  std::map<int, std::vector<std::uint8_t>> salts_;
  std::map<int, Link> to_, from_;
};

}  // namespace phalanx
