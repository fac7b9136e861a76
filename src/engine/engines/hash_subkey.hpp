// The key of GHASH: SP 800-38D section 7.1, step 1.
#pragma once

#include "engine/engines/engine.hpp"
#include "engine/host/wiped_memory.hpp"
#include "engine/secrets/stack_wipe.hpp"

namespace phalanx {

/// H, a block of zeros encrypted.
class HashSubkey {
 public:
  explicit HashSubkey(const KeyedCipher& cipher) {
    constexpr std::size_t crypt_stack_bytes = 16384;  // a kernel may leave its output on the stack: here that is a key
    call_then_wipe_stack<crypt_stack_bytes>(
        [&] { cipher.crypt_range(Mode::ecb, Direction::encrypt, nullptr, subkey_.bytes, subkey_.bytes, 1); });
  }
  [[nodiscard]] const std::uint8_t* bytes() const { return subkey_.bytes; }

 private:
  WipedArray<16> subkey_;
};

}  // namespace phalanx
