// What Python gives to follow a long call.
#pragma once

#include <nanobind/nanobind.h>

#include <exception>
#include <phalanx/error.hpp>
#include <phalanx/files/cancellation.hpp>
#include <utility>

namespace phalanx {

namespace nb = nanobind;

/// Calls a function of Python from any thread. What it raises ends the run, and is raised again afterwards.
class ProgressCallback {
 public:
  explicit ProgressCallback(nb::object function) : function_(std::move(function)) {}

  [[nodiscard]] OnProgress on_progress() {
    if (function_.is_none()) return {};
    return [this](std::uint64_t num_bytes) { call([&] { function_(num_bytes); }, "on_progress raised an exception"); };
  }

  /// Calls a function of Python in a run, as on_progress is called.
  template <class Function>
  void call(const Function& function, const char* raised) {
    const nb::gil_scoped_acquire acquired;
    try {
      function();
    } catch (nb::python_error&) {
      raised_ = std::current_exception();
      cancellation_.cancel();
    }
    if (raised_) throw Error(ErrorCode::runtime, raised);
  }

  /// Cancelled where the function raised.
  [[nodiscard]] const Cancellation& cancellation() const { return cancellation_; }

  /// Runs the work without Python's lock.
  template <class Work>
  void run(const Work& work) {
    try {
      const nb::gil_scoped_release released;
      work();
    } catch (const Error&) {
      if (!raised_) throw;
    }
    if (raised_) std::rethrow_exception(std::exchange(raised_, nullptr));
  }

 private:
  nb::object function_;
  std::exception_ptr raised_;
  Cancellation cancellation_;
};

}  // namespace phalanx
