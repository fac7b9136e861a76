#include <openssl/rand.h>

#include <atomic>
#include <phalanx/error.hpp>

#include "engine/host/host.hpp"
#include "engine/host/libcrypto.hpp"
#include "engine/host/process_mark.hpp"

namespace phalanx {
namespace {

[[noreturn]] void fail_random() {
  throw Error(ErrorCode::runtime, "libcrypto's random generator failed; check the system's entropy source");
}

// libcrypto knows a child by its process number. A child in a namespace of its own may share that with its parent, and
// a child that comes late with a process that is gone. Both processes would draw the same bytes. All generators take
// new seeds once the first has.
void seed_after_fork() {
  static std::atomic<std::uint64_t> seeded_generation{0};
  const std::uint64_t generation = process_generation();
  if (seeded_generation.load() == generation) [[likely]]
    return;
  if (RAND_poll() != 1) fail_random();
  seeded_generation = generation;
}

}  // namespace

void fill_random(MutableBytes out) {
  require_libcrypto();
  seed_after_fork();
  if (RAND_priv_bytes_ex(nullptr, out.data(), out.size(), 0) != 1) fail_random();
}

}  // namespace phalanx
