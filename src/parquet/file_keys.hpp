// Keys while a file is read or written: what they open and seal, and what becomes of those that do not fit.
#pragma once

#include <map>
#include <memory>
#include <phalanx/parquet/modular_encryption.hpp>
#include <string>
#include <utility>

#include "engine/engines/engine.hpp"
#include "engine/engines/keyed_device_aead.hpp"
#include "engine/secrets/secret_bytes.hpp"
#include "engine/secrets/shared_count.hpp"
#include "parquet/compact_protocol.hpp"

namespace phalanx {

/// A file says this of its encryption in EncryptionAlgorithm.
struct FileCrypto {
  ParquetAlgorithm algorithm = ParquetAlgorithm::aes_gcm_v1;
  Buffer aad_prefix{};
  Buffer aad_file_unique{};
};

/// A key that opens modules.
class OpeningKey {
 public:
  /// `name` is for messages: "the footer's key".
  OpeningKey(const FileCrypto& crypto, Bytes key, std::string name, const EngineOptions& options)
      : modules_(crypto.algorithm, key, crypto.aad_prefix, crypto.aad_file_unique, options),
        name_(std::move(name)),
        key_(key),
        aad_base_(crypto.aad_prefix) {
    aad_base_.insert(aad_base_.end(), crypto.aad_file_unique.begin(), crypto.aad_file_unique.end());
  }

  [[nodiscard]] const ParquetModules& modules() const { return modules_; }
  /// Returns the bytes that the AAD of every module of the file begins with.
  [[nodiscard]] Bytes aad_base() const { return aad_base_; }
  /// Returns the key over an engine's memory. The first call makes it.
  [[nodiscard]] const KeyedDeviceAead& on_device(const Engine& engine);

  /// Throws Error: wrong_key if nothing has opened under this key yet, else authentication.
  void open(std::span<ParquetModuleToOpen> modules);
  /// Opens one module, and returns its plaintext.
  [[nodiscard]] Buffer open(const ParquetPlace& place, Buffer module);
  /// A module that is a structure: its bytes alone. parquet-java seals the whole buffer into which it wrote the structure:
  /// zeros follow it, and all readers pass over them. Throws Error (format) too.
  [[nodiscard]] Buffer open_structure(const ParquetPlace& place, Buffer module);
  /// Verifies a plaintext footer by the nonce and the tag that were stored for it.
  void verify_footer(Bytes footer, Bytes signature);
  /// Throws as `open` does for a module that is not authentic.
  [[noreturn]] void fail(const ParquetPlace& place) const;

 private:
  ParquetModules modules_;
  std::string name_;
  SecretBytes key_;
  Buffer aad_base_;
  std::unique_ptr<KeyedDeviceAead> device_;
  bool has_opened_ = false;
};

/// The keys of a file that is read, each found once.
class OpeningKeys {
 public:
  OpeningKeys(FileCrypto crypto, const ParquetKeyFinder& find, const EngineOptions& options)
      : crypto_(std::move(crypto)), find_(find), options_(options) {}

  [[nodiscard]] OpeningKey& footer_key(Bytes key_metadata);
  [[nodiscard]] OpeningKey& column_key(const std::string& column, Bytes key_metadata);

 private:
  FileCrypto crypto_;
  const ParquetKeyFinder& find_;
  EngineOptions options_;
  std::unique_ptr<OpeningKey> footer_key_;
  std::map<std::pair<std::string, Buffer>, OpeningKey> column_keys_;
};

struct ParquetKey::State {
  SecretBytes key;
  Buffer key_metadata;
  SharedCount num_invocations;

  State(Bytes its_key, Bytes metadata, std::uint64_t invocations)
      : key(its_key), key_metadata(metadata.begin(), metadata.end()), num_invocations(invocations) {}

  /// So many modules are to be sealed. Throws Error (policy), and counts none, where the key wears out.
  void count(std::uint64_t num_modules);
};

/// A key that seals the modules of one file.
class SealingKey {
 public:
  SealingKey(const FileCrypto& crypto, const ParquetKey& key, const EngineOptions& options)
      : modules_(crypto.algorithm, key.state().key, crypto.aad_prefix, crypto.aad_file_unique, options), key_(key) {}

  [[nodiscard]] const ParquetModules& modules() const { return modules_; }
  [[nodiscard]] const Buffer& key_metadata() const { return key_.state().key_metadata; }
  [[nodiscard]] bool is_of(const ParquetKey& key) const { return &key.state() == &key_.state(); }
  [[nodiscard]] std::uint64_t num_sealed() const { return num_sealed_; }

  void seal(std::span<const ParquetModuleToSeal> modules);
  [[nodiscard]] Buffer seal(const ParquetPlace& place, Bytes plain);
  [[nodiscard]] Buffer sign_footer(Bytes footer);

 private:
  ParquetModules modules_;
  ParquetKey key_;
  std::uint64_t num_sealed_ = 0;
};

/// Names a module: "the header of data page 3 of column 2 in row group 0".
[[nodiscard]] std::string text_of(const ParquetPlace& place);

}  // namespace phalanx
