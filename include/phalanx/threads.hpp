// This header controls the library's threads in a process that has others. Any thread may call any of it, at any time. A
// call that is at work already goes on as it began.
#pragma once

#include <phalanx/version.h>

#include <functional>

#pragma GCC visibility push(default)
namespace phalanx {
inline namespace PHALANX_VERSION_NAMESPACE {

/// Lets at most so many threads do the work of one call, whatever EngineOptions::num_threads says. The caller's own thread
/// is one of them. 0 means as many as the process may use, which is the default. With 1 no thread is made. Throws Error
/// (usage) below 0.
void limit_threads(int most_threads);

/// Runs a task on some thread, now or later, once or not at all. If it throws, the task is not run.
using Executor = std::function<void(std::function<void()> task)>;

/// Hands work to the caller's threads from now on, and the library makes none for it. Each call offers tasks and works
/// itself, so that all is done even if no task ever runs. A task that runs after its call is over returns at once. A task
/// that runs before works until nothing is left. It may wait for other tasks that run, but never for one that does not.
/// Tasks throw nothing. With an empty executor the library's own threads work again. The child of a fork has the same
/// executor; if its threads are gone there, calls work alone. The library keeps its own threads that wait for GPUs, one for
/// each.
void set_executor(Executor executor);

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx
#pragma GCC visibility pop
