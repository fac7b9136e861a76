#include "files/foreign/cms/recipient_keys.hpp"

#include <algorithm>
#include <phalanx/error.hpp>

namespace phalanx {

CmsKeys keys_of_files(Bytes private_key, Bytes certificate, const AskPassphrase& ask) {
  KeyWithCertificate found = read_private_key(private_key, ask);
  CmsKeys keys;
  if (!certificate.empty()) {
    const std::vector<Certificate> given = read_certificates(certificate);
    const auto fitting = std::ranges::find_if(given, [&](const Certificate& one) { return found.key.is_of(one); });
    if (fitting == given.end())
      throw Error(ErrorCode::usage, "the certificate is not that of the private key: give the two that belong together");
    keys.certificate = *fitting;
  } else {
    keys.certificate = std::move(found.certificate);
  }
  keys.private_key.emplace(std::move(found.key));
  return keys;
}

}  // namespace phalanx
