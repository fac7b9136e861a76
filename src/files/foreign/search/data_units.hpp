// `openssl enc` 1.0 wrote XTS in data units of 4096 bytes, all under one tweak. This finds out how long they are in a file.
#pragma once

#include <phalanx/bytes.hpp>
#include <string>
#include <vector>

#include "files/foreign/search/find_candidate.hpp"
#include "files/system/input.hpp"

namespace phalanx {

/// Returns the sizes that such files are read in, but for the job's own, the likeliest first; 0: all is one data unit.
[[nodiscard]] std::vector<std::size_t> other_unit_bytes(const CryptJob& job);

/// Returns words such as "data units of 4096 bytes" or "one data unit".
[[nodiscard]] std::string name_of_units(std::size_t unit_bytes);

/// Settles the size for a choice that is such a file, and longer than one unit. Takes the size under which its
/// beginning is text, or the likeliest, and says so in the choice's note. An input that cannot seek is not looked at,
/// and stays with the likeliest. `secret` is the choice's. The input stands where it stood before. Throws Error
/// (runtime) where it cannot be read.
void settle_data_units(MatchedCandidate& choice, Bytes secret, Input& input);

}  // namespace phalanx
