// How sure we are that an old file was opened with the right key: nothing in it is authenticated, and padding fits by chance
// once in 256 times.
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

/// What speaks for the key that opened one file. A candidate is a way to get the key, such as a cipher, a passphrase and a
/// digest of `openssl enc`.
struct KeyEvidence {
  OpenedWith with;                      ///< its padding was checked
  bool is_passphrase = false;           ///< what opened it, and no key
  bool padding_is_zeros = false;        ///< but for one byte: what has none may end so, too
  bool is_text = false;                 ///< wherever it was looked at
  bool sums_are_right = false;          ///< those that its format has of all of it
  bool beginning_shows_mode = false;    ///< no other mode or size of sectors would give the same beginning
  bool key_shows_iv = true;             ///< a wrong iv would be a wrong key: there is none
  bool iv_is_read = false;              ///< from the file: without its first block the rest may be taken for a whole file
  bool first_block_shows_iv = true;     ///< as a wrong iv hardly makes it, whatever it is
  bool may_end_in_padding = false;      ///< none was looked for, and text ends as it does
  bool sectors_are_untried = false;     ///< there are sectors, and those of other sizes could not be tried
  bool has_lost_its_tag = false;        ///< GCM of which the tag was not written
  bool is_authenticated = false;        ///< a tag was verified
  bool is_of_cms = false;               ///< a message in CBC, which is authenticated by nothing
  std::string other_sectors;            ///< "sectors of 4096 bytes": under these it is another text; "" if there are none
  std::uint64_t num_failed_before = 0;  ///< files that this very key failed on in an earlier run

  /// The plaintext begins as text, or a format whose first fields parse.
  [[nodiscard]] bool is_recognised() const { return !with.kind.empty(); }
  [[nodiscard]] bool begins_as_text() const { return with.kind == "text"; }
};

/// How often a candidate opened and failed.
struct KeyCount {
  std::uint64_t opened = 0, failed = 0;
};

/// How often each candidate opened or failed on the files of a run. Any number of threads may use it.
class KeyTrials {
 public:
  /// `mark` tells files apart, by their ciphertext: a copy of one that was opened before says nothing new. Files without one
  /// all count.
  void opened(const std::string& candidate, const std::string& mark = "");
  void failed(const std::string& candidate);

  [[nodiscard]] KeyCount count_of(const std::string& candidate) const;

  /// Why the plaintext may be garbage, none if it is vouched for: all of it must be. A tag does that, and the sums of its
  /// own format. A message of CMS in CBC is vouched for by a plaintext of a known kind, whose padding was checked. So
  /// does text, at sixteen places and more; but not where the iv was read from the file, since text may begin anywhere, nor
  /// where padding may be left behind it, nor under sectors as long as others may give text as well. The inside of other
  /// formats looks like noise: there the padding must fit. It vouches for the end, and with a beginning that shows the mode
  /// for all; alone only where there is no iv, no other candidate gives as much, and it is beyond chance after so many
  /// trials: candidates * (files the candidate failed on + 1) / (files it opened * 256^padding) <= 10^-3, where it failed
  /// on as many files as in the worse of this run and an earlier one of the same key. Where another
  /// gives less padding, only the bytes that it has less count; of padding that is zeros but for one byte, that byte. Two
  /// candidates whose plaintexts are recognised vouch for neither: CFB, OFB and CTR agree in their first block.
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
