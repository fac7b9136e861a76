#include "io/resumed_plaintext.hpp"

#include <openssl/crypto.h>

#include <algorithm>
#include <string>

#include "io/file_descriptor.hpp"

namespace phalanx {
namespace {

constexpr std::size_t block_bytes = 4096;                       // no file system writes less at once
constexpr std::size_t most_lost_bytes = std::size_t{16} << 20;  // they are kept in memory

[[noreturn]] void throw_differs(const std::string& name) {
  throw Error(
      ErrorCode::usage,
      name +
          " does not hold the beginning of this plaintext: give the IN that it was begun with, or begin afresh by --force");
}

}  // namespace

void ResumedPlaintext::write(Bytes in) {
  const std::uint64_t rest = file_.found_bytes() - std::min(file_.found_bytes(), position_);
  const std::size_t num_found = static_cast<std::size_t>(std::min<std::uint64_t>(in.size(), rest));
  if (num_found != 0) {
    if (found_.size() < num_found) found_ = SecretBytes(in.size());
    const MutableBytes found = MutableBytes(found_).first(num_found);
    if (read_at(file_.descriptor(), found, position_, file_.partial_path()) < found.size())
      throw_differs(file_.partial_path());
    compare(in, found);
  }
  position_ += num_found;
  if (position_ == file_.found_bytes()) write_lost();
  if (num_found == in.size()) return;
  file_.write_at(in.subspan(num_found), position_);
  position_ += in.size() - num_found;
}

// Block by block of the file. Only that something differs shows, and how far the file is good. Nothing is written before all
// that was found is known to be of this plaintext.
void ResumedPlaintext::compare(Bytes in, Bytes found) {
  for (std::size_t at = 0; at < found.size();) {
    const std::size_t size =
        std::min(block_bytes - static_cast<std::size_t>((position_ + at) % block_bytes), found.size() - at);
    const Bytes there = found.subspan(at, size);
    if (CRYPTO_memcmp(there.data(), in.data() + at, size) != 0) {
      std::uint8_t any = 0;
      for (const std::uint8_t byte : there) any = static_cast<std::uint8_t>(any | byte);
      if (any != 0) throw_differs(file_.partial_path());
      keep_lost(position_ + at, in.subspan(at, size));
    }
    at += size;
  }
}

void ResumedPlaintext::keep_lost(std::uint64_t position, Bytes content) {
  lost_bytes_ += content.size();
  if (lost_bytes_ > most_lost_bytes) {
    throw Error(ErrorCode::usage, file_.partial_path() + " has lost more than " + std::to_string(most_lost_bytes >> 20) +
                                      " MiB in a crash: begin afresh by --force");
  }
  lost_.push_back({position, SecretBytes(content)});
}

void ResumedPlaintext::write_lost() {
  for (const LostBlock& block : lost_) file_.write_at(block.content, block.position);
  lost_.clear();
}

void ResumedPlaintext::finish() {
  if (position_ < file_.found_bytes()) throw_differs(file_.partial_path());
}

}  // namespace phalanx
