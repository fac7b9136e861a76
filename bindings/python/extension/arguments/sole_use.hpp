// Objects of Python that are for one thread at a time: messages by parts, and files.
#pragma once

#include <phalanx/error.hpp>

#include "arguments/errors.hpp"
#include "engine/host/process_mark.hpp"

namespace phalanx {

/// Throws BindingError (fork) in a process that was forked since the mark was made.
inline void require_own_process(const ProcessMark& process) {
  if (process.is_of_this_process()) [[likely]]
    return;
  throw BindingError(
      BindingErrorKind::fork,
      "this was begun by the process that this one was forked from, which goes on with it: begin another one here");
}

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

/// Whether a message by parts can go on. It is over with its end, and with a call that failed within: how far that came is
/// not known, and what followed would be garbage, or a nonce used twice. So it would in a process that was forked meanwhile.
class MessageLife {
 public:
  /// Throws Error (usage) if the message is over, and BindingError (fork) if it is another process's.
  void require() const {
    require_own_process(process_);
    if (is_over_) throw Error(ErrorCode::usage, "the message is finished, or failed: make a new object for the next one");
  }
  void end() { is_over_ = true; }

  /// Calls a function, after which the message goes on unless it throws.
  template <class Function>
  void survive(const Function& function) {
    require();
    is_over_ = true;
    function();
    is_over_ = false;
  }

 private:
  ProcessMark process_;
  bool is_over_ = false;
};

}  // namespace phalanx
