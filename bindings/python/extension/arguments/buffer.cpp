#include "arguments/buffer.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "arguments/errors.hpp"

namespace phalanx {
namespace {

std::string class_name_of(nb::handle object) { return nb::cast<std::string>(nb::str(object.type().attr("__name__"))); }

bool get_view(nb::handle object, Py_buffer& view, int flags) {
  if (PyObject_GetBuffer(object.ptr(), &view, flags) == 0) return true;
  PyErr_Clear();
  return false;
}

// Why get_view refused.
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

// An array of Python's objects lies in one piece, but what lies there are addresses. A format has the names of fields between
// colons (PEP 3118), in which any letter may stand.
bool holds_addresses(const Py_buffer& view) {
  bool in_name = false;
  for (const char* c = view.format; c != nullptr && *c != '\0'; ++c) {
    if (*c == ':') in_name = !in_name;
    if (!in_name && std::strchr("OP&", *c) != nullptr) return true;
  }
  return false;
}

// NumPy gives no buffer of dates and of types that others define: their bytes as an array. Nothing where it has none.
nb::object bytes_of_array(nb::handle object, const std::string& what) {
  if (!is_host_array(object)) return {};
  try {
    const nb::object flags = object.attr("flags");
    if (nb::cast<bool>(flags.attr("c_contiguous")) || nb::cast<bool>(flags.attr("f_contiguous"))) {
      return object.attr("ravel")("K").attr("view")("u1");  // "K": in the order of memory, so without a copy
    }
  } catch (const nb::python_error&) {  // not NumPy's, or of objects
    return {};
  }
  throw BindingError(BindingErrorKind::stride, what + " does not lie in one piece: give a contiguous copy of it");
}

// An array of Python's objects with one dimension, which is taken as a list of them.
bool is_array_of_objects(nb::handle object) {
  Py_buffer view;
  if (!get_view(object, view, PyBUF_FULL_RO)) return false;
  const bool holds_objects = view.ndim == 1 && view.format != nullptr && std::strcmp(view.format, "O") == 0;
  PyBuffer_Release(&view);
  return holds_objects;
}

bool share_memory(Bytes a, Bytes b) {
  return !a.empty() && !b.empty() && a.data() < b.data() + b.size() && b.data() < a.data() + a.size();
}

}  // namespace

HeldBuffer::HeldBuffer(nb::handle object, const char* what, bool writable) {
  const int flags = PyBUF_ANY_CONTIGUOUS | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0);
  if (!get_view(object, view_, flags)) {
    const nb::object its_bytes = bytes_of_array(object, what);
    if (!its_bytes.is_valid()) fail_no_view(object, what, writable);
    if (!get_view(its_bytes, view_, flags)) fail_no_view(its_bytes, what, writable);
  }
  held_ = true;
  if (holds_addresses(view_)) {
    release();
    throw BindingError(BindingErrorKind::buffer_type,
                       std::string(what) + " holds Python's objects, not bytes: give a list of them, or an array of bytes");
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

std::size_t HeldBuffer::text_bytes() const {
  const bool has_one_dimension = view_.ndim == 1 && view_.format != nullptr;
  if (!has_one_dimension) return 0;
  const char* letter = view_.format;
  while (*letter >= '0' && *letter <= '9') ++letter;
  const bool is_text = (letter[0] == 's' || letter[0] == 'x') && letter[1] == '\0';
  return is_text ? static_cast<std::size_t>(view_.itemsize) : 0;
}

bool is_host_array(nb::handle object) {
  return nb::hasattr(object, "__array_interface__") && !nb::hasattr(object, "__cuda_array_interface__");
}

bool is_missing(nb::handle element) {
  if (element.is_none()) return true;
  if (PyFloat_Check(element.ptr()) != 0) return std::isnan(PyFloat_AsDouble(element.ptr()));
  if (class_name_of(element) == "NAType") return true;
  return nb::hasattr(element, "is_valid") && nb::hasattr(element, "as_py") &&
         element.attr("is_valid").is(nb::handle(Py_False));
}

HeldRows::HeldRows(nb::handle object, const char* what, bool writable, RowKind kind)
    : is_table_(PyObject_CheckBuffer(object.ptr()) != 0 && !is_array_of_objects(object)) {
  if (is_table_) {
    hold_table(object, what, writable, kind);
  } else {
    hold_each(object, what, writable, kind);
  }
}

void HeldRows::hold_table(nb::handle object, const char* what, bool writable, RowKind kind) {
  table_ = HeldBuffer(object, what, writable);
  num_rows_ = table_.num_rows();
  const std::size_t text_bytes = table_.text_bytes();
  if (text_bytes != 0 && kind == RowKind::of_one_size) num_rows_ = table_.size() / text_bytes;
  if (num_rows_ == 0 && table_.size() != 0) {
    throw BindingError(BindingErrorKind::stride,
                       std::string(what) +
                           (text_bytes != 0 ? " is an array of NumPy's type S or V, which does not tell how long each is: "
                                            : " is one buffer, and one for each message is wanted: ") +
                           "give a list of them, or an array with two dimensions");
  }
  row_bytes_ = num_rows_ == 0 ? 0 : table_.size() / num_rows_;
}

void HeldRows::hold_each(nb::handle object, const char* what, bool writable, RowKind kind) {
  const nb::object sequence = nb::steal(PySequence_Tuple(object.ptr()));
  if (!sequence.is_valid()) {
    PyErr_Clear();
    throw BindingError(BindingErrorKind::buffer_type, std::string(what) + " is a " + class_name_of(object) +
                                                          ": give a list of buffers, or an array with two dimensions");
  }
  num_rows_ = nb::len(sequence);
  buffers_.reserve(num_rows_);
  for (std::size_t row = 0; row < num_rows_; ++row) {
    const nb::handle element(PyTuple_GetItem(sequence.ptr(), static_cast<Py_ssize_t>(row)));
    const bool may_miss = kind != RowKind::buffers;
    if (!(may_miss && element.is_none())) {
      try {
        buffers_.emplace_back(element, what, writable);
        continue;
      } catch (const BindingError&) {
        const std::string which = std::string(what) + "[" + std::to_string(row) + "]";
        if (!may_miss || !phalanx::is_missing(element)) HeldBuffer(element, which.c_str(), writable);
      }
    }
    buffers_.emplace_back();
    missing_.resize(num_rows_);
    missing_[row] = true;
  }
}

OptionalRows::OptionalRows(nb::handle object, const char* what, std::size_t num_messages, RowKind kind) {
  if (object.is_none()) return;
  rows_.emplace_back(object, what, false, kind);
  check_num_rows(rows_[0].size(), what, num_messages);
}

void OptionalRows::check_sizes(const char* what, std::size_t num_bytes, const HeldRows& messages) const {
  if (!rows_.empty()) check_row_sizes(rows_[0], what, num_bytes, messages);
}

void check_row_sizes(const HeldRows& rows, const char* what, std::size_t num_bytes, const HeldRows& messages) {
  check_rows_are_there(rows, what, messages);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const std::size_t size = rows.bytes(row).size();
    if (size == num_bytes || messages.is_missing(row)) continue;
    throw BindingError(BindingErrorKind::size, std::string(what) + "[" + std::to_string(row) + "] has " +
                                                   std::to_string(size) + " bytes, and " + std::to_string(num_bytes) +
                                                   " are wanted");
  }
}

void check_rows_are_there(const HeldRows& rows, const char* what, const HeldRows& messages) {
  if (!rows.misses_some()) return;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (!rows.is_missing(row) || messages.is_missing(row)) continue;
    throw BindingError(BindingErrorKind::buffer_type,
                       std::string(what) + "[" + std::to_string(row) + "] is None, and its message is there");
  }
}

void check_num_rows(std::size_t num_rows, const char* what, std::size_t num_messages) {
  if (num_rows == num_messages) return;
  throw BindingError(BindingErrorKind::size, "there are " + std::to_string(num_messages) + " messages, and " + what +
                                                 " are for " + std::to_string(num_rows));
}

void check_overlap(Bytes in, Bytes out) {
  if (in.data() != out.data() && share_memory(in, out)) {
    throw BindingError(BindingErrorKind::overlap,
                       "source and target overlap in part: give the same memory for both, or memory that is disjoint");
  }
}

void check_disjoint(Bytes a, Bytes b, const char* names) {
  if (share_memory(a, b)) {
    throw BindingError(BindingErrorKind::overlap, std::string(names) + " overlap: give memory that is disjoint");
  }
}

DisjointTargets::DisjointTargets(std::vector<Bytes> targets) : targets_(std::move(targets)) {
  std::erase_if(targets_, [](Bytes target) { return target.empty(); });
  std::ranges::sort(targets_, {}, &Bytes::data);
  for (std::size_t i = 1; i < targets_.size(); ++i) {
    check_disjoint(targets_[i - 1], targets_[i], "the targets of two messages");
  }
}

void DisjointTargets::check(Bytes read, Bytes own) const {
  if (targets_.empty() || read.empty()) return;
  // The first that ends behind its beginning; those before it do not reach it.
  auto target =
      std::ranges::lower_bound(targets_, read.data() + 1, {}, [](Bytes written) { return written.data() + written.size(); });
  for (; target != targets_.end() && target->data() < read.data() + read.size(); ++target) {
    if (target->data() == own.data() && read.data() == own.data()) continue;
    throw BindingError(BindingErrorKind::overlap,
                       "what is read for one message overlaps where another one is written: give memory that is disjoint");
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
