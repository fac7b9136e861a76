// This is the C interface of foreign data: foreign.h, over foreign.hpp.
#include <phalanx/files/foreign.h>

#include <phalanx/files/foreign.hpp>
#include <string>

#include "engine/library/c_errors.hpp"
#include "files/foreign/c_arguments.hpp"

struct phalanx_foreign_reader {
  phalanx::ForeignReader reader;
};

namespace {

using phalanx::elements_at;
using phalanx::engine_in_c;
using phalanx::Error;
using phalanx::ErrorCode;
using phalanx::ForeignReader;
using phalanx::format_of;
using phalanx::guarded;
using phalanx::not_null;
using phalanx::place_of;

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

int phalanx_foreign_reader_new(phalanx_foreign_reader** reader, phalanx_read_next read_next, void* user_data,
                               const phalanx_foreign_format* format, const phalanx_engine_options* options) {
  return guarded([&] {
    phalanx_foreign_reader*& place = place_of(reader);
    place = new phalanx_foreign_reader{
        ForeignReader(phalanx::read_next_in_c(read_next, user_data, "the foreign data", "foreign data"), format_of(format),
                      engine_in_c(options))};
  });
}

int phalanx_foreign_reader_of_file(phalanx_foreign_reader** reader, const char* path, const phalanx_foreign_format* format,
                                   const phalanx_engine_options* options) {
  return guarded([&] {
    phalanx_foreign_reader*& place = place_of(reader);
    place = new phalanx_foreign_reader{ForeignReader(&not_null(path, "the path"), format_of(format), engine_in_c(options))};
  });
}

void phalanx_foreign_reader_free(phalanx_foreign_reader* reader) { phalanx::free_in_c(reader); }

int phalanx_foreign_reader_read(phalanx_foreign_reader* reader, std::uint8_t* out, std::size_t size,
                                std::size_t* got_bytes) {
  return guarded([&] {
    std::size_t& result = not_null(got_bytes, "the place of the size");
    result = not_null(reader, "the foreign data's reader").reader.read(elements_at(out, size, "the output"));
  });
}

int phalanx_foreign_reader_digest(const phalanx_foreign_reader* reader, const char** digest) {
  return guarded([&] {
    not_null(digest, "the place of the name") = not_null(reader, "the foreign data's reader").reader.digest().c_str();
  });
}
