// Crypting a file in place, so that a killed run can be resumed.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <phalanx/bytes.hpp>
#include <string>

#include "files/foreign/message_cipher.hpp"
#include "files/foreign/raw_cipher.hpp"
#include "files/in_place/journal.hpp"
#include "files/in_place/mark.hpp"
#include "files/system/output/output_mapping.hpp"
#include "files/system/paths.hpp"
#include "files/system/progress.hpp"
#include "files/system/protected_files.hpp"
#include "files/system/signals.hpp"

namespace phalanx {

/// These are the rules for a file that cannot be marked (mark.hpp).
struct MarkRules {
  bool needs_room = true;   ///< one that has no room for the mark is refused; where no file has a mark, it is told
  std::string option = "";  ///< the caller's name for the setting that allows it, for messages
  std::function<void(const std::string& warning)> tell;
};

/// By these a run finds that the journal is its own.
struct JournalUse {
  Bytes key;                ///< the cipher's; the caller's memory
  int num_threads = 0;      ///< for digests and for writing long pieces; 0: all
  bool any_device = false;  ///< as JournalIdentity has it, and its name
  std::string any_device_name = "`any_device`";
};

/// Returns the journal's text of the command: cipher, direction, iv, sectors and pieces. Journals outlive versions, so
/// this text must stay as it is.
[[nodiscard]] std::string journal_parameters(const std::string& cipher_name, const CryptJob& job, std::size_t piece_bytes);

/// A regular file that a length-preserving job overwrites with its own crypted content, piece by piece (journal.hpp).
class InPlaceFile {
 public:
  /// Opens and locks `path`, following symbolic links. Throws Error (usage) if it is not a regular file, is a file that
  /// the run needs, or is locked by another. Throws the same for a file with hard links: those would not lead to its
  /// journal.
  InPlaceFile(const std::string& path, const ProtectedFiles& needed, MarkRules mark_rules);

  [[nodiscard]] std::uint64_t size_bytes() const { return size_bytes_; }

  /// The pieces in which it is taken.
  [[nodiscard]] std::size_t piece_bytes_of(const CryptJob& job) const;

  /// Crypts all of it, or the rest of it if a journal tells of a run that was stopped. Returns the bytes that this run found
  /// done already. An empty file is left as it is. Throws Error (format), and changes nothing, where the file is not as that
  /// run left it, or is half done and was renamed since. Once all of it is crypted, signals no longer end the run while this
  /// object lives.
  std::uint64_t crypt(const RawCipher& cipher, CryptJob job, const JournalUse& use, Progress& progress);

 private:
  struct Run;
  [[nodiscard]] JournalIdentity identity_for(const RawCipher& cipher, const CryptJob& job, const JournalUse& use,
                                             const InPlaceMark& mark) const;
  std::uint64_t crypt_pieces(Run& run, Progress& progress);
  void begin(Run& run);
  void resume(Run& run);
  void drop_cached() const;
  void require_on_disk(Run& run) const;
  void set_mark(Run& run) const;
  void check_piece_at_work(Run& run, const JournalRecord& record) const;
  [[nodiscard]] SecretBytes content_in_file(std::uint64_t piece, std::size_t piece_bytes) const;
  void set_piece(Run& run) const;
  void read_piece(const Run& run, std::uint64_t offset, MutableBytes out) const;
  void load_piece(Run& run) const;
  void crypt_piece(Run& run, bool recorded);
  void overwrite_piece(const Run& run);
  void remove_journal(Run& run) const;
  [[nodiscard]] std::uint64_t num_bytes_now() const;
  void require_size() const;
  void require_name() const;

  std::string path_;
  MarkRules mark_rules_;
  FileDescriptor file_;
  FileIdentity identity_;
  std::uint64_t size_bytes_ = 0;
  std::unique_ptr<OutputMapping> mapping_;  // of all of it, where that is faster
  std::optional<SignalBlocker> held_back_;  // once all of it is crypted
};

}  // namespace phalanx
