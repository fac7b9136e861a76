// This is cms.h over cms.hpp.
#include <phalanx/files/cms.h>

#include <phalanx/files/cms.hpp>

#include "engine/library/c_arguments.hpp"
#include "engine/library/c_errors.hpp"
#include "files/foreign/c_arguments.hpp"

struct phalanx_cms_reader {
  phalanx::CmsReader reader;
};

namespace {

using phalanx::CmsReader;
using phalanx::elements_at;
using phalanx::engine_in_c;
using phalanx::guarded;
using phalanx::not_null;
using phalanx::place_of;

phalanx::CmsRecipientKeys keys_of(const phalanx_cms_keys* given) {
  const phalanx_cms_keys c = phalanx::taken_struct(&not_null(given, "the message's keys"), PHALANX_CMS_KEYS_INIT);
  phalanx::CmsRecipientKeys keys;
  keys.private_key = elements_at(c.private_key, c.private_key_bytes, "the private key");
  keys.private_key_passphrase =
      elements_at(c.private_key_passphrase, c.private_key_passphrase_bytes, "the private key's passphrase");
  keys.certificate = elements_at(c.certificate, c.certificate_bytes, "the certificate");
  keys.key = elements_at(c.key, c.key_bytes, "the key");
  keys.passphrase = elements_at(c.passphrase, c.passphrase_bytes, "the passphrase");
  keys.passphrase_is_empty = c.passphrase != nullptr && c.passphrase_bytes == 0;
  return keys;
}

}  // namespace

int phalanx_cms_reader_new(phalanx_cms_reader** reader, phalanx_read_next read_next, void* user_data,
                           const phalanx_cms_keys* keys, const phalanx_engine_options* options) {
  return guarded([&] {
    phalanx_cms_reader*& place = place_of(reader);
    place = new phalanx_cms_reader{CmsReader(phalanx::read_next_in_c(read_next, user_data, "the message", "a message"),
                                             keys_of(keys), engine_in_c(options))};
  });
}

int phalanx_cms_reader_of_file(phalanx_cms_reader** reader, const char* path, const phalanx_cms_keys* keys,
                               const phalanx_engine_options* options) {
  return guarded([&] {
    phalanx_cms_reader*& place = place_of(reader);
    place = new phalanx_cms_reader{CmsReader(&not_null(path, "the path"), keys_of(keys), engine_in_c(options))};
  });
}

void phalanx_cms_reader_free(phalanx_cms_reader* reader) { phalanx::free_in_c(reader); }

int phalanx_cms_reader_read(phalanx_cms_reader* reader, std::uint8_t* out, std::size_t size, std::size_t* got_bytes) {
  return guarded([&] {
    std::size_t& result = not_null(got_bytes, "the place of the size");
    result = not_null(reader, "the message's reader").reader.read(elements_at(out, size, "the output"));
  });
}

int phalanx_cms_reader_cipher(const phalanx_cms_reader* reader, const char** cipher) {
  return guarded(
      [&] { not_null(cipher, "the place of the name") = not_null(reader, "the message's reader").reader.cipher().c_str(); });
}

int phalanx_cms_reader_is_authenticated(const phalanx_cms_reader* reader, int* is_authenticated) {
  return guarded([&] {
    not_null(is_authenticated, "the place of the answer") =
        not_null(reader, "the message's reader").reader.is_authenticated() ? 1 : 0;
  });
}
