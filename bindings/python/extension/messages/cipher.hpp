// The class Cipher of Python.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <mutex>
#include <phalanx/aead.hpp>
#include <phalanx/cipher.hpp>
#include <phalanx/files/padding.hpp>
#include <string>
#include <vector>

#include "engine/secrets/secret_bytes.hpp"

namespace phalanx {

namespace nb = nanobind;

/// A Cipher and, once it meets data in a GPU's memory, a DeviceCipher under the same key.
class PythonCipher {
 public:
  PythonCipher(const std::string& name, Bytes key, const EngineOptions& options, const CipherPolicy& policy);
  ~PythonCipher();  ///< waits for the work of a GPU
  PythonCipher(const PythonCipher&) = delete;
  PythonCipher& operator=(const PythonCipher&) = delete;

  /// Throws BindingError (fork) where it runs on a GPU that this process cannot use.
  [[nodiscard]] const Cipher& host() const;
  /// The same for objects that outlive this one.
  [[nodiscard]] std::shared_ptr<const Cipher> shared_host() const;
  [[nodiscard]] const CipherFacts& facts() const { return host_->facts(); }
  [[nodiscard]] const std::string& engine() const { return host_->engine(); }
  [[nodiscard]] const DeviceCipher& device() const;

 private:
  std::shared_ptr<const Cipher> host_;
  SecretBytes key_;
  EngineOptions options_;
  CipherPolicy policy_;
  bool runs_on_gpu_;
  mutable std::once_flag made_device_;
  mutable std::unique_ptr<const DeviceCipher> device_;
};

/// The options of Python's arguments. Throws as note_engine.
[[nodiscard]] EngineOptions make_options(const std::string& engine, int num_threads);

/// `padding` is a name, or None where the mode has none. Throws Error (usage) where ECB or CBC is not told, and where any
/// other mode is told to pad.
[[nodiscard]] Padding padding_of(const CipherFacts& facts, nb::handle padding);

/// What Cipher, SectorCipher and Aead alike say of themselves.
template <class Keyed>
void bind_facts(nb::class_<Keyed>& bound, const char* class_name) {
  bound
      .def_prop_ro(
          "name", [](const Keyed& self) { return self.facts().name; }, "The canonical name, cipher-mode.")
      .def_prop_ro(
          "engine", [](const Keyed& self) { return self.engine(); }, "What runs it: \"cpu:avx2\".")
      .def_prop_ro(
          "key_bytes", [](const Keyed& self) { return self.facts().key_bytes; }, "The key's size in bytes.")
      .def("__repr__", [class_name](const Keyed& self) {
        return std::string(class_name) + "('" + self.facts().name + "', engine='" + self.engine() + "')";
      });
}

void bind_cipher(nb::module_& module);
void bind_parts(nb::class_<PythonCipher>& cipher);
void bind_batches(nb::class_<PythonCipher>& cipher);
void bind_sectors(nb::module_& module);
void bind_incremental(nb::module_& module, nb::class_<PythonCipher>& cipher);
void bind_aead(nb::module_& module);
void bind_random_nonces(nb::class_<Aead>& aead);
/// Raises AuthenticationError, which names the messages of a batch that are not authentic.
[[noreturn]] void fail_not_authentic(const std::vector<std::size_t>& failed, std::size_t num_messages);
void bind_catalog(nb::module_& module);
void bind_chunked(nb::module_& module);
void bind_binding(nb::module_& module);
void bind_containers(nb::module_& module);
void bind_files(nb::module_& module);
void bind_foreign(nb::module_& module);
void bind_volumes(nb::module_& module);
void bind_parquet(nb::module_& module);
void bind_tree_index(nb::module_& module);
void bind_trees(nb::module_& module);
void bind_sealed_trees(nb::module_& module);
void bind_gcm_stream(nb::module_& module);
void bind_byte_feedback(nb::module_& module);
void bind_program(nb::module_& module);
void bind_device(nb::module_& module);
void bind_device_aead(nb::module_& module);

}  // namespace phalanx
