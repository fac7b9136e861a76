// This implements modular_encryption.h over modular_encryption.hpp.
#include <phalanx/parquet/modular_encryption.h>

#include <algorithm>
#include <phalanx/parquet/modular_encryption.hpp>

#include "engine/library/c_arguments.hpp"
#include "engine/library/c_errors.hpp"
#include "engine/secrets/secret_bytes.hpp"

struct phalanx_parquet_key {
  phalanx::ParquetKey key;
};

namespace {

using phalanx::elements_at;
using phalanx::engine_in_c;
using phalanx::Error;
using phalanx::ErrorCode;
using phalanx::guarded;
using phalanx::not_null;
using phalanx::StructPlace;
using phalanx::taken_struct;

phalanx::ParquetKeyFinder finder_of(phalanx_find_parquet_key find_key, void* user_data) {
  not_null(find_key, "the function that finds keys");
  return [find_key, user_data](const phalanx::ParquetKeyRequest& request) {
    const phalanx_parquet_key_request asked{request.is_footer ? 1 : 0, request.column.c_str(), request.key_metadata.data(),
                                            request.key_metadata.size()};
    phalanx::SecretBytes key(32);
    std::size_t key_bytes = 0;
    if (find_key(user_data, &asked, key.data(), &key_bytes) != 0)
      throw Error(ErrorCode::runtime, "the function that finds keys ended the call");
    if (key_bytes > key.size()) throw Error(ErrorCode::usage, "the function that finds keys gave one of more than 32 bytes");
    return phalanx::Secret(phalanx::Bytes(key).first(key_bytes));
  };
}

phalanx::DecryptParquetOptions decrypting_of(const phalanx_decrypt_parquet_options* decrypt_options,
                                             const phalanx_engine_options* options) {
  const phalanx_decrypt_parquet_options given = taken_struct(decrypt_options, PHALANX_DECRYPT_PARQUET_OPTIONS_INIT);
  phalanx::DecryptParquetOptions how{
      .replace = given.replace != 0, .engine = engine_in_c(options), .require_gcm = given.require_gcm != 0};
  const auto prefix = elements_at(given.aad_prefix, given.aad_prefix_bytes, "the AAD prefix");
  if (given.aad_prefix != nullptr) how.aad_prefix.emplace(prefix.begin(), prefix.end());
  return how;
}

phalanx::EncryptParquetOptions encrypting_of(const phalanx_encrypt_parquet_options* encrypt_options,
                                             const phalanx_engine_options* options) {
  const phalanx_encrypt_parquet_options given = taken_struct(encrypt_options, PHALANX_ENCRYPT_PARQUET_OPTIONS_INIT);
  phalanx::EncryptParquetOptions how{.plaintext_footer = given.plaintext_footer != 0,
                                     .store_aad_prefix = given.store_aad_prefix != 0,
                                     .replace = given.replace != 0,
                                     .engine = engine_in_c(options)};
  if (given.algorithm != 0 && given.algorithm != PHALANX_AES_GCM_V1 && given.algorithm != PHALANX_AES_GCM_CTR_V1)
    throw Error(ErrorCode::usage, "Parquet has no algorithm with the number " + std::to_string(given.algorithm));
  if (given.algorithm == PHALANX_AES_GCM_CTR_V1) how.algorithm = phalanx::ParquetAlgorithm::aes_gcm_ctr_v1;
  const phalanx::StructsAt column_keys(given.column_keys, given.num_column_keys, PHALANX_PARQUET_COLUMN_KEY_INIT,
                                       "the list of column keys");
  for (std::size_t i = 0; i < column_keys.size(); ++i) {
    const phalanx_parquet_column_key one = column_keys[i];
    how.column_keys.emplace(&not_null(one.column, "a column's path"), not_null(one.key, "a column's key").key);
  }
  for (const char* column : elements_at(given.plain_columns, given.num_plain_columns, "the list of columns"))
    how.plain_columns.emplace_back(&not_null(column, "a column's path"));
  const auto prefix = elements_at(given.aad_prefix, given.aad_prefix_bytes, "the AAD prefix");
  how.aad_prefix.assign(prefix.begin(), prefix.end());
  return how;
}

void give(StructPlace<phalanx_decrypted_parquet>& place, const phalanx::DecryptedParquet& found) {
  place.filled.algorithm = static_cast<int>(found.algorithm);
  place.filled.had_plaintext_footer = found.had_plaintext_footer ? 1 : 0;
  place.filled.verified = found.verified ? 1 : 0;
  place.filled.num_pages = found.num_pages;
  place.filled.num_plain_chunks = found.num_plain_chunks;
  place.filled.plain_bytes = found.plain_bytes;
  place.filled.num_authentic_pages = found.num_authentic_pages;
  place.give();
}

void give(StructPlace<phalanx_encrypted_parquet>& place, const phalanx::EncryptedParquet& made) {
  place.filled.num_pages = made.num_pages;
  place.filled.num_modules = made.num_modules;
  place.filled.encrypted_bytes = made.encrypted_bytes;
  place.give();
}

}  // namespace

int phalanx_decrypt_parquet_file(const char* in, const char* out, phalanx_find_parquet_key find_key, void* user_data,
                                 const phalanx_decrypt_parquet_options* decrypt_options,
                                 const phalanx_engine_options* options, phalanx_decrypted_parquet* decrypted) {
  return guarded([&] {
    StructPlace place(decrypted, PHALANX_DECRYPTED_PARQUET_INIT);
    give(place, phalanx::decrypt_parquet_file(&not_null(in, "IN"), &not_null(out, "OUT"), finder_of(find_key, user_data),
                                              decrypting_of(decrypt_options, options)));
  });
}

int phalanx_decrypt_parquet(const std::uint8_t* in, std::size_t in_bytes, std::uint8_t* plain, std::size_t plain_room,
                            phalanx_find_parquet_key find_key, void* user_data,
                            const phalanx_decrypt_parquet_options* decrypt_options, const phalanx_engine_options* options,
                            phalanx_decrypted_parquet* decrypted) {
  return guarded([&] {
    StructPlace place(decrypted, PHALANX_DECRYPTED_PARQUET_INIT);
    const auto room = elements_at(plain, plain_room, "the place of the plain file");
    std::vector<std::uint8_t> bytes;
    const phalanx::DecryptedParquet found =
        phalanx::decrypt_parquet(elements_at(in, in_bytes, "the file"), bytes, finder_of(find_key, user_data),
                                 decrypting_of(decrypt_options, options));
    if (bytes.size() > room.size()) {
      throw Error(ErrorCode::usage, "the plain file has " + std::to_string(bytes.size()) + " bytes, and there is room for " +
                                        std::to_string(room.size()));
    }
    std::ranges::copy(bytes, room.begin());
    give(place, found);
  });
}

int phalanx_decrypt_parquet_to_device(const std::uint8_t* in, std::size_t in_bytes, void* out, std::size_t out_room,
                                      phalanx_find_parquet_key find_key, void* user_data,
                                      const phalanx_decrypt_parquet_options* decrypt_options,
                                      const phalanx_engine_options* options, phalanx_decrypted_parquet* decrypted,
                                      void* stream) {
  return guarded([&] {
    StructPlace place(decrypted, PHALANX_DECRYPTED_PARQUET_INIT);
    give(place, phalanx::decrypt_parquet_to_device(elements_at(in, in_bytes, "the file"), out, out_room,
                                                   finder_of(find_key, user_data), decrypting_of(decrypt_options, options),
                                                   stream));
  });
}

int phalanx_parquet_key_new(phalanx_parquet_key** parquet_key, const std::uint8_t* key, std::size_t key_bytes,
                            const std::uint8_t* key_metadata, std::size_t key_metadata_bytes,
                            std::uint64_t num_invocations) {
  return guarded([&] {
    phalanx_parquet_key*& place = phalanx::place_of(parquet_key);
    place = new phalanx_parquet_key{phalanx::ParquetKey(elements_at(key, key_bytes, "the key"),
                                                        elements_at(key_metadata, key_metadata_bytes, "the key's metadata"),
                                                        num_invocations)};
  });
}

int phalanx_parquet_key_num_invocations(const phalanx_parquet_key* parquet_key, std::uint64_t* num_invocations) {
  return guarded([&] {
    not_null(num_invocations, "the place of the number") = not_null(parquet_key, "the key").key.num_invocations();
  });
}

void phalanx_parquet_key_free(phalanx_parquet_key* parquet_key) { phalanx::free_in_c(parquet_key); }

int phalanx_encrypt_parquet_file(const char* in, const char* out, const phalanx_parquet_key* footer_key,
                                 const phalanx_encrypt_parquet_options* encrypt_options,
                                 const phalanx_engine_options* options, phalanx_encrypted_parquet* encrypted) {
  return guarded([&] {
    StructPlace place(encrypted, PHALANX_ENCRYPTED_PARQUET_INIT);
    give(place, phalanx::encrypt_parquet_file(&not_null(in, "IN"), &not_null(out, "OUT"),
                                              not_null(footer_key, "the footer's key").key,
                                              encrypting_of(encrypt_options, options)));
  });
}

int phalanx_encrypt_parquet(const std::uint8_t* in, std::size_t in_bytes, const phalanx_parquet_key* footer_key,
                            const phalanx_encrypt_parquet_options* encrypt_options, const phalanx_engine_options* options,
                            phalanx_take_parquet take, void* user_data, phalanx_encrypted_parquet* encrypted) {
  return guarded([&] {
    StructPlace place(encrypted, PHALANX_ENCRYPTED_PARQUET_INIT);
    not_null(take, "the function that takes the file");
    std::vector<std::uint8_t> file;
    const phalanx::EncryptedParquet made =
        phalanx::encrypt_parquet(elements_at(in, in_bytes, "the file"), file, not_null(footer_key, "the footer's key").key,
                                 encrypting_of(encrypt_options, options));
    if (take(user_data, file.data(), file.size()) != 0)
      throw Error(ErrorCode::runtime, "the function that takes the file ended the call");
    give(place, made);
  });
}
