#include "described_parameters.hpp"

#include <openssl/core_names.h>

#include "parameters.hpp"

namespace phalanx {
namespace {

#define PHALANX_SHARED_TO_GET                                                               \
  described_size(OSSL_CIPHER_PARAM_KEYLEN), described_size(OSSL_CIPHER_PARAM_IVLEN),        \
      described_number(OSSL_CIPHER_PARAM_PADDING), described_number(OSSL_CIPHER_PARAM_NUM), \
      described_bytes(OSSL_CIPHER_PARAM_IV), described_bytes(OSSL_CIPHER_PARAM_UPDATED_IV)
#define PHALANX_SHARED_TO_SET described_number(OSSL_CIPHER_PARAM_PADDING), described_number(OSSL_CIPHER_PARAM_NUM)

constexpr OSSL_PARAM of_bare[] = {PHALANX_SHARED_TO_GET, described_pointer(OSSL_CIPHER_PARAM_TLS_MAC), last_described};
constexpr OSSL_PARAM of_bare_from_3_6[] = {PHALANX_SHARED_TO_GET, described_bytes(OSSL_CIPHER_PARAM_TLS_MAC),
                                           last_described};
constexpr OSSL_PARAM of_des[] = {PHALANX_SHARED_TO_GET, described_bytes(OSSL_CIPHER_PARAM_RANDOM_KEY), last_described};
constexpr OSSL_PARAM of_stolen[] = {PHALANX_SHARED_TO_GET, described_text(OSSL_CIPHER_PARAM_CTS_MODE), last_described};
#define PHALANX_AEAD_TO_GET                                                                       \
  described_size(OSSL_CIPHER_PARAM_KEYLEN), described_size(OSSL_CIPHER_PARAM_IVLEN),              \
      described_size(OSSL_CIPHER_PARAM_AEAD_TAGLEN), described_bytes(OSSL_CIPHER_PARAM_IV),       \
      described_bytes(OSSL_CIPHER_PARAM_UPDATED_IV), described_bytes(OSSL_CIPHER_PARAM_AEAD_TAG), \
      described_size(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD_PAD), described_bytes(OSSL_CIPHER_PARAM_AEAD_TLS1_GET_IV_GEN)
constexpr OSSL_PARAM of_aead[] = {PHALANX_AEAD_TO_GET, last_described};
constexpr OSSL_PARAM of_aead_from_3_4[] = {PHALANX_AEAD_TO_GET, described_number(iv_generated_name), last_described};
#undef PHALANX_AEAD_TO_GET

constexpr OSSL_PARAM to_bare[] = {PHALANX_SHARED_TO_SET, described_number(OSSL_CIPHER_PARAM_USE_BITS),
                                  described_number(OSSL_CIPHER_PARAM_TLS_VERSION),
                                  described_size(OSSL_CIPHER_PARAM_TLS_MAC_SIZE), last_described};
constexpr OSSL_PARAM to_triple_des_from_3_4[] = {PHALANX_SHARED_TO_SET, last_described};
constexpr OSSL_PARAM to_stolen[] = {PHALANX_SHARED_TO_SET, described_text(OSSL_CIPHER_PARAM_CTS_MODE), last_described};
constexpr OSSL_PARAM to_data_unit[] = {described_size(OSSL_CIPHER_PARAM_KEYLEN), last_described};
constexpr OSSL_PARAM to_aead[] = {described_size(OSSL_CIPHER_PARAM_AEAD_IVLEN),
                                  described_bytes(OSSL_CIPHER_PARAM_AEAD_TAG),
                                  described_bytes(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD),
                                  described_bytes(OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED),
                                  described_bytes(OSSL_CIPHER_PARAM_AEAD_TLS1_SET_IV_INV),
                                  last_described};
constexpr OSSL_PARAM to_xaes[] = {described_size(OSSL_CIPHER_PARAM_AEAD_IVLEN), described_bytes(OSSL_CIPHER_PARAM_AEAD_TAG),
                                  last_described};

#undef PHALANX_SHARED_TO_GET
#undef PHALANX_SHARED_TO_SET

#define PHALANX_FACTS                                                                               \
  described_number(OSSL_CIPHER_PARAM_MODE), described_size(OSSL_CIPHER_PARAM_KEYLEN),               \
      described_size(OSSL_CIPHER_PARAM_IVLEN), described_size(OSSL_CIPHER_PARAM_BLOCK_SIZE),        \
      described_signed(OSSL_CIPHER_PARAM_AEAD), described_signed(OSSL_CIPHER_PARAM_CUSTOM_IV),      \
      described_signed(OSSL_CIPHER_PARAM_CTS), described_signed(OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK), \
      described_signed(OSSL_CIPHER_PARAM_HAS_RAND_KEY)
constexpr const char* encrypt_then_mac_name = "encrypt-then-mac";  // OSSL_CIPHER_PARAM_ENCRYPT_THEN_MAC, from 3.6 on
constexpr OSSL_PARAM facts[] = {PHALANX_FACTS, last_described};
constexpr OSSL_PARAM facts_from_3_6[] = {PHALANX_FACTS, described_signed(encrypt_then_mac_name), last_described};
#undef PHALANX_FACTS

bool write_if_asked(OSSL_PARAM* parameters, const char* name, bool (*write)(OSSL_PARAM&, std::size_t), std::size_t value) {
  OSSL_PARAM* const asked = find_parameter(parameters, name);
  return asked == nullptr || write(*asked, value);
}

}  // namespace

const OSSL_PARAM* parameters_to_get(const ServedCipher& served, const Provider& provider) {
  if (served.is_aead()) return provider.core_version >= 304 ? of_aead_from_3_4 : of_aead;
  if (served.is_des) return of_des;
  if (served.manner == Manner::stolen_blocks) return of_stolen;
  return provider.core_version >= 306 ? of_bare_from_3_6 : of_bare;
}

const OSSL_PARAM* parameters_to_set(const ServedCipher& served, const Provider& provider) {
  const bool is_triple_des = served.is_des && served.key_bytes != 8;
  if (is_triple_des && provider.core_version >= 304) return to_triple_des_from_3_4;
  switch (served.manner) {
    case Manner::stolen_blocks:
      return to_stolen;
    case Manner::data_unit:
      return to_data_unit;
    case Manner::gcm:
      return to_aead;
    case Manner::xaes_gcm:
      return to_xaes;
    default:
      return to_bare;
  }
}

const OSSL_PARAM* described_facts(const Provider& provider) { return provider.core_version >= 306 ? facts_from_3_6 : facts; }

bool write_facts(const ServedCipher& served, OSSL_PARAM* parameters) {
  const auto number = [](OSSL_PARAM& asked, std::size_t value) { return write_number(asked, static_cast<unsigned>(value)); };
  const auto flag = [](OSSL_PARAM& asked, std::size_t value) { return write_signed(asked, static_cast<int>(value)); };
  const bool has_own_iv = served.is_aead() || served.manner == Manner::data_unit;
  const auto write = [parameters](const char* name, auto* how, std::size_t value) {
    return write_if_asked(parameters, name, how, value);
  };
  return write(OSSL_CIPHER_PARAM_MODE, +number, served.shown_mode()) &&
         write(OSSL_CIPHER_PARAM_AEAD, +flag, served.is_aead()) && write(OSSL_CIPHER_PARAM_CUSTOM_IV, +flag, has_own_iv) &&
         write(OSSL_CIPHER_PARAM_CTS, +flag, served.manner == Manner::stolen_blocks) &&
         write(OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK, +flag, 0) && write(OSSL_CIPHER_PARAM_HAS_RAND_KEY, +flag, served.is_des) &&
         write(OSSL_CIPHER_PARAM_KEYLEN, write_size, served.key_bytes) &&
         write(OSSL_CIPHER_PARAM_BLOCK_SIZE, write_size, served.shown_block_bytes()) &&
         write(OSSL_CIPHER_PARAM_IVLEN, write_size, served.iv_bytes);
}

}  // namespace phalanx
