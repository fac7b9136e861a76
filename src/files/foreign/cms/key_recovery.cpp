#include "files/foreign/cms/key_recovery.hpp"

#include <algorithm>
#include <phalanx/error.hpp>
#include <phalanx/files/key_derivation.hpp>

#include "engine/text/hex.hpp"
#include "files/foreign/cms/key_algorithms.hpp"
#include "files/foreign/cms/object_ids.hpp"
#include "files/foreign/cms/password_wrap.hpp"

namespace phalanx {
namespace {

constexpr std::size_t most_tried = 1024;               // recipients under a key without a certificate
constexpr std::uint64_t most_iterations = 10'000'000;  // of PBKDF2: some seconds
constexpr std::size_t most_tried_passphrases = 16;     // under a passphrase, some seconds each

[[noreturn]] void refuse(ErrorCode code, const std::string& name, const std::string& what) {
  throw Error(code, name + " " + what, {.name = name});
}

using Recipients = std::vector<const CmsRecipient*>;

Recipients of_kind(const CmsFront& front, RecipientKind kind) {
  Recipients found;
  for (const CmsRecipient& recipient : front.recipients) {
    if (recipient.kind == kind) found.push_back(&recipient);
  }
  return found;
}

std::string describe_recipients_of(const CmsFront& front) {
  std::string words;
  for (unsigned kind = 0; kind <= static_cast<unsigned>(RecipientKind::other); ++kind) {
    if (!has_recipient(front, static_cast<RecipientKind>(kind))) continue;
    words += (words.empty() ? "" : ", ") + std::string(words_of(static_cast<RecipientKind>(kind)));
  }
  return words.empty() ? "it has no recipient" : "it is opened by " + words;
}

bool is_meant(const CmsRecipient& recipient, const Certificate& certificate) {
  if (!recipient.key_id.empty()) return certificate.has_key_id(recipient.key_id);
  return certificate.is_issued(recipient.issuer, recipient.serial);
}

std::string describe_certificate(const CmsRecipient& recipient) {
  if (!recipient.key_id.empty()) return "that with the key identifier " + encode_hex(recipient.key_id);
  return "number " + encode_hex(recipient.serial) + " of " + text_of_name(recipient.issuer);
}

// Chooses the recipients of the certificate; without one, all that may be of the key, by what everybody sees.
Recipients choose_recipients(const CmsFront& front, const CmsKeys& keys, const std::string& name) {
  const PrivateKey& key = *keys.private_key;
  if (key.kind() == PrivateKey::Kind::other)
    refuse(ErrorCode::usage, name, "is opened by keys of RSA, of curves and of X25519, and this private key is another");
  const bool is_rsa = key.kind() == PrivateKey::Kind::rsa;
  Recipients found = of_kind(front, is_rsa ? RecipientKind::key_transport : RecipientKind::key_agreement);
  if (found.empty())
    refuse(ErrorCode::wrong_key, name,
           std::string("has no recipient with ") +
               words_of(is_rsa ? RecipientKind::key_transport : RecipientKind::key_agreement) + ": " +
               describe_recipients_of(front));
  if (keys.certificate) {
    const std::string first = describe_certificate(*found.front());
    std::erase_if(found, [&](const CmsRecipient* recipient) { return !is_meant(*recipient, *keys.certificate); });
    if (found.empty()) refuse(ErrorCode::wrong_key, name, "is not for this certificate: its first recipient is " + first);
    return found;
  }
  if (is_rsa)
    std::erase_if(found, [&](const CmsRecipient* recipient) { return recipient->encrypted_key.size() != key.num_bytes(); });
  if (found.empty()) refuse(ErrorCode::wrong_key, name, "is for RSA keys of other sizes than this one");
  if (found.size() > most_tried)
    refuse(ErrorCode::policy, name,
           "has " + std::to_string(found.size()) + " recipients that may be meant: give the certificate too");
  return found;
}

// A recipient whose algorithm is not known is passed over where another is known.
class TriedRecipients {
 public:
  explicit TriedRecipients(const std::string& name) : name_(name) {}

  void add_unknown(const CmsRecipient& recipient) { unknown_ = name_of_key_algorithm(recipient); }
  void add_known() { has_known_ = true; }

  [[noreturn]] void refuse_all() const {
    if (has_known_ || unknown_.empty()) refuse_to_open(name_);
    refuse(ErrorCode::format, name_,
           "has its key under " + unknown_ + ", which is not read: openssl cms -decrypt may open it");
  }

 private:
  const std::string& name_;
  std::string unknown_;
  bool has_known_ = false;
};

std::vector<SecretBytes> open_by_rsa(const CmsFront& front, const PrivateKey& key, const Recipients& recipients,
                                     const std::string& name) {
  std::vector<SecretBytes> found;
  SecretBytes substitute;
  TriedRecipients tried(name);
  for (const CmsRecipient* const recipient : recipients) {
    if (object_ids::is(recipient->algorithm.id, object_ids::rsa_encryption)) {
      TransportedKey transported = decrypt_rsa_pkcs1(key, recipient->encrypted_key, front.content.key_bytes);
      (transported.fits ? found.emplace_back() : substitute) = std::move(transported.key);
    } else if (object_ids::is(recipient->algorithm.id, object_ids::rsa_oaep)) {
      tried.add_known();
      auto plain = decrypt_rsa_oaep(key, parse_oaep(recipient->algorithm), recipient->encrypted_key);
      if (plain && plain->size() == front.content.key_bytes) found.push_back(*std::move(plain));
    } else {
      tried.add_unknown(*recipient);
    }
  }
  if (found.empty() && substitute.size() == 0) tried.refuse_all();
  if (found.empty()) found.push_back(std::move(substitute));
  return found;
}

std::optional<SecretBytes> agree_on_key(const PrivateKey& key, const CmsRecipient& recipient,
                                        const KeyAgreement& agreement) {
  const std::optional<SecretBytes> secret = agree_on_secret(key, recipient.sender_key, agreement.with_cofactor);
  if (!secret) return std::nullopt;
  SecretBytes wrapping(key_bytes_of(agreement.wrap));
  derive_from_agreed(agreement.derivation, agreement.digest, *secret, agreement.shared_info, wrapping);
  return unwrap_key(agreement.wrap, wrapping, recipient.encrypted_key);
}

std::vector<SecretBytes> one_key(SecretBytes key) {
  std::vector<SecretBytes> keys;
  keys.push_back(std::move(key));
  return keys;
}

std::vector<SecretBytes> open_by_agreement(const CmsFront& front, const PrivateKey& key, const Recipients& recipients,
                                           const std::string& name) {
  TriedRecipients tried(name);
  for (const CmsRecipient* const recipient : recipients) {
    const std::optional<KeyAgreement> agreement = find_key_agreement(*recipient);
    if (!agreement || recipient->sender_key.empty()) {
      tried.add_unknown(*recipient);
      continue;
    }
    tried.add_known();
    auto found = agree_on_key(key, *recipient, *agreement);
    if (found && found->size() == front.content.key_bytes) return one_key(*std::move(found));
  }
  tried.refuse_all();
}

std::vector<SecretBytes> open_by_private_key(const CmsFront& front, const CmsKeys& keys, const std::string& name) {
  const PrivateKey& key = *keys.private_key;
  const Recipients recipients = choose_recipients(front, keys, name);
  if (key.kind() == PrivateKey::Kind::rsa) return open_by_rsa(front, key, recipients, name);
  return open_by_agreement(front, key, recipients, name);
}

std::vector<SecretBytes> open_by_wrapping_keys(const CmsFront& front, const std::vector<SecretBytes>& keys,
                                               const std::string& name) {
  TriedRecipients tried(name);
  for (const CmsRecipient* const recipient : of_kind(front, RecipientKind::wrapping_key)) {
    const std::optional<KeyWrap> wrap = find_key_wrap(recipient->algorithm);
    if (!wrap) tried.add_unknown(*recipient);
    for (const SecretBytes& key : keys) {
      if (!wrap || key_bytes_of(*wrap) != key.size()) continue;
      tried.add_known();
      auto found = unwrap_key(*wrap, key, recipient->encrypted_key);
      if (found && found->size() == front.content.key_bytes) return one_key(*std::move(found));
    }
  }
  tried.refuse_all();
}

std::optional<SecretBytes> open_passphrase(const CmsRecipient& recipient, const PassphraseKey& how, Bytes passphrase,
                                           const std::string& name) {
  if (how.num_iterations == 0 || how.num_iterations > most_iterations)
    refuse(ErrorCode::policy, name,
           "asks for " + std::to_string(how.num_iterations) + " iterations of PBKDF2, and 1 to 10,000,000 are done");
  SecretBytes key(how.cipher.key_bytes);
  derive_pbkdf2(how.digest, passphrase, how.salt, static_cast<int>(how.num_iterations), key);
  return unwrap_under_passphrase(how.cipher, key, recipient.encrypted_key);
}

std::vector<SecretBytes> open_by_passphrase(const CmsFront& front, Bytes passphrase, const std::string& name) {
  TriedRecipients tried(name);
  const Recipients recipients = of_kind(front, RecipientKind::passphrase);
  if (recipients.size() > most_tried_passphrases)
    refuse(ErrorCode::policy, name, "has more than 16 recipients by passphrase, each of which takes long to try");
  for (const CmsRecipient* const recipient : recipients) {
    const std::optional<PassphraseKey> how = find_passphrase_key(*recipient);
    if (!how) {
      tried.add_unknown(*recipient);
      continue;
    }
    tried.add_known();
    auto found = open_passphrase(*recipient, *how, passphrase, name);
    if (found && found->size() == front.content.key_bytes) return one_key(*std::move(found));
  }
  tried.refuse_all();
}

void require_recipient(const CmsFront& front, RecipientKind kind, const std::string& name) {
  if (has_recipient(front, kind)) return;
  const std::string how = front.type == CmsType::encrypted ? "it is opened by a key" : describe_recipients_of(front);
  refuse(ErrorCode::wrong_key, name, std::string("has no recipient with ") + words_of(kind) + ": " + how);
}

}  // namespace

void refuse_to_open(const std::string& name) {
  refuse(ErrorCode::wrong_key, name, "is not opened: the key is not that of a recipient, or the message was changed");
}

bool has_recipient(const CmsFront& front, RecipientKind kind) {
  return std::ranges::any_of(front.recipients, [&](const CmsRecipient& recipient) { return recipient.kind == kind; });
}

std::vector<std::size_t> sizes_of_keys(const CmsFront& front) {
  if (front.type == CmsType::encrypted) return {front.content.key_bytes};
  std::vector<std::size_t> sizes;
  for (const CmsRecipient* const recipient : of_kind(front, RecipientKind::wrapping_key)) {
    const std::optional<KeyWrap> wrap = find_key_wrap(recipient->algorithm);
    if (wrap && std::ranges::find(sizes, key_bytes_of(*wrap)) == sizes.end()) sizes.push_back(key_bytes_of(*wrap));
  }
  return sizes;
}

std::vector<SecretBytes> recover_content_keys(const CmsFront& front, const CmsKeys& keys, const std::string& name) {
  if (front.type == CmsType::encrypted && !keys.wrapping_keys.empty()) {
    const auto fits = [&](const SecretBytes& key) { return key.size() == front.content.key_bytes; };
    const auto key = std::ranges::find_if(keys.wrapping_keys, fits);
    if (key != keys.wrapping_keys.end()) return one_key(SecretBytes(Bytes(*key)));
    refuse(ErrorCode::usage, name,
           "takes a key of " + std::to_string(front.content.key_bytes) + " bytes, and not of " +
               std::to_string(keys.wrapping_keys.front().size()));
  }
  if (keys.private_key && front.type != CmsType::encrypted) return open_by_private_key(front, keys, name);
  if (!keys.wrapping_keys.empty()) {
    require_recipient(front, RecipientKind::wrapping_key, name);
    return open_by_wrapping_keys(front, keys.wrapping_keys, name);
  }
  require_recipient(front, keys.private_key ? RecipientKind::key_transport : RecipientKind::passphrase, name);
  if (!keys.passphrase) refuse(ErrorCode::usage, name, "is opened by a private key, a key or a passphrase: give one");
  return open_by_passphrase(front, *keys.passphrase, name);
}

}  // namespace phalanx
