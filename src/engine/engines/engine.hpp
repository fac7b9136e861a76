// What runs ciphers: a CPU's kernels over its threads, or GPUs. The library above knows nothing else of the machine.
//
// The keystone is the range: crypt_range is a job of a keyed cipher, a mode, a direction, an iv and some whole blocks.
// Except for the encryption of CBC, CFB and OFB (and OFB's decryption, which is the same) the bytes do not depend on how a
// message is cut into ranges, so an engine may cut further: SIMD groups, threads. Where they do, only crypt_batch is
// parallel: many messages side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <phalanx/bytes.hpp>
#include <phalanx/options.hpp>
#include <span>

#include "engine/ciphers/direction.hpp"
#include "engine/engines/keyed_aead.hpp"
#include "engine/modes/mode.hpp"
#include "engine/modes/named_cipher.hpp"

namespace phalanx {

class DeviceMemory;
class KeyedCipher;
class KeyedDeviceCipher;

/// One message of many, in whole blocks.
struct BlockMessage {
  Bytes key;         ///< this message's own key, CipherSpec::key_bytes long; empty: the key of the KeyedCipher
  std::uint8_t* iv;  ///< chaining state before and after, as for crypt_range; each message has its own memory (ECB: unused)
  const std::uint8_t* in;
  std::uint8_t* out;
  std::size_t num_blocks;
  /// Instead of `key`: a KeyedCipher of the same engine and CipherSpec, whose key it is.
  const KeyedCipher* prepared_key = nullptr;
};

/// A block cipher under one key, in any mode that is no AEAD. Immutable: any number of threads may use it at once.
class KeyedCipher {
 public:
  KeyedCipher() = default;
  KeyedCipher(const KeyedCipher&) = delete;
  KeyedCipher& operator=(const KeyedCipher&) = delete;
  virtual ~KeyedCipher() = default;

  /// Crypts whole blocks, in place or from disjoint memory. `iv` is the chaining state before and afterwards: CBC, CFB: the
  /// preceding ciphertext block; OFB: the preceding key stream block; CTR: the next counter block; XTS: the next tweak,
  /// already encrypted (the tweak key is another KeyedCipher). ECB ignores it.
  virtual void crypt_range(Mode mode, Direction direction, std::uint8_t* iv, const std::uint8_t* in, std::uint8_t* out,
                           std::size_t num_blocks) const = 0;

  /// As it was given.
  [[nodiscard]] virtual Bytes key() const = 0;

  /// Crypts many messages at once, each as crypt_range would, in no particular order.
  virtual void crypt_batch(Mode mode, Direction direction, std::span<const BlockMessage> messages) const = 0;

  /// Returns what crypts over a GPU's memory under the same key (device_memory.hpp), or nullptr where the engine has none.
  [[nodiscard]] virtual const KeyedDeviceCipher* device_cipher() const { return nullptr; }
};

class Engine {
 public:
  Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  virtual ~Engine() = default;

  [[nodiscard]] virtual EngineInfo info() const = 0;

  /// `key` is cipher.key_bytes long. num_threads: the most CPU threads to use, 0 for all that the process may use.
  /// Only for a usable engine.
  [[nodiscard]] virtual std::unique_ptr<KeyedCipher> set_key(const CipherSpec& cipher, Bytes key, int num_threads) const = 0;
  /// Sets a key of a cipher in a mode that is an AEAD, as set_key does of a bare cipher.
  [[nodiscard]] virtual std::unique_ptr<KeyedAead> set_aead_key(const NamedCipher& aead, Bytes key,
                                                                int num_threads) const = 0;

  /// Returns the memory of its GPUs (device_memory.hpp), or nullptr where it has none.
  [[nodiscard]] virtual const DeviceMemory* device_memory() const { return nullptr; }
};

}  // namespace phalanx
