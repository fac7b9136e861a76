#include "tests/cluster/messages/ranks_in_memory.hpp"

#include <cstdlib>

namespace phalanx {
namespace {

const RankInMemory* current = nullptr;

}  // namespace

void set_rank_in_memory(const RankInMemory& rank) { current = &rank; }

Ranks::Ranks(int& /*argc*/, char**& /*argv*/)
    : rank_(current->rank), num_ranks_(current->num_ranks), host_("host"), launcher_(0) {}

Ranks::~Ranks() = default;

void Ranks::send(int to, Bytes bytes) {
  if (seal_) static_cast<void>(seal_->seal(to, bytes));
  current->say(to, bytes, seal_.has_value());
}

void Ranks::refuse(int from, const std::string& why) const {
  current->refuse(from, why);
  std::abort();
}

std::optional<RankMessage> Ranks::receive() {
  std::optional<RankMessage> message = current->hear();
  if (!message || !seal_) return message;
  try {
    message->bytes = seal_->open(message->from, message->bytes);
  } catch (const Error&) {
    refuse(message->from, "not authentic");
  }
  return message;
}

}  // namespace phalanx
