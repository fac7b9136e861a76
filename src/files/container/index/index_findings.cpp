#include "files/container/index/index_findings.hpp"

#include <set>

namespace phalanx {

void IndexFindings::find_now() {
  for (const StrangeName& strange : names_) {
    if (strange.body) known_.try_emplace(strange.body->prefix, Known{.body = &*strange.body});
  }
  for (const auto& [name, container] : tree_) {
    const auto found = known_.find(container.body.prefix);
    if (found != known_.end() && found->second.body->is_same_body(container.body)) found->second.now = name;
  }
  for (const StrangeName& strange : names_) {
    const Known* const known = known_of(strange);
    if (known != nullptr && !known->now.empty()) found_at_.try_emplace(known->now, strange.name);
  }
}

// The last generation that set a name counts.
void IndexFindings::find_then() {
  bool any = !headers_.empty();
  for (const auto& [prefix, known] : known_) any = any || known.now.empty();
  if (!any) return;
  for (const StrangeHeader& strange : headers_) {
    headers_then_.try_emplace(strange.header);
    indexed_headers_.try_emplace(strange.name);
  }
  index_.for_each_change([&](std::uint64_t generation, const IndexChange& change) {
    if (!change.body) return;
    note_body(generation, change);
    note_header(generation, change);
  });
}

void IndexFindings::note_body(std::uint64_t generation, const IndexChange& change) {
  const auto found = known_.find(change.body->prefix);
  if (found == known_.end() || !found->second.body->is_same_body(*change.body)) return;
  found->second.then = change.name;
  found->second.generation = generation;
}

void IndexFindings::note_header(std::uint64_t generation, const IndexChange& change) {
  if (!change.body->header) return;
  const auto then = headers_then_.find(*change.body->header);
  if (then != headers_then_.end()) then->second = generation;
  const auto indexed = indexed_headers_.find(change.name);
  if (indexed == indexed_headers_.end() || indexed->second.header == *change.body->header) return;
  indexed->second = {.header = *change.body->header, .since = generation};
}

IndexedFile IndexFindings::explain_header(const StrangeHeader& strange) const {
  IndexedFile file{.name = strange.name, .outcome = IndexedAs::header_changed, .code = ErrorCode::authentication};
  file.generation = headers_then_.at(strange.header);
  if (file.generation != 0) {
    file.outcome = IndexedAs::header_older;
    return file;
  }
  file.generation = indexed_headers_.at(strange.name).since;
  if (!strange.code) return file;
  file.outcome = IndexedAs::failed;
  file.code = *strange.code;
  file.why = "its header was changed since generation " + std::to_string(file.generation) + ": " + strange.why;
  return file;
}

const IndexFindings::Known* IndexFindings::known_of(const StrangeName& strange) const {
  if (!strange.body) return nullptr;
  const auto found = known_.find(strange.body->prefix);
  const bool is_it = found != known_.end() && found->second.body->is_same_body(*strange.body);
  return is_it ? &found->second : nullptr;
}

// The index has another container for this name.
IndexedFile IndexFindings::explain_indexed(const StrangeName& strange) const {
  IndexedFile file{.name = strange.name, .outcome = IndexedAs::changed, .code = ErrorCode::authentication};
  file.why = strange.why;
  if (!file.why.empty()) return file;
  const Known* const known = known_of(strange);
  const auto found_at = found_at_.find(strange.name);
  if (!strange.body) {
    file.outcome = IndexedAs::removed;
    if (found_at != found_at_.end()) file.other = found_at->second;
  } else if (known != nullptr && !known->now.empty()) {
    file.outcome = IndexedAs::swapped;
    file.other = known->now;
  } else if (known != nullptr && !known->then.empty()) {
    file.outcome = IndexedAs::older;
    file.other = known->then;
    file.generation = known->generation;
  } else {
    file.why = "it is no container that was ever in the index";
  }
  return file;
}

// The index does not have this name. It is the new name of a container that has left its own, or one more.
IndexedFile IndexFindings::explain_new(const StrangeName& strange) const {
  IndexedFile file{.name = strange.name, .outcome = IndexedAs::added, .code = ErrorCode::authentication};
  const Known* const known = known_of(strange);
  if (known == nullptr) return file;
  file.other = known->now.empty() ? known->then : known->now;
  file.generation = known->now.empty() ? known->generation : 0;
  if (known->now.empty() || tree_.at(known->now).is_seen || found_at_.at(known->now) != strange.name) return file;
  file.outcome = IndexedAs::renamed;
  std::swap(file.name, file.other);
  return file;
}

std::vector<IndexedFile> IndexFindings::explain() {
  find_now();
  find_then();
  std::vector<IndexedFile> files;
  std::set<std::string> told;  // names in the index
  for (const StrangeName& strange : names_) {
    if (tree_.contains(strange.name)) continue;
    files.push_back(explain_new(strange));
    if (files.back().outcome == IndexedAs::renamed) told.insert(files.back().name);
  }
  for (const StrangeName& strange : names_) {
    if (!tree_.contains(strange.name) || told.contains(strange.name)) continue;
    files.push_back(explain_indexed(strange));
  }
  for (const StrangeHeader& strange : headers_) files.push_back(explain_header(strange));
  return files;
}

}  // namespace phalanx
