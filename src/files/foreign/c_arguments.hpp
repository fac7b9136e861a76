// This reads what the C interfaces of foreign data and migrations are given: formats, and functions that give streams.
#pragma once

#include <phalanx/files/foreign.h>

#include <cstring>
#include <phalanx/error.hpp>
#include <phalanx/files/foreign.hpp>
#include <string>
#include <vector>

#include "engine/library/c_arguments.hpp"

namespace phalanx {

inline std::string text_or(const char* text, const char* otherwise) { return text == nullptr ? otherwise : text; }

inline ForeignFormat format_of(const phalanx_foreign_format* given) {
  const phalanx_foreign_format c = taken_struct(&not_null(given, "the foreign data's format"), PHALANX_FOREIGN_FORMAT_INIT);
  ForeignFormat format;
  format.cipher = &not_null(c.cipher, "the foreign data's cipher");
  format.padding = parse_padding(text_or(c.padding, "pkcs7"));
  format.key = elements_at(c.key, c.key_bytes, "the key");
  format.iv = elements_at(c.iv, c.iv_bytes, "the iv");
  format.begins_with_iv = c.begins_with_iv != 0;
  format.sectors = {
      .sector_bytes = c.sector_bytes, .first_tweak = c.first_tweak, .tweak_step = c.tweak_step == 0 ? 1 : c.tweak_step};
  format.passphrase = elements_at(c.passphrase, c.passphrase_bytes, "the passphrase");
  format.passphrase_is_empty = format.key.empty() && c.passphrase != nullptr && c.passphrase_bytes == 0;
  format.find_digest = c.digest != nullptr && std::strcmp(c.digest, "auto") == 0;
  if (!format.find_digest) format.derivation.digest = text_or(c.digest, "sha256");
  format.derivation.pbkdf2 = c.pbkdf2 != 0;
  if (c.num_iterations != 0) format.derivation.num_iterations = c.num_iterations;
  format.salted = c.salted != 0;
  format.base64 = c.base64 != 0;
  if (c.salt_bytes != 0) format.salt_bytes = c.salt_bytes;
  if (c.salt != nullptr) format.salt = elements_at(c.salt, format.salt_bytes, "the salt");
  return format;
}

inline std::vector<ForeignFormat> formats_of(const phalanx_foreign_format* const* given, std::size_t number) {
  std::vector<ForeignFormat> formats;
  for (const phalanx_foreign_format* format : elements_at(given, number, "the list of formats"))
    formats.push_back(format_of(format));
  return formats;
}

/// Messages name the stream as `the_stream`, and one that failed as `a_stream`: "the message", "a message". Throws Error
/// (usage) for a null pointer.
inline ReadNext read_next_in_c(phalanx_read_next read_next, void* user_data, const std::string& the_stream,
                               const std::string& a_stream) {
  if (read_next == nullptr) throw Error(ErrorCode::usage, "read_next is null: give a function that reads " + the_stream);
  return [=](MutableBytes out) {
    std::size_t size = 0;
    if (read_next(user_data, out.data(), out.size(), &size) != 0)
      throw Error(ErrorCode::runtime, "reading " + a_stream + " failed");
    return size;
  };
}

}  // namespace phalanx
