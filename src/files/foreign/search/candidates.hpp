// This holds all that may have encrypted a foreign file, or a folder of them.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "engine/secrets/secret_bytes.hpp"
#include "files/foreign/cms/key_recovery.hpp"
#include "files/foreign/message_plan.hpp"
#include "files/foreign/openpgp/openpgp_message.hpp"

namespace phalanx {

/// This is one way to open a file. The file itself shows whether it is base64 or has a salt, where Candidates says so.
struct Candidate {
  MessagePlan plan;        ///< names its digest, where it has a passphrase
  std::size_t secret = 0;  ///< which of Candidates::secrets is its key or passphrase
  std::string name;        ///< what sets it apart from the others: "md5"; "" if it is the only one
  std::string whole_name;  ///< "aes-256-cbc, md5, passphrase 2"
  /// These open messages that name their own cipher, and no other candidate is beside one.
  std::shared_ptr<const CmsKeys> cms{};
  std::shared_ptr<const OpenPgpKeys> openpgp{};
};

struct Candidates {
  std::vector<SecretBytes> secrets;
  std::vector<Candidate> list;  ///< 1 at least, the likeliest first
  bool find_base64 = false;     ///< each file says itself whether it is base64
  bool find_salt = false;       ///< each file says itself whether it has a salt

  /// Says whether something must be found out about each file before it is opened.
  [[nodiscard]] bool is_searched() const { return list.size() > 1 || find_base64 || find_salt; }
};

/// These digests are tried where none is named, the likeliest first: today's default, that of OpenSSL before 1.1.0, and two
/// that people chose.
inline constexpr const char* digest_search_order[] = {"sha256", "md5", "sha1", "sha512"};

/// Makes the candidates of one message plan, which may leave the digest to be found.
[[nodiscard]] Candidates make_candidates(const MessagePlan& plan, SecretBytes secret);
/// Make the only candidate of a message of CMS or OpenPGP, which says its cipher and its mode itself.
[[nodiscard]] Candidates make_cms_candidates(const RunOptions& options, CmsKeys keys);
[[nodiscard]] Candidates make_openpgp_candidates(const RunOptions& options, OpenPgpKeys keys);

}  // namespace phalanx
