// What memory alone allows: the figure beside which large messages are judged.
#include <cstring>

#include "bench/contender.hpp"

namespace phalanx::bench {
namespace {

/// Reads and writes every word once. Baseline instructions saturate memory as well as wide ones do.
void invert(std::uint8_t* bytes, std::size_t num_bytes) {
  constexpr std::size_t step = 64;
  for (std::size_t i = 0; i + step <= num_bytes; i += step) {
    std::uint64_t words[step / 8];
    std::memcpy(words, bytes + i, step);
    for (std::uint64_t& word : words) word = ~word;
    std::memcpy(bytes + i, words, step);
  }
}

class MemoryContender final : public Contender {
 public:
  explicit MemoryContender(bool in_place) : in_place_(in_place) {}

  [[nodiscard]] std::string name() const override { return in_place_ ? "memory, in place" : "memory, copied"; }
  [[nodiscard]] std::string version() const override { return ""; }

  [[nodiscard]] Run prepare(const Task& task) const override {
    if (in_place_) {
      return [&task] {
        for (const TaskMessage& message : task.messages) invert(message.out.data(), message.out.size());
      };
    }
    return [&task] {
      for (const TaskMessage& message : task.messages) {
        std::memcpy(message.out.data(), message.in.data(), message.in.size());
      }
    };
  }

 private:
  bool in_place_;
};

}  // namespace

std::unique_ptr<const Contender> make_memory_contender(bool in_place) { return std::make_unique<MemoryContender>(in_place); }

}  // namespace phalanx::bench
