#include "files/migration/trees/tree_calls.hpp"

#include "engine/host/process_mark.hpp"
#include "files/migration/file_migration.hpp"
#include "files/pipeline/progress_call.hpp"

namespace phalanx {

void require_a_format(std::span<const ForeignFormat> formats) {
  if (formats.empty()) throw Error(ErrorCode::usage, "no format of the old files is given: give one at least");
}

Candidates candidates_of(std::span<const ForeignFormat> formats, const EngineOptions& engine, bool find_wrapping) {
  require_a_format(formats);
  Candidates all;
  for (std::size_t number = 0; number < formats.size(); ++number) {
    const ForeignFormat& format = formats[number];
    const MessagePlan plan = plan_foreign(format, engine);
    check_sectors(plan, "sectors.sector_bytes");
    Candidates some = make_candidates(plan, SecretBytes(format.key.empty() ? format.passphrase : format.key));
    const std::string label = "format " + std::to_string(number + 1);
    for (Candidate& candidate : some.list) {
      candidate.secret = number;
      if (formats.size() > 1) {
        candidate.name = candidate.name.empty() ? label : label + ", " + candidate.name;
        candidate.whole_name += ", " + label;
      }
      all.list.push_back(std::move(candidate));
    }
    all.secrets.push_back(std::move(some.secrets.front()));
  }
  all.find_base64 = all.find_salt = find_wrapping;
  return all;
}

void ProgressOfMany::require_going() {
  const std::lock_guard lock(mutex_);
  if (thrown_) std::rethrow_exception(thrown_);
  require_not_cancelled(cancellation_);
}

void ProgressOfMany::add(std::uint64_t num_bytes) {
  require_going();
  if (!on_progress_) return;
  const std::lock_guard lock(mutex_);
  try {
    const CallerRuns away;
    on_progress_(num_bytes);
  } catch (...) {
    thrown_ = std::current_exception();
    throw;
  }
}

}  // namespace phalanx
