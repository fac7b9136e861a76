// This writes a container, or a bare message of chunked encryption, as a stream, and goes on with one that a killed run
// began.
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

/// Describes a container besides its plaintext. The secrets stay the caller's.
struct ContainerJob {
  const Suite* suite = nullptr;
  std::vector<Recipient> recipients;  ///< 1 at least; none for a bare message
  Binding binding{};                  ///< with the name of this container, or none
  BindingNames binding_names{};
  bool bare = false;  ///< a bare message, under bare_key and bare_context
  Bytes bare_key;
  Bytes bare_context;
  RunOptions options;
  std::vector<Identity> identities{};  ///< further ones who open it, besides the holders of keys and passphrases
};

/// Returns the identities that open what the job seals, as far as the run knows. There are none where it seals for public
/// keys alone and no identity is given.
[[nodiscard]] std::vector<Identity> openers_of(const ContainerJob& job);

/// Returns false where the run cannot open its own output.
[[nodiscard]] inline bool can_open(const ContainerJob& job) { return job.bare || !openers_of(job).empty(); }

class ContainerFileWriter {
 public:
  /// Begins a container in `output`, which is open. If `output` was opened to resume, and a record file (resume_record.hpp)
  /// describes a stopped run, it goes on with the container there.
  ///
  /// Public keys are compared where the job has their identities, or identities of others for whom the container was begun.
  /// Only the number of other public keys is compared: the container stays for those whom it was begun for.
  ///
  /// Throws Error for a partial file that is another's, which stays as it is:
  /// - format: no record describes it
  /// - usage: it has another suite or other recipients, or the run cannot open its own output
  /// - wrong_key: it has another secret or context
  ContainerFileWriter(const ContainerJob& job, Output& output);
  ~ContainerFileWriter();
  ContainerFileWriter(const ContainerFileWriter&) = delete;
  ContainerFileWriter& operator=(const ContainerFileWriter&) = delete;

  [[nodiscard]] const std::string& engine() const;  ///< the engine that seals: "cpu:avx2"

  /// Returns the bytes of plaintext that an earlier run had sealed, that are on the disk, and that are only compared.
  /// Returns 0 for a container begun now.
  [[nodiscard]] std::uint64_t resumed_bytes() const;

  /// Says whether an earlier run's container goes on.
  [[nodiscard]] bool goes_on() const;

  /// Returns the size of the plaintext, where the earlier run had settled it. Then its last piece is recorded, and may be on
  /// the disk.
  [[nodiscard]] std::optional<std::uint64_t> settled_bytes() const;

  /// Says whether this run began afresh, in a new file. That happens where the disk did not give back what an earlier run
  /// had written, or did not report that it had taken it.
  [[nodiscard]] bool is_lost() const;

  /// Says whether there was a partial file that holds nothing yet, so that this run began afresh.
  [[nodiscard]] bool started_over() const;

  /// Returns engine and threads.
  [[nodiscard]] const RunOptions& run_options() const;

  /// Seals all that the reader gives, in pieces of plain_piece_bytes, once it has gone through `stages`. Without stages the
  /// reader gives the plaintext itself. Stages keep each piece's size, except the last one's. Returns the bytes read. Throws
  /// Error (usage) where the earlier run sealed another plaintext. `plain_bytes`, where it is known, is the most plaintext
  /// that comes: a file gets room for it before anything is sealed.
  std::uint64_t write(PieceReader& reader, std::span<PipelineStage* const> stages, Progress& progress,
                      std::optional<std::uint64_t> plain_bytes);

  /// Returns the bytes that write has written to a file.
  [[nodiscard]] std::uint64_t written_bytes() const;

  /// Makes the file durable, reads it back, and compares the MAC of its plaintext, under `key`, with `mac`, that of the
  /// input. If the run can open no recipient's key, the data key opens the body. Throws Error: authentication if the
  /// plaintext differs, runtime if the file cannot be read, and as opening does.
  void read_back(const PlaintextMacKey& key, const std::string& mac, Progress& progress) const;

  /// Says where read_back read from.
  [[nodiscard]] ContentSource read_back_source() const;

  /// Returns the facts that tell this body from others, once it is written and before commit. Throws Error where the file
  /// cannot be read, or is not what was written.
  [[nodiscard]] BodyFacts body_facts(bool with_digest) const;

  /// Commits the output. After that the container cannot be continued.
  void commit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace phalanx
