// old_data.h and migration.h over old_data.hpp and migration.hpp.
#include <phalanx/migration.h>

#include <cstring>
#include <phalanx/migration.hpp>
#include <string>

#include "formats/c_containers.hpp"
#include "library/c_errors.hpp"

struct phalanx_old_reader {
  phalanx::OldReader reader;
};

namespace {

using phalanx::elements_at;
using phalanx::Error;
using phalanx::ErrorCode;
using phalanx::guarded;
using phalanx::not_null;
using phalanx::OldReader;
using phalanx::options_in_c;
using phalanx::place_of;

std::string text_or(const char* text, const char* otherwise) { return text == nullptr ? otherwise : text; }

phalanx::OldFormat format_of(const phalanx_old_format* given) {
  const phalanx_old_format c = phalanx::taken_struct(not_null(given, "the old data's format"));
  phalanx::OldFormat format;
  format.cipher = &not_null(c.cipher, "the old data's cipher");
  format.padding = phalanx::parse_padding(text_or(c.padding, "pkcs7"));
  format.key = elements_at(c.key, c.key_bytes, "the key");
  format.iv = elements_at(c.iv, c.iv_bytes, "the iv");
  format.begins_with_iv = c.begins_with_iv != 0;
  format.sectors = {
      .sector_bytes = c.sector_bytes, .first_tweak = c.first_tweak, .tweak_step = c.tweak_step == 0 ? 1 : c.tweak_step};
  format.passphrase = elements_at(c.passphrase, c.passphrase_bytes, "the passphrase");
  format.find_digest = c.digest != nullptr && std::strcmp(c.digest, "auto") == 0;
  if (!format.find_digest) format.derivation.digest = text_or(c.digest, "sha256");
  format.derivation.pbkdf2 = c.pbkdf2 != 0;
  if (c.num_iterations != 0) format.derivation.num_iterations = c.num_iterations;
  format.salted = c.without_salt == 0;
  format.base64 = c.base64 != 0;
  return format;
}

/// Cut where the caller's array ends, which is then still a string.
template <std::size_t num_chars>
void put_text(const std::string& text, char (&place)[num_chars]) {
  std::memset(place, 0, num_chars);
  text.copy(place, num_chars - 1);
}

}  // namespace

int phalanx_padding_add(const char* padding, std::uint8_t* block, std::size_t block_bytes, std::size_t used_bytes,
                        std::size_t* padded_bytes) {
  return guarded([&] {
    std::size_t& result = not_null(padded_bytes, "the place of the size");
    const auto bytes = elements_at(block, block_bytes, "the block");
    if (block_bytes == 0 || block_bytes > 255 || used_bytes >= block_bytes) {
      throw Error(ErrorCode::usage, "a block to pad has 1 to 255 bytes, and holds less than a block of message");
    }
    result = phalanx::pad_last_block(phalanx::parse_padding(&not_null(padding, "the padding's name")), bytes, used_bytes);
  });
}

int phalanx_padding_check(const char* padding, const std::uint8_t* block, std::size_t block_bytes,
                          std::size_t* message_bytes) {
  return guarded([&] {
    std::size_t& result = not_null(message_bytes, "the place of the size");
    const auto bytes = elements_at(block, block_bytes, "the block");
    if (block_bytes == 0 || block_bytes > 255) throw Error(ErrorCode::usage, "a block with padding has 1 to 255 bytes");
    result = phalanx::remove_padding(phalanx::parse_padding(&not_null(padding, "the padding's name")), bytes);
  });
}

int phalanx_derive_pbkdf2(const char* digest, const std::uint8_t* passphrase, std::size_t passphrase_bytes,
                          const std::uint8_t* salt, std::size_t salt_bytes, int num_iterations, std::uint8_t* out,
                          std::size_t size) {
  return guarded([&] {
    phalanx::derive_pbkdf2(&not_null(digest, "the digest's name"),
                           elements_at(passphrase, passphrase_bytes, "the passphrase"),
                           elements_at(salt, salt_bytes, "the salt"), num_iterations, elements_at(out, size, "the output"));
  });
}

int phalanx_derive_bytes_to_key(const char* digest, const std::uint8_t* passphrase, std::size_t passphrase_bytes,
                                const std::uint8_t* salt, std::size_t salt_bytes, std::uint8_t* out, std::size_t size) {
  return guarded([&] {
    phalanx::derive_bytes_to_key(&not_null(digest, "the digest's name"),
                                 elements_at(passphrase, passphrase_bytes, "the passphrase"),
                                 elements_at(salt, salt_bytes, "the salt"), elements_at(out, size, "the output"));
  });
}

int phalanx_derive_scrypt(const std::uint8_t* passphrase, std::size_t passphrase_bytes, const std::uint8_t* salt,
                          std::size_t salt_bytes, unsigned log2_n, std::uint32_t r, std::uint32_t p, std::uint8_t* out,
                          std::size_t size) {
  return guarded([&] {
    phalanx::derive_scrypt(elements_at(passphrase, passphrase_bytes, "the passphrase"),
                           elements_at(salt, salt_bytes, "the salt"), log2_n, r, p, elements_at(out, size, "the output"));
  });
}

int phalanx_old_reader_new(phalanx_old_reader** reader, phalanx_read_next read_next, void* context,
                           const phalanx_old_format* format, const phalanx_options* options) {
  return guarded([&] {
    phalanx_old_reader*& place = place_of(reader);
    if (read_next == nullptr) throw Error(ErrorCode::usage, "read_next is null: give a function that reads the old data");
    const phalanx::ReadNext read = [=](phalanx::MutableBytes out) {
      std::size_t size = 0;
      if (read_next(context, out.data(), out.size(), &size) != 0) throw Error(ErrorCode::runtime, "reading old data failed");
      return size;
    };
    place = new phalanx_old_reader{OldReader(read, format_of(format), options_in_c(options))};
  });
}

int phalanx_old_reader_of_file(phalanx_old_reader** reader, const char* path, const phalanx_old_format* format,
                               const phalanx_options* options) {
  return guarded([&] {
    phalanx_old_reader*& place = place_of(reader);
    place = new phalanx_old_reader{OldReader(&not_null(path, "the path"), format_of(format), options_in_c(options))};
  });
}

void phalanx_old_reader_free(phalanx_old_reader* reader) { delete reader; }

int phalanx_old_reader_read(phalanx_old_reader* reader, std::uint8_t* out, std::size_t size, std::size_t* got_bytes) {
  return guarded([&] {
    std::size_t& result = not_null(got_bytes, "the place of the size");
    result = not_null(reader, "the old data's reader").reader.read(elements_at(out, size, "the output"));
  });
}

int phalanx_old_reader_digest(const phalanx_old_reader* reader, const char** digest) {
  return guarded([&] {
    not_null(digest, "the place of the name") = not_null(reader, "the old data's reader").reader.digest().c_str();
  });
}

int phalanx_migrate_file(const char* in, const phalanx_old_format* format, const char* out, const char* suite,
                         const phalanx_recipient* recipients, std::size_t num_recipients,
                         const phalanx_migration_options* migration, const phalanx_options* options,
                         phalanx_migrated* migrated) {
  return guarded([&] {
    phalanx_migrated& place = not_null(migrated, "the place of what came of it");
    phalanx_migrated filled = phalanx::taken_struct(place);
    const phalanx_migration_options given =
        migration == nullptr ? phalanx_migration_options PHALANX_MIGRATION_OPTIONS_INIT : phalanx::taken_struct(*migration);
    phalanx::MigrationOptions how{.verify = given.without_verification == 0,
                                  .replace = given.replace != 0,
                                  .resume = given.resume != 0,
                                  .engine = options_in_c(options)};
    if (given.on_progress != nullptr) {
      how.on_progress = [=](std::uint64_t num_bytes) { given.on_progress(given.context, num_bytes); };
    }
    const phalanx::Migrated result =
        phalanx::migrate_file(&not_null(in, "IN"), format_of(format), &not_null(out, "OUT"),
                              &not_null(suite, "the suite's name"), phalanx::recipients_of(recipients, num_recipients), how);
    filled.old_bytes = result.old_bytes;
    filled.container_bytes = result.container_bytes;
    put_text(result.sha256, filled.sha256);
    put_text(result.digest, filled.digest);
    put_text(result.doubt, filled.doubt);
    phalanx::give_struct(filled, place);
  });
}

int phalanx_verify_container(const char* path, const phalanx_identity* identities, std::size_t num_identities,
                             const phalanx_cost_limits* limits, const phalanx_options* options, phalanx_verified* verified) {
  return guarded([&] {
    phalanx_verified& place = not_null(verified, "the place of what came of it");
    phalanx_verified filled = phalanx::taken_struct(place);
    const phalanx::Verified result =
        phalanx::verify_container(&not_null(path, "the path"), phalanx::identities_of(identities, num_identities),
                                  phalanx::limits_of(limits), {}, options_in_c(options));
    filled.plain_bytes = result.plain_bytes;
    put_text(result.sha256, filled.sha256);
    phalanx::give_struct(filled, place);
  });
}
