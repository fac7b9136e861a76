// Writing a container, or a bare message of chunked encryption, as a stream; and going on with one that a killed run began.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "files/container/format/body_facts.hpp"
#include "files/container/format/header.hpp"
#include "files/pipeline/plaintext_mac.hpp"
#include "files/pipeline/scheduler.hpp"
#include "files/system/output/output.hpp"

namespace phalanx {

/// What a container is besides its plaintext. The secrets stay the caller's.
struct ContainerJob {
  const Suite* suite = nullptr;
  std::vector<Recipient> recipients;  ///< 1 at least; none for a bare message
  Binding binding{};                  ///< with the name of this container, or none
  BindingNames binding_names{};
  bool bare = false;  ///< the message alone, under bare_key and bare_context
  Bytes bare_key;
  Bytes bare_context;
  RunOptions options;
  std::vector<Identity> identities{};  ///< who opens it besides the holders of keys and passphrases
};

/// Who opens what the job seals, as far as the run can say: none where it seals for public keys alone and no identity is
/// given.
[[nodiscard]] std::vector<Identity> openers_of(const ContainerJob& job);

/// False where the run cannot open its own output.
[[nodiscard]] inline bool can_open(const ContainerJob& job) { return job.bare || !openers_of(job).empty(); }

class ContainerFileWriter {
 public:
  /// Begins a container in `output`, which is open; or, where that was opened to resume and a record file
  /// (resume_record.hpp) tells of a run that was stopped, goes on with the one there. Throws Error for a partial file that
  /// is another's, which stays as it is: format for one that no record tells of, usage for another suite, for other
  /// recipients, and where the run cannot open its own output, wrong_key for another secret or context. Public keys
  /// are compared where the job has their identities, or those of others for whom it was begun; of the rest only the number
  /// is: the container stays for those whom it was begun for.
  ContainerFileWriter(const ContainerJob& job, Output& output);
  ~ContainerFileWriter();
  ContainerFileWriter(const ContainerFileWriter&) = delete;
  ContainerFileWriter& operator=(const ContainerFileWriter&) = delete;

  [[nodiscard]] const std::string& engine() const;  ///< what seals: "cpu:avx2"

  /// Bytes of plaintext that an earlier run had sealed, that are on the disk, and that are only compared; 0 for a container
  /// begun now.
  [[nodiscard]] std::uint64_t resumed_bytes() const;

  /// Whether an earlier run's container goes on.
  [[nodiscard]] bool goes_on() const;

  /// How long the plaintext is, where that run had settled it: its last piece is recorded, and may be on the disk.
  [[nodiscard]] std::optional<std::uint64_t> settled_bytes() const;

  /// Whether the disk did not give back what an earlier run had put there, or could not be heard to have taken it, so that
  /// this run began afresh, in a new file.
  [[nodiscard]] bool is_lost() const;

  /// Whether there was a partial file that holds nothing yet, so that this run began afresh.
  [[nodiscard]] bool started_over() const;

  /// How it runs: engine and threads.
  [[nodiscard]] const RunOptions& run_options() const;

  /// Seals all that the reader gives, in pieces of plain_piece_bytes, once it has gone through `stages` (none: the reader
  /// gives the plaintext itself). These keep each piece's size, but for the last. Returns the bytes read. Throws Error
  /// (usage) where the plaintext is not what the earlier run sealed. `plain_bytes`, where it is known, is how much plaintext
  /// comes at most: a file gets room for it before anything is sealed.
  std::uint64_t write(PieceReader& reader, std::span<PipelineStage* const> stages, Progress& progress,
                      std::optional<std::uint64_t> plain_bytes);

  /// What write has written to a file.
  [[nodiscard]] std::uint64_t written_bytes() const;

  /// Makes what was written to a file durable, reads it back, and compares the MAC of what it opens to, under `key`, with
  /// that of what went in. Where the run can open no recipient's key, the data key opens the body. Throws Error:
  /// authentication if that is another plaintext, runtime if the file cannot be read, and as opening does.
  void read_back(const PlaintextMacKey& key, const std::string& mac, Progress& progress) const;

  /// Where that came from.
  [[nodiscard]] ContentSource read_back_source() const;

  /// What tells this body from others, once it is written and before commit. Throws Error where the file cannot be read, or
  /// is not what was written.
  [[nodiscard]] BodyFacts body_facts(bool with_digest) const;

  /// Commits the output; then the container can no longer be continued.
  void commit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace phalanx
