#include "bench/measuring/workload.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

namespace phalanx::bench {
namespace {

constexpr std::size_t page_bytes = 4096;
constexpr std::uint8_t poison = 0xa5;
constexpr std::size_t gcm_nonce_bytes = 12;
constexpr std::size_t tag_bytes = 16;

// splitmix64: quick, and the same everywhere.
class RandomWords {
 public:
  explicit RandomWords(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  void fill(std::uint8_t* bytes, std::size_t num_bytes) {
    for (std::size_t i = 0; i < num_bytes; i += 8) {
      const std::uint64_t word = next();
      std::memcpy(bytes + i, &word, std::min<std::size_t>(8, num_bytes - i));
    }
  }

 private:
  std::uint64_t state_;
};

std::size_t iv_bytes_of(const NamedCipher& cipher) {
  if (cipher.mode == Mode::ecb) return 0;
  return cipher.mode == Mode::gcm ? gcm_nonce_bytes : cipher.cipher->block_bytes;
}

}  // namespace

void Workload::Free::operator()(std::uint8_t* memory) const { std::free(memory); }

Workload::Memory Workload::allocate(std::size_t num_bytes) {
  const std::size_t whole_pages = (num_bytes + page_bytes - 1) / page_bytes * page_bytes;
  auto* memory = static_cast<std::uint8_t*>(std::aligned_alloc(page_bytes, std::max(whole_pages, page_bytes)));
  if (memory == nullptr) throw std::bad_alloc();
  return Memory(memory);
}

Workload::Workload(const Job& job)
    : job_(job),
      keys_(key_bytes(job.cipher) * (job.key_each ? job.num_messages : 1)),
      ivs_(iv_bytes_of(job.cipher) * job.num_messages),
      tags_(job.cipher.mode == Mode::gcm ? tag_bytes * job.num_messages : 0),
      in_memory_(allocate(job.total_bytes())) {
  RandomWords random(job.message_bytes);
  random.fill(keys_.data(), keys_.size());
  random.fill(ivs_.data(), ivs_.size());
  random.fill(in_memory_.get(), job.total_bytes());
  if (job.in_place) {
    original_.assign(in_memory_.get(), in_memory_.get() + job.total_bytes());
    out_ = in_memory_.get();
  } else {
    out_memory_ = allocate(job.total_bytes());
    out_ = out_memory_.get();
  }
  make_messages();
}

void Workload::make_messages() {
  task_ = {.cipher = job_.cipher,
           .direction = job_.direction,
           .key_each = job_.key_each,
           .key_setting = job_.key_setting,
           .one_pass = job_.one_pass,
           .messages = {}};
  task_.messages.reserve(job_.num_messages);
  const std::size_t key_size = key_bytes(job_.cipher);
  const std::size_t iv_size = iv_bytes_of(job_.cipher);
  for (std::size_t i = 0; i < job_.num_messages; ++i) {
    task_.messages.push_back({
        .key = {keys_.data() + (job_.key_each ? i * key_size : 0), key_size},
        .iv = {ivs_.data() + i * iv_size, iv_size},
        .associated_data = {},
        .in = {in_memory_.get() + i * job_.message_bytes, job_.message_bytes},
        .out = {out_ + i * job_.message_bytes, job_.message_bytes},
        .tag = tags_.empty() ? MutableBytes{} : MutableBytes(tags_.data() + i * tag_bytes, tag_bytes),
    });
  }
}

Task Workload::task_in_ecb() const {
  Task task = task_;
  task.cipher.mode = Mode::ecb;
  for (TaskMessage& message : task.messages) {
    message.key = message.key.first(key_bytes(task.cipher));
    message.iv = {};
    message.tag = {};
  }
  return task;
}

void Workload::seal_input(const std::function<Run(const Task&)>& prepare) {
  Task sealing = task_;
  sealing.direction = Direction::encrypt;
  prepare(sealing)();
  std::memcpy(in_memory_.get(), out_, job_.total_bytes());
}

void Workload::reset() {
  if (job_.in_place) {
    std::memcpy(out_, original_.data(), original_.size());
    return;
  }
  std::memset(out_, poison, job_.total_bytes());
  if (job_.direction == Direction::encrypt) std::fill(tags_.begin(), tags_.end(), poison);
}

Bytes Workload::tags() const { return job_.direction == Direction::encrypt ? Bytes(tags_) : Bytes{}; }

}  // namespace phalanx::bench
