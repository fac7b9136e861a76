// Objects of Python that are for one thread at a time: messages by parts, and files.
#pragma once

#include <phalanx/error.hpp>

namespace phalanx {

/// A call on such an object. Made and destroyed with Python's lock, which the call gives away in between.
class SoleUse {
 public:
  /// `in_use` is the object's. Throws Error (usage) with the text `refusal` while another call has the object.
  SoleUse(bool& in_use, const char* refusal) : in_use_(in_use) {
    if (in_use) throw Error(ErrorCode::usage, refusal);
    in_use = true;
  }
  ~SoleUse() { in_use_ = false; }
  SoleUse(const SoleUse&) = delete;
  SoleUse& operator=(const SoleUse&) = delete;

 private:
  bool& in_use_;
};

/// What the objects of a message that comes by parts say.
constexpr const char* message_in_use = "another thread is using this object: give each thread its own";

}  // namespace phalanx
