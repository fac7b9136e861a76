// This looks at many files side by side, and tells of them in their order.
#pragma once

#include <cstddef>
#include <functional>

#include "files/foreign/search/key_evidence.hpp"
#include "files/migration/trees/tree_findings.hpp"

namespace phalanx {

/// Looks at `num_files` files by so many threads, each at one file after another. The trials are those of all of them.
/// The trials and the observer stay the caller's. An exception from a look or from the observer ends the run.
void look_at_all(std::size_t num_files, unsigned num_jobs, const std::function<TreeFinding(std::size_t number)>& look,
                 const KeyTrials& trials, FindingObserver& observer);

}  // namespace phalanx
