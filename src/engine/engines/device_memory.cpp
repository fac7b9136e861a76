#include "engine/engines/device_memory.hpp"

#include <phalanx/error.hpp>

namespace phalanx {
namespace {

template <class Interface>
const Interface& required(const Interface* found) {
  if (found == nullptr) {
    throw Error(ErrorCode::usage, "this engine cannot reach a GPU's memory: choose the engine cuda");
  }
  return *found;
}

}  // namespace

const DeviceMemory& device_memory_of(const Engine& engine) { return required(engine.device_memory()); }

const KeyedDeviceCipher& device_cipher_of(const KeyedCipher& cipher) { return required(cipher.device_cipher()); }

}  // namespace phalanx
