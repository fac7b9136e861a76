#include "files/foreign/message.hpp"

#include "files/foreign/openssl_keys.hpp"
#include "files/pipeline/growing_pieces.hpp"

namespace phalanx {

ForeignMessage::ForeignMessage(const MessagePlan& plan, Bytes secret, Input& input, Bytes derived)
    : ForeignMessage(plan, secret, derived, input, &input, input.name()) {}

ForeignMessage::ForeignMessage(const MessagePlan& plan, Bytes secret, ByteSource& source, const std::string& name)
    : ForeignMessage(plan, secret, {}, source, nullptr, name) {}

ForeignMessage::ForeignMessage(const MessagePlan& plan, Bytes secret, Bytes derived, ByteSource& source, Input* file,
                               const std::string& name)
    : plan_(plan),
      job_(plan.job),
      file_(file),
      decoded_(source),
      source_(plan.openssl.base64 ? static_cast<ByteSource&>(decoded_) : source) {
  if (file_ != nullptr) refuse_salted(plan_, *file_);
  SecretBytes key{secret};
  read_keys(key, derived, name);
  decryptor_ = make_decryptor(plan_.cipher, key, job_, plan_.options);
  // A wrong length shows before anything is written, where it is known; files of /proc say that they are empty.
  const std::uint64_t num_bytes = remaining_bytes().value_or(0);
  if (num_bytes == 0 || plan_.reads_part) return;
  try {
    decryptor_->check_length(num_bytes);
  } catch (const Error& error) {
    throw Error(error, explain_foreign(error, plan_));
  }
}

void ForeignMessage::read_keys(SecretBytes& key, Bytes derived, const std::string& name) {
  if (plan_.from_passphrase) {
    OpensslKeys keys = read_openssl_keys(plan_, key, derived, source_);
    key = std::move(keys.key);
    job_.iv = keys.iv;
    digest_ = plan_.openssl.derivation.digest;
  } else if (plan_.iv_prefix) {
    const std::size_t size = source_.read(MutableBytes(job_.iv.bytes).first(job_.iv.size));
    if (size == job_.iv.size) return;
    throw Error(ErrorCode::truncated, name + " ends within its iv of " + std::to_string(job_.iv.size) + " bytes");
  }
}

std::unique_ptr<PieceReader> ForeignMessage::reader(std::size_t piece_bytes, InputWatch* watch) {
  const std::size_t block_bytes = plan_.cipher.block_bytes;
  if (file_ != nullptr && !plan_.openssl.base64) {
    return watch != nullptr ? pieces_of(*watch, piece_bytes, block_bytes) : pieces_of(*file_, piece_bytes, block_bytes);
  }
  return std::make_unique<StreamPieces>(source_, piece_bytes, block_bytes);
}

std::optional<std::uint64_t> ForeignMessage::remaining_bytes() const {
  if (file_ == nullptr || plan_.openssl.base64) return std::nullopt;
  return file_->remaining_bytes();
}

std::string explain_foreign(const Error& error, const MessagePlan& plan) {
  const bool may_have_long_salt = plan.from_passphrase && plan.openssl.header_bytes() == openssl_header_bytes;
  if (error.code() == ErrorCode::truncated && may_have_long_salt && plan.names != nullptr)
    return std::string(error.what()) + "; if openssl enc was given -saltlen, give " + plan.names->salt_bytes;
  const bool unsure = error.code() == ErrorCode::wrong_key && plan.from_passphrase && !plan.openssl.find_digest;
  if (!unsure) return error.what();
  return std::string(error.what()) + "; are " + plan.names->derivation + " as it was written? " + plan.names->find_digest +
         " tries four digests" + hint_of_ecb(plan);
}

}  // namespace phalanx
