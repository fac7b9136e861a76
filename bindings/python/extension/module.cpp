// The extension phalanx._native: the library's classes for Python. The package around it is bindings/python/phalanx.
#include "arguments/errors.hpp"
#include "arguments/explained.hpp"
#include "arguments/secret.hpp"
#include "messages/cipher.hpp"

NB_MODULE(_native, module) {
  using namespace phalanx;
  nanobind::set_leak_warnings(false);  // of objects that the interpreter never clears: of no interest to users
  module.doc() = "Phalanx's extension module. Import phalanx, which has all that is public.";
  bind_errors(module);
  bind_argument_names(module);
  bind_secret(module);
  bind_catalog(module);
  bind_cipher(module);
  bind_sectors(module);
  bind_aead(module);
  bind_chunked(module);
  bind_binding(module);
  bind_containers(module);
  bind_files(module);
  bind_foreign(module);
  bind_parquet(module);
  bind_tree_index(module);
  bind_trees(module);
  bind_sealed_trees(module);
  bind_gcm_stream(module);
  bind_byte_feedback(module);
  bind_program(module);
  bind_device(module);
  bind_device_aead(module);
}
