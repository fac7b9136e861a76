// This judges how sure it is that an old file was opened with the right key. Nothing in the file is authenticated, and
// padding fits by chance once in 256 times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <phalanx/files/doubt.hpp>
#include <set>
#include <string>
#include <vector>

#include "files/foreign/search/opened_with.hpp"

namespace phalanx {

/// Holds what speaks for the key that opened one file. A candidate is a way to get the key, such as a cipher, a passphrase
/// and a digest of `openssl enc`.
struct KeyEvidence {
  OpenedWith with;                      ///< has the padding that was checked
  bool is_passphrase = false;           ///< a passphrase opened it, and no key
  bool padding_is_zeros = false;        ///< but for one byte: what has none may end so, too
  bool is_text = false;                 ///< wherever it was looked at
  bool sums_are_right = false;          ///< those that its format has of all of it
  bool beginning_shows_mode = false;    ///< no other mode or size of sectors would give the same beginning
  bool key_shows_iv = true;             ///< evidence for the key is evidence for the iv: there is none
  bool iv_is_read = false;              ///< from the file: without its first block the rest may be taken for a whole file
  bool first_block_shows_iv = true;     ///< a wrong iv would hardly make such a first block
  bool may_end_in_padding = false;      ///< none was looked for, and text ends as it does
  bool sectors_are_untried = false;     ///< there are sectors, and those of other sizes could not be tried
  bool has_lost_its_tag = false;        ///< GCM of which the tag was not written
  bool is_authenticated = false;        ///< a tag was verified
  bool is_of_cms = false;               ///< a message in CBC, which is authenticated by nothing
  std::string other_sectors;            ///< "sectors of 4096 bytes": under these it is another text; "" if there are none
  std::uint64_t num_failed_before = 0;  ///< files that this very key failed on in an earlier run

  /// Says whether the plaintext begins as text, or as a format whose first fields parse.
  [[nodiscard]] bool is_recognised() const { return !with.kind.empty(); }
  [[nodiscard]] bool begins_as_text() const { return with.kind == "text"; }
};

/// Counts how often a candidate opened and failed.
struct KeyCount {
  std::uint64_t opened = 0, failed = 0;
};

/// Counts how often each candidate opened or failed on the files of a run. Any number of threads may use it.
class KeyTrials {
 public:
  /// `mark` tells files apart, by their ciphertext: a copy of one that was opened before says nothing new. Files without one
  /// all count.
  void opened(const std::string& candidate, const std::string& mark = "");
  void failed(const std::string& candidate);

  [[nodiscard]] KeyCount count_of(const std::string& candidate) const;

  /// Says why the plaintext may be garbage, or nothing where all of it is vouched for:
  /// - The sums of the plaintext's own format vouch for all of it. A tag vouches, and GCM that has
  ///   lost its tag is never vouched for. A message of CMS in CBC is vouched for by a plaintext of a known kind.
  /// - Nothing else vouches where the plaintexts of two candidates are recognised: CFB, OFB and CTR agree in their first
  ///   block. Nothing else does where sectors of another size give text as well.
  /// - Text vouches, at sixteen places and more, if its first block shows the iv. It does not where the iv was read from the
  ///   file, since text may begin anywhere. It does not where padding may be left behind it, or sectors of other sizes are
  ///   untried.
  /// - The inside of other formats looks like noise, so that the padding must fit. It vouches for the end, and for all with
  ///   a beginning that shows the iv and the mode.
  /// - Otherwise padding vouches where the beginning or the key shows the iv, no other candidate gives as much, and chance
  ///   is ruled out. It is ruled out by candidates * (files the candidate failed on + 1) / (files it opened * 256^padding)
  ///   <= 10^-3. The failures are those of this run, or of an earlier one of the same key if they were more. Where another
  ///   candidate gives less padding, only the bytes that it has less count. Where padding is zeros but for one byte, only
  ///   that byte counts.
  [[nodiscard]] Doubt doubt(const KeyEvidence& evidence) const;

 private:
  struct Count : KeyCount {
    std::set<std::string> marks{};
  };

  [[nodiscard]] Doubt doubt_of_padding(const KeyEvidence& evidence) const;
  [[nodiscard]] Doubt doubt_with_padding(const KeyEvidence& evidence) const;

  mutable std::mutex mutex_;
  std::map<std::string, Count> counts_;
};

}  // namespace phalanx
