// phalanx.h over secret.hpp and threads.hpp: what a process gives the library, and has of it.
#include <phalanx/phalanx.h>

#include <functional>
#include <memory>
#include <phalanx/secret.hpp>
#include <phalanx/threads.hpp>

#include "engine/library/c_arguments.hpp"
#include "engine/library/c_errors.hpp"

struct phalanx_secret {
  phalanx::Secret secret;
};

namespace {

using phalanx::elements_at;
using phalanx::Error;
using phalanx::ErrorCode;
using phalanx::guarded;
using phalanx::not_null;

// A task as C takes it: called once, it goes.
void run_task(void* argument) {
  const std::unique_ptr<std::function<void()>> task(static_cast<std::function<void()>*>(argument));
  (*task)();
}

phalanx::Executor executor_of(phalanx_submit submit, void* user_data) {
  return [submit, user_data](std::function<void()> task) {
    auto owned = std::make_unique<std::function<void()>>(std::move(task));
    if (submit(user_data, run_task, owned.get()) != 0) throw Error(ErrorCode::runtime, "the executor took no task");
    static_cast<void>(owned.release());
  };
}

}  // namespace

int phalanx_secret_new(phalanx_secret** secret, std::size_t size, std::uint8_t** data) {
  return guarded([&] {
    phalanx_secret*& result = not_null(secret, "the place of what is made");
    result = nullptr;
    std::uint8_t*& bytes = not_null(data, "the place of its bytes");
    result = new phalanx_secret{phalanx::Secret(size)};
    bytes = result->secret.data();
  });
}

void phalanx_secret_free(phalanx_secret* secret) { phalanx::free_in_c(secret); }

int phalanx_random_bytes(std::uint8_t* out, std::size_t size) {
  return guarded([&] { phalanx::random_bytes(elements_at(out, size, "the output")); });
}

void phalanx_wipe(void* memory, std::size_t size) {
  if (memory != nullptr) phalanx::wipe_memory({static_cast<std::uint8_t*>(memory), size});
}

int phalanx_limit_threads(int most_threads) {
  return guarded([&] { phalanx::limit_threads(most_threads); });
}

int phalanx_set_executor(phalanx_submit submit, void* user_data) {
  return guarded([&] { phalanx::set_executor(submit == nullptr ? phalanx::Executor() : executor_of(submit, user_data)); });
}
