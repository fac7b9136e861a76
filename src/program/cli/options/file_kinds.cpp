#include "program/cli/options/file_kinds.hpp"

namespace phalanx {
namespace {

std::string command_for_openssl(const RecognisedFile& file) {
  if (file.form.empty()) return "phalanx raw decrypt --openssl, or phalanx migrate --from-auto,";
  return file.form == "base64" ? "phalanx raw decrypt --openssl -a, or phalanx migrate --from-base64," : file.opened_by;
}

std::string command_for_base64(const RecognisedFile& file) {
  if (file.form != "base64") return file.opened_by;
  return "phalanx raw decrypt -a with its cipher and key, and with --iv-prefix where the iv comes first,";
}

// We read encrypted messages alone. RFC 5652 has other types, which are signed or compressed, and PKCS #7 had one more.
std::string command_for_cms(const RecognisedFile& file) {
  const bool is_read = file.protection == Protection::encrypted && file.description.find("SignedAnd") == std::string::npos;
  return is_read ? "phalanx raw decrypt --cms, or " + file.opened_by : file.opened_by;
}

}  // namespace

std::string command_for(const RecognisedFile& file) {
  switch (file.kind) {
    case FileKind::openssl_enc:
      return command_for_openssl(file);
    case FileKind::base64:
      return command_for_base64(file);
    case FileKind::cms:
      return command_for_cms(file);
    case FileKind::openpgp:
      return file.protection == Protection::encrypted ? "phalanx raw decrypt --openpgp, or " + file.opened_by
                                                      : file.opened_by;
    case FileKind::luks:
      return "phalanx raw decrypt --luks, or cryptsetup open,";
    case FileKind::tree_index:
      return "phalanx verify --index";
    case FileKind::tree_record:
      return "phalanx encrypt --each --update";
    case FileKind::manifest:
      return "phalanx migrate --manifest";
    case FileKind::in_place_journal:
      return "phalanx raw --in-place, with the same options,";
    case FileKind::resume_record:
      return "the same command with --resume";
    case FileKind::age_key:
      return "phalanx, with --identity or --recipients-file, or age,";
    default:
      return file.opened_by;
  }
}

RecognisedFile with_command(RecognisedFile file) {
  file.opened_by = command_for(file);
  return file;
}

}  // namespace phalanx
