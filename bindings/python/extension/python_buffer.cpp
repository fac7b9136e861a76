#include "python_buffer.hpp"

#include <nanobind/stl/string.h>

#include <cstring>

#include "python_errors.hpp"

namespace phalanx {
namespace {

std::string class_name_of(nb::handle object) { return nb::cast<std::string>(nb::str(object.type().attr("__name__"))); }

bool get_view(nb::handle object, Py_buffer& view, int flags) {
  if (PyObject_GetBuffer(object.ptr(), &view, flags) == 0) return true;
  PyErr_Clear();
  return false;
}

/// Why get_view refused.
[[noreturn]] void fail_no_view(nb::handle object, const std::string& what, bool writable) {
  Py_buffer view;
  if (!get_view(object, view, PyBUF_FULL_RO)) {
    throw BindingError(BindingErrorKind::buffer_type, what + " is a " + class_name_of(object) +
                                                          ", which gives no bytes: give bytes, a bytearray, a memoryview, "
                                                          "an array or another object with the buffer protocol");
  }
  const bool is_read_only = view.readonly != 0;
  PyBuffer_Release(&view);
  if (writable && is_read_only) {
    throw BindingError(BindingErrorKind::read_only, what + " is a " + class_name_of(object) +
                                                        " that cannot be written: give a bytearray or a writable array");
  }
  throw BindingError(BindingErrorKind::stride, what + " does not lie in one piece: give a contiguous copy of it");
}

/// An array of Python's objects lies in one piece, but what lies there are addresses.
bool holds_addresses(const Py_buffer& view) {
  return view.format != nullptr && (std::strpbrk(view.format, "OP&") != nullptr);
}

}  // namespace

HeldBuffer::HeldBuffer(nb::handle object, const char* what, bool writable) {
  const int flags = PyBUF_ANY_CONTIGUOUS | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0);
  if (!get_view(object, view_, flags)) fail_no_view(object, what, writable);
  held_ = true;
  if (holds_addresses(view_)) {
    release();
    throw BindingError(BindingErrorKind::buffer_type, std::string(what) + " holds Python's objects, not bytes");
  }
}

void HeldBuffer::release() {
  if (held_) PyBuffer_Release(&view_);
  held_ = false;
}

std::size_t HeldBuffer::num_rows() const {
  if (view_.ndim != 2 || view_.shape == nullptr || PyBuffer_IsContiguous(&view_, 'C') == 0) return 0;
  return static_cast<std::size_t>(view_.shape[0]);
}

HeldRows::HeldRows(nb::handle object, const char* what, bool writable) : is_table_(PyObject_CheckBuffer(object.ptr()) != 0) {
  if (is_table_) {
    table_ = HeldBuffer(object, what, writable);
    num_rows_ = table_.num_rows();
    if (num_rows_ == 0 && table_.size() != 0) {
      throw BindingError(BindingErrorKind::stride, std::string(what) +
                                                       " is one buffer, and one for each message is wanted: "
                                                       "give a list of them, or an array with two dimensions");
    }
    row_bytes_ = num_rows_ == 0 ? 0 : table_.size() / num_rows_;
    return;
  }
  const nb::object sequence = nb::steal(PySequence_Tuple(object.ptr()));
  if (!sequence.is_valid()) {
    PyErr_Clear();
    throw BindingError(BindingErrorKind::buffer_type, std::string(what) + " is a " + class_name_of(object) +
                                                          ": give a list of buffers, or an array with two dimensions");
  }
  num_rows_ = nb::len(sequence);
  buffers_.reserve(num_rows_);
  for (std::size_t row = 0; row < num_rows_; ++row) {
    buffers_.emplace_back(nb::handle(PyTuple_GetItem(sequence.ptr(), static_cast<Py_ssize_t>(row))), what, writable);
  }
}

OptionalRows::OptionalRows(nb::handle object, const char* what, std::size_t num_messages) {
  if (object.is_none()) return;
  rows_.emplace_back(object, what);
  if (rows_[0].size() != num_messages) {
    throw BindingError(BindingErrorKind::size, "there are " + std::to_string(num_messages) + " messages, and " + what +
                                                   " are for " + std::to_string(rows_[0].size()));
  }
}

void check_overlap(Bytes in, Bytes out) {
  if (in.data() == out.data() || in.empty() || out.empty()) return;
  if (in.data() < out.data() + out.size() && out.data() < in.data() + in.size()) {
    throw BindingError(BindingErrorKind::overlap,
                       "source and target overlap in part: give the same memory for both, or memory that is disjoint");
  }
}

void check_room(std::size_t needed_bytes, Bytes out) {
  if (out.size() >= needed_bytes) return;
  throw BindingError(BindingErrorKind::size, "the target has " + std::to_string(out.size()) + " bytes, and " +
                                                 std::to_string(needed_bytes) + " are to be written");
}

NewBytes new_bytes(std::size_t num_bytes) {
  PyObject* made = PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(num_bytes));
  if (made == nullptr) throw nb::python_error();
  return {nb::steal<nb::bytes>(made), {reinterpret_cast<std::uint8_t*>(PyBytes_AsString(made)), num_bytes}};
}

}  // namespace phalanx
