#include "cluster/rank_team.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <numeric>
#include <optional>
#include <thread>
#include <utility>

#include "cli/console/messages.hpp"
#include "files/interruption.hpp"
#include "files/progress.hpp"
#include "pipeline/piece.hpp"

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

struct RankTeam::Job {
  std::uint64_t number = 0;
  Bytes description;
  std::uint64_t num_pieces = 0;
  std::uint64_t num_bytes = 0;
  Progress& progress;
  std::uint64_t next = 0;  // the first piece that nobody has
  std::vector<int> members{};
  std::vector<int> at_work{};  // of them
  bool asks = false;
  std::vector<SecretBytes> reports{};
  std::uint64_t failed_piece = JobShare::none;
  std::optional<Error> failure{};
  bool is_finished = false;
};

RankTeam::RankTeam(Ranks& ranks, TeamSchedule schedule, TeamMember own)
    : ranks_(ranks),
      schedule_(schedule),
      own_(std::move(own), ranks.host(),
           [this](Bytes message) {
             const std::lock_guard lock(mutex_);
             own_messages_.emplace_back(message);
           }),
      tallies_(static_cast<std::size_t>(ranks.num_ranks())) {}

std::vector<SecretBytes> RankTeam::run(Bytes description, std::uint64_t num_pieces, std::uint64_t num_bytes,
                                       Progress& progress) {
  Job job{.description = description, .num_pieces = num_pieces, .num_bytes = num_bytes, .progress = progress};
  std::unique_lock lock(mutex_);
  waiting_.push_back(&job);
  finished_.wait(lock, [&] { return job.is_finished; });
  if (job.failure) throw Error(*job.failure);
  return std::move(job.reports);
}

void RankTeam::expect(std::uint64_t num_bytes) { even_part_ = num_bytes / num_members(); }

void RankTeam::tell_undivided() {
  {
    const std::lock_guard lock(mutex_);
    if (has_told_ || ranks_.num_ranks() == 1 || is_interrupted()) return;
    has_told_ = true;
  }
  print_note(
      "this cannot be cut into pieces (a stream, or a mode that chains every block to the one before): rank 0 does it alone",
      false);
}

void RankTeam::serve(const std::atomic<bool>& is_over) {
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
    for (const SecretBytes& message : heard) hear(0, message);
    while (const auto message = ranks_.receive()) {
      hear(message->from, message->bytes);
      idle = false;
    }
    if (idle && begun.empty() && heard.empty()) std::this_thread::sleep_for(pause);
  }
}

void RankTeam::quit(int exit_code) {
  JobWriter message;
  message.put(TeamWord::quit);
  message.put(static_cast<std::uint64_t>(exit_code));
  for (int rank = 1; rank < ranks_.num_ranks(); ++rank) ranks_.send(rank, message.bytes());
}

void RankTeam::tell(int rank, Bytes message) {
  if (rank == 0) return own_.hear(message);
  ranks_.send(rank, message);
}

std::vector<int> RankTeam::least_busy(std::size_t num_members) const {
  std::vector<int> ranks(tallies_.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  std::ranges::stable_sort(ranks, {}, [this](int rank) {
    const Tally& tally = tallies_[static_cast<std::size_t>(rank)];
    return std::pair(tally.bytes_at_work, tally.bytes_given);
  });
  ranks.resize(num_members);
  std::ranges::sort(ranks);
  return ranks;
}

void RankTeam::begin(Job& job) {
  job.number = num_jobs_++;
  running_[job.number] = &job;
  const bool is_small = job.num_bytes < std::max(small_bytes, even_part_.load());
  const std::uint64_t num_stripes = (job.num_pieces + stripe_pieces - 1) / stripe_pieces;
  const std::uint64_t num_members = is_small ? 1 : std::clamp<std::uint64_t>(num_stripes, 1, tallies_.size());
  job.members = least_busy(static_cast<std::size_t>(num_members));
  job.at_work = job.members;
  job.asks = schedule_ == TeamSchedule::dynamic && job.members.size() > 1;
  const auto edge = [&](std::uint64_t member) {
    return std::min(job.num_pieces, num_stripes * member / num_members * stripe_pieces);
  };
  for (std::uint64_t i = 0; i < num_members; ++i) {
    Tally& tally = tallies_[static_cast<std::size_t>(job.members[i])];
    tally.bytes_at_work += job.num_bytes / num_members;
    tally.bytes_given += job.num_bytes / num_members;
    give(job, job.members[i], job.asks ? next_range(job) : PieceRange{edge(i), edge(i + 1)});
  }
}

void RankTeam::give(Job& job, int rank, PieceRange range) {
  JobWriter message;
  message.put(TeamWord::job);
  message.put(job.number);
  message.put(range.first);
  message.put(range.end);
  message.put(std::uint64_t{job.asks ? 1U : 0U});
  message.put(job.description);
  tell(rank, message.bytes());
}

// The fewer pieces are left, the fewer are handed out at once: ranks end together.
RankTeam::PieceRange RankTeam::next_range(Job& job) {
  const std::uint64_t left = job.failure ? 0 : job.num_pieces - job.next;
  const std::uint64_t share = left / (ranges_of_rank * job.members.size()) / stripe_pieces * stripe_pieces;
  const std::uint64_t first = job.next;
  job.next += std::min(left, std::max(share, stripe_pieces));
  return {first, job.next};
}

void RankTeam::answer(Job& job, int rank) {
  const PieceRange range = next_range(job);
  JobWriter message;
  message.put(TeamWord::grant);
  message.put(job.number);
  message.put(range.first);
  message.put(range.end);
  tell(rank, message.bytes());
}

void RankTeam::hear(int from, Bytes message) {
  try {
    take(from, message);
  } catch (const Error& error) {
    ranks_.refuse(from, error.what());
  }
}

// Only who is at work on a job has something to say of it; and once it is done, nothing.
void RankTeam::take(int from, Bytes message) {
  JobReader reader(message);
  const TeamWord word = word_of(reader);
  const auto found = running_.find(reader.number());
  if (found == running_.end()) JobReader::refuse();
  Job& job = *found->second;
  if (std::ranges::find(job.at_work, from) == job.at_work.end()) JobReader::refuse();
  if (word == TeamWord::progress) {
    const std::uint64_t num_bytes = reader.number_up_to(job.num_bytes);
    reader.finish();
    job.progress.add(num_bytes);
  } else if (word == TeamWord::ask && job.asks) {
    reader.finish();
    answer(job, from);
  } else if (word == TeamWord::done) {
    take_result(job, from, reader);
  } else {
    JobReader::refuse();
  }
}

void RankTeam::take_result(Job& job, int rank, JobReader& result) {
  const std::uint64_t failed_piece = result.number();
  const bool has_failed = failed_piece != JobShare::none;
  const ErrorCode code = has_failed ? result.error_code() : result.choice(ErrorCode{});
  if (has_failed && failed_piece >= job.num_pieces) JobReader::refuse();
  const std::string text = result.text();
  job.reports.emplace_back(result.bytes());
  Tally& tally = tallies_[static_cast<std::size_t>(rank)];
  for (double* seconds : {&tally.times.reading, &tally.times.crypting, &tally.times.writing, &tally.times.waiting})
    *seconds += static_cast<double>(result.number()) / 1e6;
  tally.times.num_bytes += result.number_up_to(job.num_bytes);
  tally.host = printable(result.text());
  result.finish();
  tally.bytes_at_work -= job.num_bytes / job.members.size();
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

void RankTeam::fail(Job& job, std::uint64_t piece, const Error& error) {
  if (piece >= job.failed_piece) return;
  const bool is_first = !job.failure;
  job.failed_piece = piece;
  job.failure.emplace(error);
  if (!is_first) return;
  JobWriter stop;
  stop.put(TeamWord::stop);
  stop.put(job.number);
  for (const int member : job.members) tell(member, stop.bytes());
}

void RankTeam::print_table(bool json) const {
  constexpr const char* columns = "rank  host                     MB    read s   crypt s   write s    wait s\n";
  std::string lines = json ? "{\"ranks\":[" : columns;
  for (std::size_t rank = 0; rank < tallies_.size(); ++rank) {
    const ShareTimes& times = tallies_[rank].times;
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
