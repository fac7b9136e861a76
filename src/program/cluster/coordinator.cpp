#include "program/cluster/coordinator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <numeric>
#include <optional>
#include <thread>
#include <utility>

#include "files/pipeline/piece.hpp"
#include "files/system/progress.hpp"
#include "files/system/signals.hpp"
#include "program/cli/console/messages.hpp"
#include "program/cluster/job_description.hpp"
#include "program/cluster/shared_file.hpp"

namespace phalanx {
namespace {

// Ranges begin at a multiple of this, as most parallel file systems have stripes of: no two ranks write into one.
constexpr std::uint64_t stripe_pieces = (std::uint64_t{4} << 20) / default_piece_bytes;

// Fewer bytes than this are one rank's: to tell the others takes as long.
constexpr std::uint64_t small_bytes = std::uint64_t{8} << 20;

// A range that is handed out on request: so many of them for each rank that is left.
constexpr std::uint64_t ranges_of_rank = 4;

constexpr std::chrono::microseconds pause{200};

// A host's name as another rank gives it, for a table and between the quotes of JSON.
std::string printable(std::string name) {
  constexpr std::size_t longest = 256;  // as MPI has it
  name.resize(std::min(name.size(), longest));
  std::ranges::replace_if(
      name,
      [](unsigned char character) { return character <= ' ' || character > '~' || character == '"' || character == '\\'; },
      '?');
  return name;
}

}  // namespace

struct Coordinator::Job {
  std::uint64_t number = 0;
  Bytes description;
  std::uint64_t num_pieces = 0;
  std::uint64_t num_bytes = 0;
  Progress& progress;
  std::uint64_t next = 0;  // the first piece that nobody has
  std::vector<int> workers{};
  std::vector<int> at_work{};  // of them
  bool asks = false;
  std::vector<SecretBytes> reports{};
  std::uint64_t failed_piece = JobShare::none;
  std::optional<Error> failure{};
  bool is_finished = false;
};

Coordinator::Coordinator(Ranks& ranks, Distribution distribution, WorkerOptions own)
    : ranks_(ranks),
      distribution_(distribution),
      own_(std::move(own), ranks.host(),
           [this](Bytes message) {
             const std::lock_guard lock(mutex_);
             own_messages_.emplace_back(message);
           }),
      tallies_(static_cast<std::size_t>(ranks.num_ranks())) {}

std::optional<std::uint64_t> Coordinator::run(const RunParts& parts, std::string_view engine, Progress& progress) {
  JobEncoder job;
  if (!describe_run(job, parts, engine)) {
    if (parts.reader.num_pieces() != std::uint64_t{1}) warn_serial();
    return std::nullopt;
  }
  std::uint64_t num_bytes = 0;
  const std::uint64_t num_pieces = parts.reader.num_pieces().value();
  for (const SecretBytes& share : run_described(job.bytes(), num_pieces, described_bytes(parts.reader), progress)) {
    JobDecoder result(share);
    num_bytes += result.number();
    merge_result(result, parts.stages, parts.sink);
    check_sample(result, written_by(parts.sink));
    result.finish();
  }
  return num_bytes;
}

std::vector<SecretBytes> Coordinator::run_described(Bytes description, std::uint64_t num_pieces, std::uint64_t num_bytes,
                                                    Progress& progress) {
  Job job{.description = description, .num_pieces = num_pieces, .num_bytes = num_bytes, .progress = progress};
  std::unique_lock lock(mutex_);
  waiting_.push_back(&job);
  finished_.wait(lock, [&] { return job.is_finished; });
  if (job.failure) throw Error(*job.failure);
  return std::move(job.reports);
}

void Coordinator::plan_bytes(std::uint64_t num_bytes) { even_part_ = num_bytes / num_workers(); }

// A run came that rank 0 does alone, since its pieces cannot be taken apart.
void Coordinator::warn_serial() {
  {
    const std::lock_guard lock(mutex_);
    if (has_told_ || ranks_.num_ranks() == 1 || is_interrupted()) return;
    has_told_ = true;
  }
  print_note(
      "this cannot be cut into pieces (a stream, or a mode that chains every block to the one before): rank 0 does it alone",
      false);
}

void Coordinator::serve(const std::atomic<bool>& is_over) {
  while (!is_over) {
    bool idle = true;
    std::deque<Job*> begun;
    std::deque<SecretBytes> heard;
    {
      const std::lock_guard lock(mutex_);
      begun.swap(waiting_);
      heard.swap(own_messages_);
    }
    for (Job* job : begun) begin(*job);
    for (const SecretBytes& message : heard) on_message(0, message);
    while (const auto message = ranks_.receive()) {
      on_message(message->from, message->bytes);
      idle = false;
    }
    if (idle && begun.empty() && heard.empty()) std::this_thread::sleep_for(pause);
  }
}

void Coordinator::quit(int exit_code) {
  JobEncoder message;
  message.put(MessageType::quit);
  message.put(static_cast<std::uint64_t>(exit_code));
  for (int rank = 1; rank < ranks_.num_ranks(); ++rank) ranks_.send(rank, message.bytes());
}

void Coordinator::send(int rank, Bytes message) {
  if (rank == 0) return own_.on_message(message);
  ranks_.send(rank, message);
}

std::vector<int> Coordinator::least_busy(std::size_t num_workers) const {
  std::vector<int> ranks(tallies_.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  std::ranges::stable_sort(ranks, {}, [this](int rank) {
    const Tally& tally = tallies_[static_cast<std::size_t>(rank)];
    return std::pair(tally.bytes_at_work, tally.bytes_given);
  });
  ranks.resize(num_workers);
  std::ranges::sort(ranks);
  return ranks;
}

void Coordinator::begin(Job& job) {
  job.number = num_jobs_++;
  running_[job.number] = &job;
  const bool is_small = job.num_bytes < std::max(small_bytes, even_part_.load());
  const std::uint64_t num_stripes = (job.num_pieces + stripe_pieces - 1) / stripe_pieces;
  const std::uint64_t num_workers = is_small ? 1 : std::clamp<std::uint64_t>(num_stripes, 1, tallies_.size());
  job.workers = least_busy(static_cast<std::size_t>(num_workers));
  job.at_work = job.workers;
  job.asks = distribution_ == Distribution::dynamic && job.workers.size() > 1;
  const auto edge = [&](std::uint64_t worker) {
    return std::min(job.num_pieces, num_stripes * worker / num_workers * stripe_pieces);
  };
  for (std::uint64_t i = 0; i < num_workers; ++i) {
    Tally& tally = tallies_[static_cast<std::size_t>(job.workers[i])];
    tally.bytes_at_work += job.num_bytes / num_workers;
    tally.bytes_given += job.num_bytes / num_workers;
    give(job, job.workers[i], job.asks ? next_range(job) : PieceRange{edge(i), edge(i + 1)});
  }
}

void Coordinator::give(Job& job, int rank, PieceRange range) {
  JobEncoder message;
  message.put(MessageType::job);
  message.put(job.number);
  message.put(range.first);
  message.put(range.end);
  message.put(std::uint64_t{job.asks ? 1U : 0U});
  message.put(job.description);
  send(rank, message.bytes());
}

// The fewer pieces are left, the fewer are handed out at once: ranks end together.
Coordinator::PieceRange Coordinator::next_range(Job& job) {
  const std::uint64_t left = job.failure ? 0 : job.num_pieces - job.next;
  const std::uint64_t share = left / (ranges_of_rank * job.workers.size()) / stripe_pieces * stripe_pieces;
  const std::uint64_t first = job.next;
  job.next += std::min(left, std::max(share, stripe_pieces));
  return {first, job.next};
}

void Coordinator::answer(Job& job, int rank) {
  const PieceRange range = next_range(job);
  JobEncoder message;
  message.put(MessageType::grant);
  message.put(job.number);
  message.put(range.first);
  message.put(range.end);
  send(rank, message.bytes());
}

void Coordinator::on_message(int from, Bytes message) {
  try {
    take(from, message);
  } catch (const Error& error) {
    ranks_.refuse(from, error.what());
  }
}

// Only who is at work on a job has something to say of it; and once it is done, nothing.
void Coordinator::take(int from, Bytes message) {
  JobDecoder reader(message);
  const MessageType word = word_of(reader);
  const auto found = running_.find(reader.number());
  if (found == running_.end()) JobDecoder::refuse();
  Job& job = *found->second;
  if (std::ranges::find(job.at_work, from) == job.at_work.end()) JobDecoder::refuse();
  if (word == MessageType::progress) {
    const std::uint64_t num_bytes = reader.number_up_to(job.num_bytes);
    reader.finish();
    job.progress.add(num_bytes);
  } else if (word == MessageType::ask && job.asks) {
    reader.finish();
    answer(job, from);
  } else if (word == MessageType::done) {
    take_result(job, from, reader);
  } else {
    JobDecoder::refuse();
  }
}

void Coordinator::take_result(Job& job, int rank, JobDecoder& result) {
  const std::uint64_t failed_piece = result.number();
  const bool has_failed = failed_piece != JobShare::none;
  const ErrorCode code = has_failed ? result.error_code() : result.choice(ErrorCode{});
  if (has_failed && failed_piece >= job.num_pieces) JobDecoder::refuse();
  const std::string text = result.text();
  job.reports.emplace_back(result.bytes());
  Tally& tally = tallies_[static_cast<std::size_t>(rank)];
  for (double* seconds : {&tally.times.reading, &tally.times.crypting, &tally.times.writing, &tally.times.waiting})
    *seconds += static_cast<double>(result.number()) / 1e6;
  tally.times.num_bytes += result.number_up_to(job.num_bytes);
  tally.host = printable(result.text());
  result.finish();
  tally.bytes_at_work -= job.num_bytes / job.workers.size();
  std::erase(job.at_work, rank);
  if (has_failed) {
    fail(job, failed_piece,
         Error(code, ranks_.num_ranks() == 1 ? text : fmt::format("rank {} on {}: {}", rank, tally.host, text)));
  }
  if (!job.at_work.empty()) return;
  running_.erase(job.number);
  const std::lock_guard lock(mutex_);
  job.is_finished = true;
  finished_.notify_all();
}

void Coordinator::fail(Job& job, std::uint64_t piece, const Error& error) {
  if (piece >= job.failed_piece) return;
  const bool is_first = !job.failure;
  job.failed_piece = piece;
  job.failure.emplace(error);
  if (!is_first) return;
  JobEncoder stop;
  stop.put(MessageType::stop);
  stop.put(job.number);
  for (const int worker : job.workers) send(worker, stop.bytes());
}

void Coordinator::print_table(bool json) const {
  constexpr const char* columns = "rank  host                     MB    read s   crypt s   write s    wait s\n";
  std::string lines = json ? "{\"ranks\":[" : columns;
  for (std::size_t rank = 0; rank < tallies_.size(); ++rank) {
    const PieceTimes& times = tallies_[rank].times;
    const std::string& host = tallies_[rank].host;
    if (json) {
      lines += fmt::format(
          R"({}{{"rank":{},"host":"{}","bytes":{},"read_s":{:.3f},"crypt_s":{:.3f},"write_s":{:.3f},"wait_s":{:.3f}}})",
          rank == 0 ? "" : ",", rank, host, times.num_bytes, times.reading, times.crypting, times.writing, times.waiting);
    } else {
      lines += fmt::format("{:>4}  {:<16} {:>10.1f} {:>9.2f} {:>9.2f} {:>9.2f} {:>9.2f}\n", rank, host,
                           static_cast<double>(times.num_bytes) / 1e6, times.reading, times.crypting, times.writing,
                           times.waiting);
    }
  }
  if (json) lines += "]}\n";
  static_cast<void>(std::fputs(lines.c_str(), stderr));
}

}  // namespace phalanx
