#include "devices/device_arrays.hpp"

#include "arguments/buffer.hpp"

namespace phalanx {
namespace {

// Whether an object gives memory of the host by the buffer protocol. CuPy and JAX have its functions, which then refuse.
bool gives_a_buffer(nb::handle object) {
  if (PyBytes_CheckExact(object.ptr()) || PyByteArray_CheckExact(object.ptr())) return true;
  Py_buffer view;
  if (PyObject_CheckBuffer(object.ptr()) == 0) return false;
  if (PyObject_GetBuffer(object.ptr(), &view, PyBUF_FULL_RO) != 0) {
    PyErr_Clear();
    return false;
  }
  PyBuffer_Release(&view);
  return true;
}

}  // namespace

bool speaks_of_devices(nb::handle object) {
  return !gives_a_buffer(object) && !is_host_array(object) &&
         (nb::hasattr(object, "__dlpack__") || nb::hasattr(object, "__cuda_array_interface__"));
}

nb::object devices() { return nb::module_::import_("phalanx.devices"); }

}  // namespace phalanx
