#include "program/cli/secrets/source_names.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <phalanx/error.hpp>

#include "files/age/key_files.hpp"

namespace phalanx {
namespace {

bool is_public_key(const std::string& text) {
  try {
    static_cast<void>(read_age_recipient(text));
    return true;
  } catch (const Error&) {
    return false;
  }
}

// Returns an option such as "--key-file", and which of them where there are several.
std::string option_that_names(const SecretSources& sources, const SecretSource& source) {
  std::size_t number = 0, num_all = 0;
  for (const SecretSource& other : sources.named) {
    if (other.kind != source.kind) continue;
    ++num_all;
    if (number == 0 && other.place == source.place) number = num_all;
  }
  const std::string option = sources.option(option_name_of(source.kind));
  return num_all < 2 ? option : option + " (number " + std::to_string(number) + " of " + std::to_string(num_all) + ")";
}

std::string what_is(SecretKind kind) {
  switch (kind) {
    case SecretKind::key_file:
    case SecretKind::signing_key_file:
    case SecretKind::public_key_file:
      return "key file ";
    case SecretKind::passphrase_file:
      return "passphrase file ";
    case SecretKind::private_key_file:
      return "private key file ";
    case SecretKind::session_key_file:
      return "session key file ";
    case SecretKind::certificate_file:
      return "certificate file ";
    case SecretKind::identity_file:
      return "identity file ";
    case SecretKind::recipient:
      return "recipient ";
    case SecretKind::recipients_file:
      return "recipients file ";
    default:
      return "variable ";
  }
}

}  // namespace

const char* option_name_of(SecretKind kind) {
  switch (kind) {
    case SecretKind::key_file:
      return "key-file";
    case SecretKind::key_fd:
      return "key-fd";
    case SecretKind::key_env:
      return "key-env";
    case SecretKind::passphrase_file:
      return "passphrase-file";
    case SecretKind::passphrase_fd:
      return "passphrase-fd";
    case SecretKind::identity_file:
      return "identity";
    case SecretKind::private_key_file:
      return "private-key-file";
    case SecretKind::private_key_fd:
      return "private-key-fd";
    case SecretKind::session_key_file:
      return "session-key-file";
    case SecretKind::session_key_fd:
      return "session-key-fd";
    case SecretKind::signing_key_file:
      return "signing-key";
    case SecretKind::certificate_file:
      return "cert";
    case SecretKind::recipient:
      return "recipient";
    case SecretKind::recipients_file:
      return "recipients-file";
    case SecretKind::public_key_file:
      break;
  }
  return "public-key";
}

bool names_something(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0;
}

bool may_be_repeated(const SecretSource& source) {
  if (source.descriptor) return true;
  if (source.kind == SecretKind::key_env) return source.variable != nullptr;
  return names_something(source.place) || (source.kind == SecretKind::recipient && is_public_key(source.place));
}

std::string message_name_of(const SecretSources& sources, const SecretSource& source) {
  if (is_descriptor(source.kind)) return sources.option(option_name_of(source.kind)) + " " + source.place;
  if (may_be_repeated(source)) return what_is(source.kind) + source.place;
  const bool is_file = source.kind != SecretKind::key_env && source.kind != SecretKind::recipient;
  return (is_file ? "file" : what_is(source.kind).substr(0, what_is(source.kind).size() - 1)) + " that " +
         option_that_names(sources, source) + " names";
}

std::string name_of(const SecretSources& sources, const SecretSource& source) {
  if (source.kind == SecretKind::recipient)
    return may_be_repeated(source) ? "the public key " + source.place : "a public key";
  std::string secret = source.is_passphrase() ? "the passphrase of "
                       : source.is_identity() ? "the identity of "
                                              : "the key of ";
  if (source.kind == SecretKind::recipients_file) secret = "a public key of ";
  if (is_descriptor(source.kind)) return secret + message_name_of(sources, source);
  if (!may_be_repeated(source) || source.kind == SecretKind::key_env)
    return secret + "the " + message_name_of(sources, source);
  return secret + source.place;
}

}  // namespace phalanx
