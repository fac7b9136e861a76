#include "libcrypto/random_bytes.hpp"

#include <openssl/rand.h>

#include "libcrypto/libcrypto.hpp"

namespace phalanx {

void fill_random(MutableBytes out) {
  require_libcrypto();
  if (RAND_priv_bytes_ex(nullptr, out.data(), out.size(), 0) != 1) {
    throw Error(ErrorCode::runtime, "libcrypto's random generator failed; check the system's entropy source");
  }
}

}  // namespace phalanx
