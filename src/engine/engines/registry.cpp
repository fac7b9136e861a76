#include "engine/engines/registry.hpp"

#include <memory>
#include <mutex>
#include <phalanx/error.hpp>

#include "engine/engines/cpu/cpu_engine.hpp"
#include "engine/engines/cpu/instruction_sets.hpp"
#include "engine/engines/cuda_engine.hpp"

namespace phalanx {
namespace {

struct Registry {
  std::mutex mutex;  // guards `entries`; the engines themselves stay where they are
  std::vector<EngineEntry> entries;
  const CpuEngine* best_cpu = nullptr;
  bool has_cuda = false;

  Registry() {
    for (const InstructionSet& set : instruction_sets()) {
      const CpuEngine& engine = add(set);
      if (entries.back().info.usable) best_cpu = &engine;
    }
  }

  // Starting the driver takes long: only for who asks. Call with the mutex held.
  void add_cuda() {
    if (has_cuda) return;
    has_cuda = true;
    for (EngineEntry& entry : find_cuda_engines(*best_cpu)) entries.push_back(std::move(entry));
  }

  const CpuEngine& add(const InstructionSet& set) {
    auto engine = std::make_unique<const CpuEngine>(set);
    const CpuEngine& added = *engine;
    entries.push_back({added.info(), std::move(engine)});
    return added;
  }

  // For error messages. Call with the mutex held.
  [[nodiscard]] std::string usable_names() {
    add_cuda();
    std::string names = "auto, cpu";
    for (const EngineEntry& entry : entries) {
      if (entry.info.usable) names += ", " + entry.info.name;
    }
    return names;
  }
};

Registry& registry() {
  static Registry& the_registry = *new Registry;  // never destroyed: threads may outlive static objects
  return the_registry;
}

// Call with the mutex held.
std::vector<EngineInfo> infos_of(const Registry& all) {
  std::vector<EngineInfo> infos;
  for (const EngineEntry& entry : all.entries) infos.push_back(entry.info);
  return infos;
}

// The place of the crossover; nullptr where there is none.
std::size_t* find_serial_blocks(std::string_view engine_name, const CipherSpec& cipher) {
  const auto* const cpu = dynamic_cast<const CpuEngine*>(&find_engine(engine_name));
  return cpu == nullptr ? nullptr : cpu->kernel_of(cipher).serial_blocks;
}

}  // namespace

std::vector<EngineInfo> list_engines() {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  all.add_cuda();
  return infos_of(all);
}

std::vector<EngineInfo> list_cpu_engines() {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  std::vector<EngineInfo> infos = infos_of(all);
  std::erase_if(infos, [](const EngineInfo& info) { return !info.name.starts_with("cpu:"); });
  return infos;
}

const Engine& find_engine(std::string_view name) {
  const std::string wanted(name.empty() ? "auto" : name);
  Registry& all = registry();
  if (wanted == "auto" || wanted == "cpu") return *all.best_cpu;
  const std::lock_guard lock(all.mutex);
  if (wanted.starts_with("cuda")) all.add_cuda();
  std::string problem = "is unknown";
  for (const EngineEntry& entry : all.entries) {
    if (entry.info.name != wanted) continue;
    if (entry.info.usable) return *entry.engine;
    problem = "cannot run here (" + entry.info.reason + ")";
  }
  throw Error(ErrorCode::usage, "engine '" + wanted + "' " + problem + ": choose one of " + all.usable_names());
}

const CpuEngine& best_cpu_engine() { return *registry().best_cpu; }

std::size_t serial_blocks(std::string_view engine_name, const CipherSpec& cipher) {
  const std::size_t* const place = find_serial_blocks(engine_name, cipher);
  return place == nullptr ? 0 : __atomic_load_n(place, __ATOMIC_RELAXED);
}

void set_serial_blocks(std::string_view engine_name, const CipherSpec& cipher, std::size_t num_blocks) {
  std::size_t* const place = find_serial_blocks(engine_name, cipher);
  if (place != nullptr) __atomic_store_n(place, num_blocks, __ATOMIC_RELAXED);
}

void add_cpu_engine(const InstructionSet& set) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  all.add(set);
}

}  // namespace phalanx
