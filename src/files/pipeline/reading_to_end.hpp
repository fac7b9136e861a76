// A public reader gives a plaintext from its beginning to its end, in parts of any size.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <phalanx/bytes.hpp>

#include "engine/host/process_mark.hpp"
#include "files/pipeline/staged_source.hpp"

namespace phalanx {

/// Lets a public reader fail as it failed before, once it has, and refuses a child process, since it shares the file's
/// position.
class FailingOnce {
 public:
  /// Returns what `read` returns.
  template <class Read>
  std::size_t read(const Read& read) {
    process_.require_this_process();
    if (failure_) std::rethrow_exception(failure_);
    try {
      return read();
    } catch (...) {
      failure_ = std::current_exception();
      throw;
    }
  }

 private:
  ProcessMark process_;
  std::exception_ptr failure_;
};

/// Reads as StagedSource does. Reader and stage stay the caller's. A child process is refused, since it shares the file's
/// position. After a failure each call fails in the same way: what was read is neither whole nor checked, and the source may
/// stand anywhere.
class ReadingToEnd {
 public:
  ReadingToEnd(PieceReader& reader, PipelineStage& stage) : plaintext_(reader, stage) {}

  /// Calls `at_end` once, when all was read. An exception from it is a failure, too.
  std::size_t read(MutableBytes out, const std::function<void()>& at_end);

 private:
  std::size_t read_on(MutableBytes out, const std::function<void()>& at_end);

  FailingOnce reading_;
  StagedSource plaintext_;
};

}  // namespace phalanx
