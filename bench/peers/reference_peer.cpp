// The plain reference of this repository, as a contender: the oracle.
#include <algorithm>

#include "bench/measuring/contender.hpp"
#include "reference/reference.hpp"

namespace phalanx::bench {
namespace {

void crypt_plainly(const Task& task, const TaskMessage& message) {
  const std::string name = full_name(task.cipher);
  const bool gcm = task.cipher.mode == Mode::gcm;
  std::vector<std::uint8_t> in(message.in.begin(), message.in.end());
  if (gcm && task.direction == Direction::decrypt) in.insert(in.end(), message.tag.begin(), message.tag.end());
  const auto out = reference::crypt(name, task.direction, message.key, message.iv, in);
  std::copy_n(out.begin(), message.out.size(), message.out.begin());
  if (gcm && task.direction == Direction::encrypt) {
    std::copy(out.begin() + static_cast<std::ptrdiff_t>(message.out.size()), out.end(), message.tag.begin());
  }
}

class PlainReference final : public Contender {
 public:
  [[nodiscard]] std::string name() const override { return "reference"; }
  [[nodiscard]] std::string version() const override { return ""; }
  [[nodiscard]] Run prepare(const Task& task) const override {
    return [&task] {
      for (const TaskMessage& message : task.messages) crypt_plainly(task, message);
    };
  }
};

}  // namespace

const Contender& plain_reference() {
  static const PlainReference the_reference;
  return the_reference;
}

}  // namespace phalanx::bench
