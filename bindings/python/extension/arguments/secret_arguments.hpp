// The keys and passphrases of Python's arguments: key, passphrase, key_file, passphrase_file, each one or a list of them; and
// the public keys, recipient and recipient_file of what seals, identity and identity_file of what opens.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <phalanx/files/container.hpp>
#include <string>
#include <vector>

#include "arguments/explained.hpp"
#include "engine/secrets/secret_bytes.hpp"
#include "files/age/key_files.hpp"
#include "files/system/protected_files.hpp"
#include "program/cli/secrets/secret_source.hpp"

namespace phalanx {

namespace nb = nanobind;

/// As Python gives them. All are None where they were left out.
struct SecretArguments {
  nb::object key;
  nb::object passphrase;
  nb::object key_file;
  nb::object passphrase_file;
  nb::object public_key;       ///< of age: to seal recipient, "age1...", to open identity; or a function
  nb::object public_key_file;  ///< recipient_file, identity_file
  [[nodiscard]] bool are_given() const;
};

/// Whether it is a list, a tuple or another sequence, and neither a str nor bytes.
[[nodiscard]] bool is_sequence(nb::handle argument);

/// What was given, in memory of our own.
class GivenSecrets {
 public:
  /// key_bytes is how long a key in a file is. Throws Error: usage where nothing is given, and where a key or a file does
  /// not fit, or a key in a file is nothing but hex digits and something is sealed; opening warns of that by Python's
  /// warnings; and for what is no public key, or one of a plugin, which is the program's to start. Throws Error (runtime) for a file that cannot be read.
  GivenSecrets(const SecretArguments& arguments, std::size_t key_bytes, SecretUse use);

  [[nodiscard]] std::vector<Identity> identities() const;
  [[nodiscard]] std::vector<Recipient> recipients(const ScryptCost& cost) const;

  /// Whether a recipient is a function: how large its record is, is not known before.
  [[nodiscard]] bool has_calls() const;

 private:
  struct Given {
    KeyKind kind;
    SecretBytes secret;
    WrapFileKey wrap{};  ///< in place of the secret
    UnwrapFileKey unwrap{};
  };
  void add_public_keys(const SecretArguments& arguments, SecretUse use);
  void add_recipient(nb::handle recipient);
  void add_identity(nb::handle identity);
  void add_recipients(const std::vector<AgeRecipient>& recipients);
  void add_identities(const std::vector<AgeIdentity>& identities);

  std::vector<Given> given_;
};

/// Defines a function of Python, by nanobind's `def` of `target`, that opens containers: behind what `own` says, its arguments
/// are these. A function that makes one also says who can open it.
template <class Target, class Function, class... Own>
void def_opening(Target& target, const char* name, const Function& function, const Own&... own) {
  def_explained(target, name, function, own..., nb::arg("key") = nb::none(), nb::arg("passphrase") = nb::none(),
                nb::arg("key_file") = nb::none(), nb::arg("passphrase_file") = nb::none(), nb::arg("identity") = nb::none(),
                nb::arg("identity_file") = nb::none(), nb::arg("engine") = "auto", nb::arg("threads") = 0,
                nb::arg("binding") = nb::none());
}
template <class Target, class Function, class... Own>
void def_sealing(Target& target, const char* name, const Function& function, const Own&... own) {
  def_explained(target, name, function, own..., nb::arg("key") = nb::none(), nb::arg("passphrase") = nb::none(),
                nb::arg("key_file") = nb::none(), nb::arg("passphrase_file") = nb::none(), nb::arg("recipient") = nb::none(),
                nb::arg("recipient_file") = nb::none(), nb::arg("suite") = "aes-256", nb::arg("scrypt_log_n") = 17,
                nb::arg("engine") = "auto", nb::arg("threads") = 0, nb::arg("binding") = nb::none());
}

/// Adds the files that secrets come from: no output is ever one of them.
void add_secret_files(const SecretArguments& arguments, ProtectedFiles& needed);

/// Throws Error (usage) if a file that is to be written is one of them.
void refuse_secret_files(const SecretArguments& secrets, const std::string& path);

/// scrypt with N = 2^log_n. Throws Error (policy) for what is out of all bounds.
[[nodiscard]] ScryptCost cost_of(int log_n);

/// How long a recipient's key is, as a container's beginning says; where that is none, opening it will say so.
[[nodiscard]] std::size_t key_bytes_of(Bytes beginning);
[[nodiscard]] std::size_t key_bytes_of_file(const std::string& path);

/// A path of Python's: a str, bytes or what has __fspath__. "-" is a file of that name. Throws Error (usage) for none.
[[nodiscard]] std::string path_of(nb::handle path);

/// All bytes of a key file, as LUKS takes them for a passphrase. Throws as GivenSecrets does for a file.
[[nodiscard]] SecretBytes whole_key_file(nb::handle path);

/// The bytes of a passphrase: a str in UTF-8, or a buffer.
[[nodiscard]] SecretBytes passphrase_of(nb::handle passphrase);

}  // namespace phalanx
