#include "io/pipeline.hpp"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/task_arena.h>

#include <array>
#include <cstdint>

namespace phalanx {
namespace {

struct Slot {
  SecretBytes memory;
  Chunk chunk;
};

// The chunks of a run. A slot is free again when its chunk has been written: the pipeline starts no more than
// chunks_in_flight, and writes them in order, so they can be used in turn.
class ChunkRing {
 public:
  Slot& take(std::size_t buffer_bytes) {
    Slot& slot = slots_[num_taken_++ % slots_.size()];
    if (slot.memory.size() == 0) slot.memory = SecretBytes(buffer_bytes);
    slot.chunk.buffer = slot.memory;
    return slot;
  }

 private:
  std::array<Slot, chunks_in_flight> slots_;
  std::size_t num_taken_ = 0;
};

}  // namespace

std::uint64_t run_pipeline(ChunkReader& reader, std::span<ChunkStage* const> stages, ByteSink& sink, Progress& progress) {
  namespace tbb = oneapi::tbb;
  // Reading and writing wait in the kernel: they must not take a core's thread away from crypting, which runs in this arena
  // unless the cipher was made for fewer threads.
  constexpr int num_waiting_stages = 2;
  constexpr auto in_order = tbb::filter_mode::serial_in_order;
  const int num_threads = tbb::info::default_concurrency() + num_waiting_stages;
  const tbb::global_control more_threads(tbb::global_control::max_allowed_parallelism,
                                         static_cast<std::size_t>(num_threads));
  ChunkRing ring;
  std::uint64_t total_bytes = 0;

  tbb::filter<void, Chunk*> chunks = tbb::make_filter<void, Chunk*>(in_order, [&](tbb::flow_control& control) -> Chunk* {
    Chunk& chunk = ring.take(reader.buffer_bytes()).chunk;
    if (reader.next(chunk)) return &chunk;
    control.stop();
    return nullptr;
  });
  for (ChunkStage* stage : stages) {
    chunks = chunks & tbb::make_filter<Chunk*, Chunk*>(in_order, [stage](Chunk* chunk) {
               stage->process(*chunk);
               return chunk;
             });
  }
  const auto write = [&](Chunk* chunk) {
    sink.write(chunk->buffer.first(chunk->size));
    total_bytes += chunk->read_bytes;
    progress.add(chunk->read_bytes);
  };
  tbb::task_arena arena(num_threads);
  arena.execute([&] { tbb::parallel_pipeline(chunks_in_flight, chunks & tbb::make_filter<Chunk*, void>(in_order, write)); });
  sink.finish();
  return total_bytes;
}

}  // namespace phalanx
