#include "program/cli/secrets/secret_files.hpp"

#include <unistd.h>

#include <phalanx/error.hpp>

#include "files/system/file_descriptor.hpp"
#include "program/cli/secrets/source_names.hpp"

namespace phalanx {
namespace {

const char* what_is(SecretKind kind) {
  switch (kind) {
    case SecretKind::passphrase_file:
    case SecretKind::passphrase_fd:
      return "the passphrase file";
    case SecretKind::identity_file:
      return "the identity file";
    case SecretKind::recipients_file:
      return "the recipients file";
    case SecretKind::certificate_file:
      return "the certificate file";
    case SecretKind::session_key_file:
    case SecretKind::session_key_fd:
      return "the session key file";
    default:
      return "the key file";
  }
}

}  // namespace

void add_secret_files(const SecretSources& sources, ProtectedFiles& needed) {
  for (const SecretSource& source : sources.named) {
    const std::string what = what_is(source.kind);
    if (source.descriptor) {
      const int number = *source.descriptor;
      const bool is_standard = number == STDIN_FILENO && source.place == "-";
      needed.add_descriptor(number,
                            what + (is_standard ? " at standard input" : " at descriptor " + std::to_string(number)));
    } else if (source.kind != SecretKind::key_env && source.kind != SecretKind::recipient) {
      needed.add_path(source.place, "the " + message_name_of(sources, source));
    }
  }
}

void check_standard_input(const SecretSources& sources, const std::string& in, const std::string& what) {
  const std::optional<int> number = in.empty() || in == "-" ? STDIN_FILENO : inherited_descriptor(in);
  if (!number) return;
  for (const SecretSource& source : sources.named) {
    if (source.is_passphrase() || source.descriptor != number) continue;
    const std::string both = *number == STDIN_FILENO ? "standard input" : "descriptor " + std::to_string(*number);
    throw Error(ErrorCode::usage, "the key and " + what + " cannot both be " + both + ": name a file for one");
  }
}

ProtectedFiles secret_files(const SecretSources& sources, const std::string& in) {
  check_standard_input(sources, in);
  ProtectedFiles needed;
  add_secret_files(sources, needed);
  return needed;
}

}  // namespace phalanx
