#include "files/migration/trees/look_at_all.hpp"

#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "engine/threads/shared_loop.hpp"

namespace phalanx {
namespace {

// This keeps each finding until it can be told: once all before it are told, or at the end where it is doubtful.
class Findings {
 public:
  Findings(const KeyTrials& trials, FindingObserver& observer) : trials_(trials), observer_(observer) {}

  void put(std::size_t number, TreeFinding finding) {
    const std::lock_guard lock(mutex_);
    found_.emplace(number, std::move(finding));
    for (auto first = found_.begin(); first != found_.end() && first->first == num_passed_; first = found_.erase(first)) {
      ++num_passed_;
      judge(first->second);
      const bool may_change = first->second.evidence && first->second.doubt;
      may_change ? doubtful_.push_back(std::move(first->second)) : observer_.on_finding(first->second);
    }
  }

  void finish() {
    for (TreeFinding& finding : doubtful_) {
      judge(finding);
      observer_.on_finding(finding);
    }
  }

 private:
  void judge(TreeFinding& finding) const {
    if (finding.evidence) finding.doubt = trials_.doubt(*finding.evidence);
  }

  const KeyTrials& trials_;
  FindingObserver& observer_;
  std::mutex mutex_;
  std::map<std::size_t, TreeFinding> found_;
  std::size_t num_passed_ = 0;
  std::vector<TreeFinding> doubtful_;
};

}  // namespace

void look_at_all(std::size_t num_files, unsigned num_jobs, const std::function<TreeFinding(std::size_t number)>& look,
                 const KeyTrials& trials, FindingObserver& observer) {
  Findings findings(trials, observer);
  SharedLoop().run(num_jobs, num_files, [&](std::size_t number) {
    observer.require_going();
    TreeFinding finding = look(number);
    if (finding.is_failure()) observer.require_going();
    findings.put(number, std::move(finding));
  });
  findings.finish();
}

}  // namespace phalanx
