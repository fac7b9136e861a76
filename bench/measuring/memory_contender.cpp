// What memory alone allows: the figure beside which large messages are judged.
#include <cstring>

#include "bench/measuring/contender.hpp"

namespace phalanx::bench {
namespace {

// Reads and writes every byte once, by 16-byte vectors, which every machine has and which saturate memory as well as wider
// ones; fetched ahead, as the kernels do.
void invert(std::uint8_t* bytes, std::size_t num_bytes) {
  using Vector = std::uint64_t __attribute__((vector_size(16)));
  constexpr std::size_t line_bytes = 64;
  constexpr std::size_t ahead_bytes = 2048;
  for (std::size_t i = 0; i + line_bytes <= num_bytes; i += line_bytes) {
    __builtin_prefetch(bytes + i + ahead_bytes, 1);
    for (std::size_t j = 0; j < line_bytes; j += sizeof(Vector)) {
      Vector v;
      std::memcpy(&v, bytes + i + j, sizeof v);
      v = ~v;
      std::memcpy(bytes + i + j, &v, sizeof v);
    }
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
