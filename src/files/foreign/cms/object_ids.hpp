// These are the object identifiers of messages and keys, as their content is encoded (X.690, section 8.19).
#pragma once

#include <algorithm>
#include <phalanx/bytes.hpp>
#include <string_view>

namespace phalanx::object_ids {

using namespace std::string_view_literals;

// RFC 5652, section 12.1, RFC 2315, section 14, RFC 5083, section 2.1, and RFC 3274, section 1.1, have these types.
inline constexpr auto data = "\x2a\x86\x48\x86\xf7\x0d\x01\x07\x01"sv,
                      signed_data = "\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02"sv,
                      enveloped_data = "\x2a\x86\x48\x86\xf7\x0d\x01\x07\x03"sv,
                      signed_and_enveloped_data = "\x2a\x86\x48\x86\xf7\x0d\x01\x07\x04"sv,
                      digested_data = "\x2a\x86\x48\x86\xf7\x0d\x01\x07\x05"sv,
                      encrypted_data = "\x2a\x86\x48\x86\xf7\x0d\x01\x07\x06"sv,
                      authenticated_data = "\x2a\x86\x48\x86\xf7\x0d\x01\x09\x10\x01\x02"sv,
                      compressed_data = "\x2a\x86\x48\x86\xf7\x0d\x01\x09\x10\x01\x09"sv,
                      auth_enveloped_data = "\x2a\x86\x48\x86\xf7\x0d\x01\x09\x10\x01\x17"sv;

// RFC 8017, appendix C, has the ones of RSA.
inline constexpr auto rsa_encryption = "\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01"sv,
                      rsa_oaep = "\x2a\x86\x48\x86\xf7\x0d\x01\x01\x07"sv, mgf1 = "\x2a\x86\x48\x86\xf7\x0d\x01\x01\x08"sv,
                      p_specified = "\x2a\x86\x48\x86\xf7\x0d\x01\x01\x09"sv;

// RFC 8018, appendix C, and RFC 3211, appendix A, have the ones of passphrases.
inline constexpr auto pbkdf2 = "\x2a\x86\x48\x86\xf7\x0d\x01\x05\x0c"sv,
                      password_wrap = "\x2a\x86\x48\x86\xf7\x0d\x01\x09\x10\x03\x09"sv;

/// Returns whether the content of an OBJECT IDENTIFIER is this one.
[[nodiscard]] inline bool is(Bytes id, std::string_view known) { return std::ranges::equal(id, bytes_of(known)); }

}  // namespace phalanx::object_ids
