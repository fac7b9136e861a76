// The library's threads in a process that has others. Any thread may call any of it, at any time; what runs already goes on
// as it began.
#pragma once

#include <phalanx/version.h>

#include <functional>

#pragma GCC visibility push(default)
namespace phalanx {
inline namespace PHALANX_VERSION_NAMESPACE {

/// At most so many threads do the work of one call, the caller's own among them; whatever EngineOptions::num_threads says.
/// 0: as many as the process may use, as it is without this call. With 1 no thread is made. Throws Error (usage) below 0.
void limit_threads(int most_threads);

/// Runs a task on some thread, now or later, once or not at all. It may throw: the task is then not run.
using Executor = std::function<void(std::function<void()> task)>;

/// Work goes to the caller's threads from now on, and the library makes none for it: each call offers tasks and works
/// itself, so that all is done even if no task ever runs. A task that runs after its call is over returns at once; one that
/// runs before works until nothing is left, and may wait for other tasks that run, but never for one that does not. Tasks
/// throw nothing. An empty executor: the library's own threads again. The child of a fork has the same executor; if its
/// threads are gone there, calls work alone. Threads that wait for GPUs, one for each, stay the library's.
void set_executor(Executor executor);

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx
#pragma GCC visibility pop
