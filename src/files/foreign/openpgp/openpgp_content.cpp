#include "files/foreign/openpgp/openpgp_content.hpp"

#include <algorithm>
#include <phalanx/error.hpp>

#include "files/foreign/openpgp/refusals.hpp"

namespace phalanx {

ContentOfMessage::ContentOfMessage(const OpenPgpMessage& message, ByteSink& content)
    : message_(message), packets_(content), before_tail_(packets_, message.tail_bytes()) {}

// A forged message is told by its code and by nothing else, so that what its packets look like is said afterwards.
template <class Take>
void ContentOfMessage::take(const Take& take_bytes) {
  if (failure_) return;
  try {
    take_bytes();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::format) throw;
    failure_ = std::current_exception();
  }
}

void ContentOfMessage::write(Bytes in) {
  const std::size_t passed = std::min(in.size(), message_.prefix_bytes() - num_passed_);
  num_passed_ += passed;
  take([&] { before_tail_.write(in.subspan(passed)); });
}

void ContentOfMessage::finish() {
  take([&] { packets_.finish(); });
}

void ContentOfMessage::require_content() const {
  if (!failure_) return;
  if (!message_.is_authenticated()) refuse_to_open_message(message_.name());
  try {
    std::rethrow_exception(failure_);
  } catch (const Error& error) {
    refuse_to_read_message(message_.name(), error.what());
  }
}

void OpenPgpContent::Stages::process(Piece& piece) {
  message_.decryption().process(piece);
  if (message_.detection() != nullptr) message_.detection()->process(piece);
}

void OpenPgpContent::Pending::write(Bytes in) {
  if (is_empty()) num_bytes_ = num_given_ = 0;
  if (bytes_.size() - num_bytes_ < in.size()) {
    SecretBytes larger(std::max(2 * bytes_.size(), num_bytes_ + in.size()));
    std::copy_n(bytes_.begin(), num_bytes_, larger.begin());
    bytes_ = std::move(larger);
  }
  std::ranges::copy(in, bytes_.begin() + num_bytes_);
  num_bytes_ += in.size();
}

std::size_t OpenPgpContent::Pending::give(MutableBytes out) {
  const std::size_t size = std::min(out.size(), num_bytes_ - num_given_);
  std::copy_n(bytes_.begin() + num_given_, size, out.begin());
  num_given_ += size;
  return size;
}

OpenPgpContent::OpenPgpContent(OpenPgpMessage& message)
    : message_(message),
      reader_(message.reader()),
      stages_(message),
      decrypted_(*reader_, stages_),
      content_(message, pending_) {}

// Few bytes are taken at once, since a thousand times as many may come of those that were compressed.
void OpenPgpContent::read_on() {
  WipedArray<1024> part;
  const std::size_t got = decrypted_.read({part.bytes, sizeof part.bytes});
  content_.write({part.bytes, got});
  if (got == sizeof part.bytes) return;
  is_at_end_ = true;
  content_.finish();
  reader_->finish();
  message_.finish();
  content_.require_content();
}

std::size_t OpenPgpContent::read(MutableBytes out) {
  std::size_t done = 0;
  while (done < out.size()) {
    if (!pending_.is_empty()) {
      done += pending_.give(out.subspan(done));
    } else if (is_at_end_) {
      break;
    } else {
      read_on();
    }
  }
  return done;
}

}  // namespace phalanx
