#include "program/cluster/cluster_run.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <deque>
#include <mutex>
#include <optional>
#include <phalanx/catalog.hpp>
#include <string>
#include <thread>
#include <vector>

#include "engine/threads/threads.hpp"
#include "files/system/output/output_mapping.hpp"
#include "program/cli/console/exit_codes.hpp"
#include "program/cli/console/messages.hpp"
#include "program/cli/program.hpp"
#include "program/cli/secrets/taken_variables.hpp"
#include "program/cluster/cluster_options.hpp"
#include "program/cluster/coordinator.hpp"
#include "program/cluster/key_agreement.hpp"
#include "program/cluster/worker.hpp"

namespace phalanx {
namespace {

constexpr std::chrono::microseconds pause{200};

// Where mpirun binds ranks to processors, those; else an even part of this machine; but no more than were asked for.
int threads_of_rank(const Ranks& ranks, int num_asked_for) {
  const auto num_processors = static_cast<int>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  const int num_threads = std::min(thread_count(0), std::max(1, num_processors / ranks.ranks_on_host()));
  return num_asked_for > 0 ? std::min(num_threads, num_asked_for) : num_threads;
}

WorkerOptions worker_options(const Ranks& ranks, int num_threads) {
  std::vector<std::string> gpus;
  for (const EngineInfo& engine : engines()) {
    if (engine.usable && engine.name.starts_with("cuda:")) gpus.push_back(engine.name);
  }
  const auto place = static_cast<std::size_t>(ranks.rank_on_host());
  return {.num_threads = threads_of_rank(ranks, num_threads), .engine = gpus.empty() ? "" : gpus[place % gpus.size()]};
}

// Does what rank 0 tells this rank. No other rank may tell anything. Returns the exit code at the end.
std::optional<int> hear_leader(const RankMessage& message, KeyAgreement& agreement, Worker& worker) {
  if (message.from != 0) throw Error(ErrorCode::runtime, "only rank 0 tells others what to do");
  if (agreement.concerns(message.bytes)) return agreement.on_message(message.bytes);
  JobDecoder reader(message.bytes);
  if (word_of(reader) != MessageType::quit) {
    worker.on_message(message.bytes);
    return std::nullopt;
  }
  const auto exit_code = static_cast<int>(reader.number_up_to(most_exit_code));
  reader.finish();
  return exit_code;
}

// All that ranks but the first do: shares of jobs, until they are told to end.
int serve(Ranks& ranks, int argc, char** argv) {
  KeyAgreement agreement(ranks, argc, argv);
  std::mutex mutex;
  std::deque<SecretBytes> to_send;
  Worker worker(worker_options(ranks, asked_threads(argc, argv)), ranks.host(), [&](Bytes message) {
    const std::lock_guard lock(mutex);
    to_send.emplace_back(message);
  });
  for (;;) {
    std::deque<SecretBytes> sending;
    {
      const std::lock_guard lock(mutex);
      sending.swap(to_send);
    }
    for (const SecretBytes& message : sending) ranks.send(0, message);
    const auto message = ranks.receive();
    if (!message) {
      if (sending.empty()) std::this_thread::sleep_for(pause);
      continue;
    }
    try {
      if (const auto exit_code = hear_leader(*message, agreement, worker)) return *exit_code;
    } catch (const Error& error) {
      ranks.refuse(message->from, error.what());
    }
  }
}

int lead(Coordinator& coordinator, ClusterOptions& options) {
  std::vector<char*> arguments;
  for (std::string& argument : options.arguments) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  std::atomic<bool> is_over{false};
  int exit_code = 0;
  std::thread command([&] {
    exit_code = run_program(static_cast<int>(options.arguments.size()), arguments.data(), &coordinator);
    is_over = true;
  });
  coordinator.serve(is_over);
  command.join();
  if (options.help && exit_code == 0) static_cast<void>(std::fputs(cluster_help, stdout));
  if (options.table && exit_code == 0) coordinator.print_table(options.json);
  return exit_code;
}

}  // namespace

int run_on_ranks(Ranks& ranks, int argc, char** argv) {
  auto variables = take_named_variables({argv, static_cast<std::size_t>(argc)});
  if (ranks.rank() != 0) variables.clear();
  const int num_threads = threads_of_rank(ranks, asked_threads(argc, argv));
  expect_writers(static_cast<std::size_t>(ranks.ranks_on_host()) * static_cast<std::size_t>(num_threads));
  if (ranks.rank() != 0) return serve(ranks, argc, argv);
  ClusterOptions options;
  int exit_code = 0;
  try {
    options = take_cluster_options(argc, argv);
    if (options.key_per_rank) lead_key_agreement(ranks, options);
  } catch (const Error& error) {
    print_error(error.what());
    exit_code = exit_code_of(error.code());
  }
  if (exit_code != 0 && asks_for_key_per_rank(argc, argv)) {
    give_up_key_agreement(ranks, exit_code);
    return exit_code;
  }
  Coordinator coordinator(ranks, options.distribution, worker_options(ranks, asked_threads(argc, argv)));
  if (exit_code == 0) exit_code = lead(coordinator, options);
  coordinator.quit(exit_code);
  return exit_code;
}

}  // namespace phalanx
