// This holds what a foreign file was opened with, and what the search saw. It is found once, and goes whole to the judge of
// the key, the manifest and the printed report.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace phalanx {

struct OpenedWith {
  std::string candidate{};               ///< its Candidate::name; "" where there is only one
  std::string found{};                   ///< in words: "aes-256-cbc, md5, passphrase 2, base64, no salt"
  std::string note{};                    ///< how that was found; "" where nothing was looked for
  std::size_t num_candidates = 1;        ///< tried on the file
  std::size_t padding_bytes = 0;         ///< that fit; 0: none was looked for, or the mode has none that shows a wrong key
  std::vector<std::string> also_fits{};  ///< what else fits, in words
  std::size_t other_padding_bytes = 0;   ///< the longest of theirs; 0: no other fits by its padding
  bool another_is_recognised = false;    ///< what another gives looks like plaintext too
  std::string kind{};                    ///< of the plaintext; "" if it is of none that is known, or was not looked at
};

}  // namespace phalanx
