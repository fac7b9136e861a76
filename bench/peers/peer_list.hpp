// The libraries to compare with, one file each. Those found when the program was configured are linked; OpenSSL always is.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "bench/measuring/contender.hpp"

namespace phalanx::bench {

std::unique_ptr<const Contender> make_openssl_peer();
std::unique_ptr<const Contender> make_libgcrypt_peer();
std::unique_ptr<const Contender> make_nettle_peer();
std::unique_ptr<const Contender> make_cryptopp_peer();
std::unique_ptr<const Contender> make_botan_peer();
std::unique_ptr<const Contender> make_ipsec_mb_peer();

/// Where a library refuses what it should take, or a tag does not verify.
[[noreturn]] inline void refuse(const std::string& library) {
  throw Error(ErrorCode::runtime, library + " refused an operation: the comparison ends here");
}

/// The name of the mode as in our full names: "cbc".
inline std::string mode_name(const Task& task) { return mode_names()[static_cast<unsigned>(task.cipher.mode)]; }

/// The 24 bytes K1 K2 K3 of DES (three times the same), two-key or three-key triple DES.
inline std::vector<std::uint8_t> triple_des_key(Bytes key) {
  std::vector<std::uint8_t> three(key.begin(), key.end());
  while (three.size() < 24) three.insert(three.end(), key.begin(), key.begin() + 8);
  return three;
}

/// IEEE 1619 asks for at most 2^20 blocks in a data unit, and some libraries insist.
inline bool is_long_data_unit(const Task& task) {
  return task.cipher.mode == Mode::xts && task.messages.front().in.size() > std::size_t{1} << 24;
}

/// One keyed object for each message where the keys differ, else one for all; made before anything is timed. make(key)
/// returns a std::shared_ptr; crypt(object, message) crypts one message.
template <class Make, class Crypt>
Run run_each(const Task& task, const Make& make, const Crypt& crypt) {
  std::vector<decltype(make(Bytes{}))> keyed;
  const std::size_t num_keys = task.key_each ? task.messages.size() : 1;
  keyed.reserve(num_keys);
  for (std::size_t i = 0; i < num_keys; ++i) keyed.push_back(make(task.messages[i].key));
  return [keyed = std::move(keyed), crypt, &task] {
    for (std::size_t i = 0; i < task.messages.size(); ++i) crypt(*keyed[keyed.size() == 1 ? 0 : i], task.messages[i]);
  };
}

}  // namespace phalanx::bench
