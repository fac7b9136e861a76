// This implements in_place.h over in_place.hpp.
#include <phalanx/files/in_place.h>

#include <phalanx/files/in_place.hpp>

#include "engine/library/c_arguments.hpp"
#include "engine/library/c_errors.hpp"
#include "files/pipeline/c_progress.hpp"

namespace {

using phalanx::elements_at;
using phalanx::not_null;
using phalanx::taken_struct;

phalanx::InPlaceFormat format_of(const phalanx_in_place_format* given) {
  const phalanx_in_place_format c = taken_struct(&not_null(given, "the format"), PHALANX_IN_PLACE_FORMAT_INIT);
  return {
      .cipher = &not_null(c.cipher, "the cipher's name"),
      .key = elements_at(c.key, c.key_bytes, "the key"),
      .iv = elements_at(c.iv, c.iv_bytes, "the iv"),
      .sectors = {
          .sector_bytes = c.sector_bytes, .first_tweak = c.first_tweak, .tweak_step = c.tweak_step == 0 ? 1 : c.tweak_step}};
}

phalanx::InPlaceOptions options_of(const phalanx_in_place_options* given, const phalanx_cipher_policy* policy,
                                   const phalanx_engine_options* options) {
  const phalanx_in_place_options c = taken_struct(given, PHALANX_IN_PLACE_OPTIONS_INIT);
  return {.allow_unmarked = c.allow_unmarked != 0,
          .any_device = c.any_device != 0,
          .on_progress = phalanx::progress_of(c.on_progress, c.user_data),
          .cancellation = phalanx::cancellation_of(c.cancellation),
          .engine = phalanx::engine_in_c(options),
          .policy = phalanx::policy_in_c(policy)};
}

template <class Crypt>
int crypt(const Crypt& crypt_file, const char* path, const phalanx_in_place_format* format,
          const phalanx_in_place_options* in_place, const phalanx_cipher_policy* policy,
          const phalanx_engine_options* options, phalanx_crypted_in_place* result) {
  return phalanx::guarded([&] {
    phalanx::StructPlace place(result, PHALANX_CRYPTED_IN_PLACE_INIT);
    const phalanx::CryptedInPlace crypted =
        crypt_file(&not_null(path, "the path"), format_of(format), options_of(in_place, policy, options));
    place.filled.file_bytes = crypted.file_bytes;
    place.filled.resumed_bytes = crypted.resumed_bytes;
    phalanx::put_text(crypted.warning, place.filled.warning);
    place.give();
  });
}

}  // namespace

int phalanx_encrypt_in_place(const char* path, const phalanx_in_place_format* format,
                             const phalanx_in_place_options* in_place, const phalanx_cipher_policy* policy,
                             const phalanx_engine_options* options, phalanx_crypted_in_place* result) {
  return crypt(phalanx::encrypt_in_place, path, format, in_place, policy, options, result);
}

int phalanx_decrypt_in_place(const char* path, const phalanx_in_place_format* format,
                             const phalanx_in_place_options* in_place, const phalanx_cipher_policy* policy,
                             const phalanx_engine_options* options, phalanx_crypted_in_place* result) {
  return crypt(phalanx::decrypt_in_place, path, format, in_place, policy, options, result);
}
