// Memory of Python's objects, without copies: whatever has the buffer protocol and lies in one piece.
#pragma once

#include <nanobind/nanobind.h>

#include <phalanx/catalog.hpp>
#include <string>
#include <utility>
#include <vector>

namespace phalanx {

namespace nb = nanobind;

/// The bytes of an object while this lives. `what` names the argument in messages: "data", "the key". Throws BindingError:
/// buffer_type, read_only, stride.
class HeldBuffer {
 public:
  HeldBuffer() = default;
  HeldBuffer(nb::handle object, const char* what, bool writable = false);
  ~HeldBuffer() { release(); }
  HeldBuffer(HeldBuffer&& other) noexcept : view_(other.view_), held_(other.held_) { other.held_ = false; }
  HeldBuffer(const HeldBuffer&) = delete;
  HeldBuffer& operator=(const HeldBuffer&) = delete;
  HeldBuffer& operator=(HeldBuffer&& other) noexcept {
    std::swap(view_, other.view_);
    std::swap(held_, other.held_);
    return *this;
  }

  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(view_.len); }
  [[nodiscard]] Bytes bytes() const { return {static_cast<const std::uint8_t*>(view_.buf), size()}; }
  [[nodiscard]] MutableBytes mutable_bytes() const { return {static_cast<std::uint8_t*>(view_.buf), size()}; }
  /// The first dimension of an array with two of them, which is a table of rows; else 0.
  [[nodiscard]] std::size_t num_rows() const;
  /// How long each element is of an array with one dimension and NumPy's type S or V, texts of one size; else 0.
  [[nodiscard]] std::size_t text_bytes() const;

 private:
  void release();

  Py_buffer view_{};
  bool held_ = false;
};

/// Whether it is an array of NumPy or of its like, in memory of the host.
[[nodiscard]] bool is_host_array(nb::handle object);

/// An argument that may be left out: None is no bytes.
inline HeldBuffer hold_optional(nb::handle object, const char* what) {
  return object.is_none() ? HeldBuffer() : HeldBuffer(object, what);
}

/// Whether an element of a column is none: None, and what pandas and pyarrow have in its place (NA, NaN, a null).
[[nodiscard]] bool is_missing(nb::handle element);

/// What rows are.
enum class RowKind {
  buffers,      ///< each is there
  may_miss,     ///< or is not, for a message that is not there
  of_one_size,  ///< the same; and each is as long as the others, so that they may be an array of NumPy's type S or V
};

/// Many buffers, one for each message: a sequence of objects, or an array with two dimensions, each row of which is one.
class HeldRows {
 public:
  /// Throws BindingError, which names the row that does not fit.
  HeldRows(nb::handle object, const char* what, bool writable = false, RowKind kind = RowKind::buffers);

  [[nodiscard]] std::size_t size() const { return num_rows_; }
  /// Whether nothing was given for a row, or for any.
  [[nodiscard]] bool is_missing(std::size_t row) const { return !missing_.empty() && missing_[row]; }
  [[nodiscard]] bool misses_some() const { return !missing_.empty(); }
  [[nodiscard]] Bytes bytes(std::size_t row) const {
    return is_table_ ? table_.bytes().subspan(row * row_bytes_, row_bytes_) : buffers_[row].bytes();
  }
  [[nodiscard]] MutableBytes mutable_bytes(std::size_t row) const {
    return is_table_ ? table_.mutable_bytes().subspan(row * row_bytes_, row_bytes_) : buffers_[row].mutable_bytes();
  }

 private:
  bool is_table_ = false;
  HeldBuffer table_;
  std::size_t row_bytes_ = 0;
  void hold_table(nb::handle object, const char* what, bool writable, RowKind kind);
  void hold_each(nb::handle object, const char* what, bool writable, RowKind kind);

  std::size_t num_rows_ = 0;
  std::vector<HeldBuffer> buffers_;
  std::vector<bool> missing_;  // of each row; empty where none is
};

/// Rows that may be left out.
class OptionalRows {
 public:
  /// Throws BindingError (size) unless there are num_messages of them.
  OptionalRows(nb::handle object, const char* what, std::size_t num_messages, RowKind kind = RowKind::may_miss);
  /// As check_row_sizes; of rows that were left out, says nothing.
  void check_sizes(const char* what, std::size_t num_bytes, const HeldRows& messages) const;
  [[nodiscard]] Bytes bytes(std::size_t row) const { return rows_.empty() ? Bytes() : rows_[0].bytes(row); }

 private:
  std::vector<HeldRows> rows_;  // one, or none
};

/// Throws BindingError (size) for a row of another size than `num_bytes`, unless its message is not there.
void check_row_sizes(const HeldRows& rows, const char* what, std::size_t num_bytes, const HeldRows& messages);

/// Throws BindingError (size) for a row that is not there though its message is.
void check_rows_are_there(const HeldRows& rows, const char* what, const HeldRows& messages);

/// Throws BindingError (size) unless there is one row for each message.
void check_num_rows(std::size_t num_rows, const char* what, std::size_t num_messages);

/// Throws BindingError (overlap) where the two share memory and do not begin at the same place.
void check_overlap(Bytes in, Bytes out);

/// Throws BindingError (overlap) where the two share memory. `names` says what they are.
void check_disjoint(Bytes a, Bytes b, const char* names);

/// Where the messages of a batch are written, which is at once.
class DisjointTargets {
 public:
  /// Throws BindingError (overlap) where two share memory.
  explicit DisjointTargets(std::vector<Bytes> targets);

  /// Throws BindingError (overlap) where what is read shares memory with a target. `own`: the message's own target, at whose
  /// beginning it may lie.
  void check(Bytes read, Bytes own) const;

 private:
  std::vector<Bytes> targets_;  // by address
};

/// Throws BindingError (size) where `out` has fewer bytes than are to be written.
void check_room(std::size_t needed_bytes, Bytes out);

/// A new bytes object, whose memory is still to be written.
struct NewBytes {
  nb::bytes object;
  MutableBytes memory;
};
[[nodiscard]] NewBytes new_bytes(std::size_t num_bytes);

/// Lets other threads run Python meanwhile where the work takes long enough to be worth it.
template <class Work>
void run_work(std::size_t num_bytes, const Work& work) {
  // Below, giving the lock away and taking it again costs more than others gain: docs/python.md has the measurement.
  constexpr std::size_t least_bytes = 2048;
  if (num_bytes < least_bytes) return work();
  const nb::gil_scoped_release released;
  work();
}

}  // namespace phalanx
