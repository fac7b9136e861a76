#include "files/foreign/message_files.hpp"

#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "files/foreign/base64_stream.hpp"
#include "files/foreign/openssl_keys.hpp"
#include "files/foreign/weak_keys.hpp"
#include "files/pipeline/growing_pieces.hpp"
#include "files/pipeline/piece_sinks.hpp"
#include "files/pipeline/scheduler.hpp"

namespace phalanx {
namespace {

// Holds what encrypts a message, and what stands before its ciphertext.
struct MessageBeginning {
  SecretBytes key;
  CryptJob job;
  std::optional<OpensslHeader> header;

  [[nodiscard]] Bytes bytes() const { return header ? Bytes(*header) : Bytes(); }
};

MessageBeginning begin_message(const MessagePlan& plan, SecretBytes secret) {
  if (!plan.from_passphrase) return {.key = std::move(secret), .job = plan.job, .header = {}};
  OpensslKeys keys = make_openssl_keys(plan, secret);
  MessageBeginning beginning{.key = std::move(keys.key), .job = plan.job, .header = keys.header};
  beginning.job.iv = keys.iv;
  return beginning;
}

// Returns the most bytes that a message of so many may become.
std::optional<std::uint64_t> with_padding(std::optional<std::uint64_t> num_bytes) {
  if (num_bytes) *num_bytes += max_padding_bytes;
  return num_bytes;
}

std::uint64_t run_cipher(PieceReader& reader, PipelineStage& cipher, PieceSink& sink, std::string_view engine,
                         const MessagePlan& plan, Progress& progress) {
  PipelineStage* const stages[] = {&cipher};
  return run_pieces(reader, stages, sink, progress, piece_threads(plan.options, engine));
}

void finish(InputWatch& watch, Output& output, const MessageNews& news) {
  const std::string what = watch.judge();
  if (!what.empty() && news.on_input_change) news.on_input_change(what);
  output.commit();
}

}  // namespace

void check_weak_key(const NamedCipher& cipher, Bytes key, const WeakKeyRule& rule) {
  if (rule.is_allowed) return;
  const std::string weakness = key_weakness(cipher, key);
  if (!weakness.empty()) throw Error(ErrorCode::policy, weakness + ": choose another key, or " + rule.how_to_allow);
}

std::uint64_t encrypt_message(const MessagePlan& plan, SecretBytes secret, const WeakKeyRule& weak_keys, InputWatch& watch,
                              Output& output, const MessageNews& news, Progress& progress) {
  const MessageBeginning beginning = begin_message(plan, std::move(secret));
  check_weak_key(plan.cipher.engine, beginning.key, weak_keys);
  const RawCipher raw_cipher(plan.cipher.engine, beginning.key, plan.job.sectors.sector_bytes != 0, plan.options);
  if (news.on_begun) news.on_begun(raw_cipher);
  MessageCipher cipher(raw_cipher, beginning.job);
  const std::optional<std::uint64_t> num_bytes = watch.input().remaining_bytes();
  // A wrong length shows before anything is written, where it is known; files of /proc say that they are empty.
  if (num_bytes.value_or(0) != 0) cipher.check_length(*num_bytes);
  output.open();
  const std::unique_ptr<PieceReader> reader =
      pieces_of(watch, piece_bytes_for(plan.job, is_gpu(raw_cipher.engine())), raw_cipher.facts().block_bytes);
  Base64Sink encoded(output);
  if (plan.openssl.base64) encoded.write(beginning.bytes());
  const std::unique_ptr<PieceSink> sink = plan.openssl.base64 ? std::make_unique<StreamSink>(encoded)
                                                              : sink_to(output, beginning.bytes(), with_padding(num_bytes));
  const std::uint64_t message_bytes = run_cipher(*reader, cipher, *sink, raw_cipher.engine(), plan, progress);
  finish(watch, output, news);
  return message_bytes;
}

std::uint64_t decrypt_message(const MessagePlan& plan, OldMessage& message, InputWatch& watch, Output& output,
                              const MessageNews& news, Progress& progress) {
  const std::string& engine = message.engine();
  const std::unique_ptr<PieceReader> reader = message.reader(piece_bytes_for(plan.job, is_gpu(engine)), &watch);
  const std::unique_ptr<PieceSink> sink = sink_to(output, {}, message.remaining_bytes());
  std::uint64_t message_bytes = 0;
  try {
    message_bytes = run_cipher(*reader, message.decryption(), *sink, engine, plan, progress);
  } catch (const Error& error) {
    throw Error(error, explain_foreign(error, plan));
  }
  finish(watch, output, news);
  return message_bytes;
}

}  // namespace phalanx
