#include "files/system/input_watch.hpp"

#include <phalanx/error.hpp>
#include <utility>

namespace phalanx {
namespace {

// The file may grow so many times after its end was reached.
constexpr int most_growths = 8;

}  // namespace

InputWatch::InputWatch(Input& input, InputChanges changes) : input_(input), changes_(std::move(changes)) {
  input_.look_again();
  first_ = FileStamp(input_.status());
  is_file_ = S_ISREG(input_.status().st_mode);
}

void InputWatch::begin() {
  if (is_file_) position_ = input_.position();
  const std::optional<std::uint64_t> num_bytes = input_.remaining_bytes();
  is_seekable_ = num_bytes.has_value();
  num_bytes_ = num_bytes.value_or(0);
}

std::uint64_t InputWatch::bytes_there() const {
  const auto size = static_cast<std::uint64_t>(stamp_of(input_.descriptor(), input_.name()).size);
  return size > position_ ? size - position_ : 0;
}

bool InputWatch::has_grown() {
  const std::lock_guard lock(mutex_);
  if (is_settled_) return false;
  const std::uint64_t now = is_file_ && num_growths_ < most_growths ? bytes_there() : 0;
  if (now > num_bytes_) {
    ++num_growths_;
    num_bytes_ = now;
    return true;
  }
  is_settled_ = true;
  return false;
}

void InputWatch::settle() {
  static_cast<void>(has_grown());
  is_settled_ = true;
}

void InputWatch::settle_at(std::uint64_t num_bytes) {
  settle();
  if (num_bytes_ > num_bytes) num_bytes_ = num_bytes;
}

std::string InputWatch::describe_growth(const FileStamp& now) const {
  const std::uint64_t end = input_.position();
  const auto size = static_cast<std::uint64_t>(now.size);
  const std::string left = end < size ? "; its last " + std::to_string(size - end) + " bytes came too late for OUT" : "";
  return input_.name() + " grew while it was read: what was read before may have changed too" + left;
}

void InputWatch::refuse(const std::string& what) const {
  const std::string or_allow = changes_.setting.empty() ? "" : ", or take it as it comes with " + changes_.setting;
  throw Error(ErrorCode::runtime,
              input_.name() + what + " while it was read: do it again when nobody writes to it" + or_allow);
}

void InputWatch::lose(std::uint64_t num_bytes) {
  if (!changes_.allowed) refuse(" became shorter");
  lost_bytes_ += num_bytes;
}

std::string InputWatch::judge() {
  if (!is_file_) return "";
  const FileStamp now = stamp_of(input_.descriptor(), input_.name());
  if (now == first_ || (now.size == 0 && first_.size == 0)) return "";
  grew_ = now.size > first_.size;
  if (grew_ && lost_bytes_ == 0) return describe_growth(now);
  const bool is_same_content_perhaps = now.size == first_.size && are_equal(now.modified, first_.modified);
  const std::string what = now.size < first_.size    ? " became shorter"
                           : is_same_content_perhaps ? " was changed, or renamed, or its links or permissions were,"
                                                     : " was changed";
  if (!changes_.allowed) refuse(what);
  const std::string lost =
      lost_bytes_ == 0 ? "" : "; " + std::to_string(lost_bytes_) + " bytes that had gone are zeros in OUT";
  return input_.name() + what + " while it was read: what was read is of several moments" + lost;
}

}  // namespace phalanx
