// How sure we are that an old file was opened with the right key: nothing in it is authenticated, and padding fits by chance
// once in 256 times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace phalanx {

/// What speaks for the key that opened one file. A candidate is a way to get the key, such as a cipher, a passphrase and a
/// digest of `openssl enc`.
struct KeyEvidence {
  std::string candidate;                ///< which opened the file; "" where there is only one
  std::size_t num_candidates = 1;       ///< tried on the file
  std::size_t padding_bytes = 0;        ///< that were checked; 0: the mode has no padding that shows a wrong key
  std::size_t other_padding_bytes = 0;  ///< the longest padding that another candidate gives; 0: no other fits
  bool recognised = false;              ///< the plaintext begins as text, or a format whose first fields parse
  bool end_is_recognised = false;       ///< and ends as that does
  bool beginning_shows_mode = false;    ///< no other mode or size of sectors would give the same beginning
  bool key_shows_iv = true;             ///< a wrong iv would be a wrong key: none, or derived with it
  bool another_is_recognised = false;   ///< what another candidate gives is so, too
};

/// How often each candidate opened or failed on the files of a run. Any number of threads may use it.
class KeyTrials {
 public:
  /// `mark` tells files apart, by their ciphertext: a copy of one that was opened before says nothing new. Files without one
  /// all count.
  void opened(const std::string& candidate, const std::string& mark = "");
  void failed(const std::string& candidate);

  /// Why the plaintext may be garbage, "" if it is vouched for: its beginning and its end must be. What is recognised at
  /// its beginning vouches for that, and for the rest where it shows the mode, or where the end is recognised too. Padding
  /// vouches for the end, and for the beginning where the key shows the iv; but not where another candidate gives as much,
  /// and not where it may be chance after so many trials: candidates * (files the candidate failed on + 1) / (files it
  /// opened * 256^padding) > 10^-3. Where another gives less padding, only the bytes that it has less count. Two candidates
  /// whose plaintexts are recognised vouch for neither: CFB, OFB and CTR agree in their first block.
  [[nodiscard]] std::string doubt(const KeyEvidence& evidence) const;

 private:
  struct Count {
    std::uint64_t opened = 0, failed = 0;
    std::set<std::string> marks{};
  };

  [[nodiscard]] std::string doubt_of_padding(const KeyEvidence& evidence) const;

  mutable std::mutex mutex_;
  std::map<std::string, Count> counts_;
};

}  // namespace phalanx
