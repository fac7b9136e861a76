// This is openpgp.h over openpgp.hpp.
#include <phalanx/files/openpgp.h>

#include <phalanx/files/openpgp.hpp>

#include "engine/library/c_arguments.hpp"
#include "engine/library/c_errors.hpp"
#include "files/foreign/c_arguments.hpp"

struct phalanx_openpgp_reader {
  phalanx::OpenPgpReader reader;
};

namespace {

using phalanx::elements_at;
using phalanx::engine_in_c;
using phalanx::guarded;
using phalanx::not_null;
using phalanx::OpenPgpReader;
using phalanx::place_of;

phalanx::OpenPgpSecrets secrets_of(const phalanx_openpgp_secrets* given) {
  const phalanx_openpgp_secrets c =
      phalanx::taken_struct(&not_null(given, "the message's secrets"), PHALANX_OPENPGP_SECRETS_INIT);
  phalanx::OpenPgpSecrets secrets;
  secrets.passphrase = elements_at(c.passphrase, c.passphrase_bytes, "the passphrase");
  secrets.passphrase_is_empty = c.passphrase != nullptr && c.passphrase_bytes == 0;
  secrets.session_key = elements_at(c.session_key, c.session_key_bytes, "the session key");
  secrets.allow_unauthenticated = c.allow_unauthenticated != 0;
  return secrets;
}

const OpenPgpReader& reader_of(const phalanx_openpgp_reader* reader) {
  return not_null(reader, "the message's reader").reader;
}

}  // namespace

int phalanx_openpgp_reader_new(phalanx_openpgp_reader** reader, phalanx_read_next read_next, void* user_data,
                               const phalanx_openpgp_secrets* secrets, const phalanx_engine_options* options) {
  return guarded([&] {
    phalanx_openpgp_reader*& place = place_of(reader);
    place =
        new phalanx_openpgp_reader{OpenPgpReader(phalanx::read_next_in_c(read_next, user_data, "the message", "a message"),
                                                 secrets_of(secrets), engine_in_c(options))};
  });
}

int phalanx_openpgp_reader_of_file(phalanx_openpgp_reader** reader, const char* path, const phalanx_openpgp_secrets* secrets,
                                   const phalanx_engine_options* options) {
  return guarded([&] {
    phalanx_openpgp_reader*& place = place_of(reader);
    place =
        new phalanx_openpgp_reader{OpenPgpReader(&not_null(path, "the path"), secrets_of(secrets), engine_in_c(options))};
  });
}

void phalanx_openpgp_reader_free(phalanx_openpgp_reader* reader) { phalanx::free_in_c(reader); }

int phalanx_openpgp_reader_read(phalanx_openpgp_reader* reader, std::uint8_t* out, std::size_t size,
                                std::size_t* got_bytes) {
  return guarded([&] {
    std::size_t& result = not_null(got_bytes, "the place of the size");
    result = not_null(reader, "the message's reader").reader.read(elements_at(out, size, "the output"));
  });
}

int phalanx_openpgp_reader_cipher(const phalanx_openpgp_reader* reader, const char** cipher) {
  return guarded([&] { not_null(cipher, "the place of the name") = reader_of(reader).cipher().c_str(); });
}

int phalanx_openpgp_reader_is_authenticated(const phalanx_openpgp_reader* reader, int* is_authenticated) {
  return guarded(
      [&] { not_null(is_authenticated, "the place of the answer") = reader_of(reader).is_authenticated() ? 1 : 0; });
}

int phalanx_openpgp_reader_is_signed(const phalanx_openpgp_reader* reader, int* is_signed) {
  return guarded([&] { not_null(is_signed, "the place of the answer") = reader_of(reader).is_signed() ? 1 : 0; });
}
