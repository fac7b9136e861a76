// The extension phalanx._native: the library's classes for Python. The package around it is bindings/python/phalanx.
#include <atomic>
#include <cstdint>

#include "arguments/errors.hpp"
#include "arguments/explained.hpp"
#include "arguments/secret.hpp"
#include "messages/cipher.hpp"

NB_MODULE(_native_of_one_interpreter, module) {
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
  bind_volumes(module);
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

// The classes of an extension are one interpreter's: another one's import would take them from the first, whose objects then fit no class
// any more. So the first that imports phalanx has it to the end of the process.
extern "C" NB_EXPORT PyObject* PyInit__native(void) {
  static std::atomic<std::int64_t> first_interpreter{-1};
  const std::int64_t own = PyInterpreterState_GetID(PyInterpreterState_Get());
  std::int64_t first = -1;
  if (first_interpreter.compare_exchange_strong(first, own) || first == own) return PyInit__native_of_one_interpreter();
  PyErr_SetString(
      PyExc_ImportError,
      "phalanx serves one interpreter of a process, and another one has imported it: import it there, or in a process "
      "of its own");
  return nullptr;
}
