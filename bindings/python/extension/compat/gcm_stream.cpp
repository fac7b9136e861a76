#include "compat/gcm_stream.hpp"

#include <algorithm>
#include <cstring>

#include "engine/bytes/xor_bytes.hpp"
#include "engine/engines/gcm_ends.hpp"
#include "engine/engines/registry.hpp"

namespace phalanx {
namespace {

// The cipher in CTR, since parts of a message are its key stream from some counter on.
std::string counter_mode_name(const CipherFacts& facts) {
  if (facts.mode != "gcm") throw Error(ErrorCode::usage, facts.name + " has no tag: name a cipher in gcm");
  return facts.cipher + "-ctr";
}

}  // namespace

GcmStream::GcmStream(const std::string& name, Bytes key, Bytes nonce, Direction direction, int num_threads)
    : direction_(direction),
      counter_cipher_(std::make_unique<const Cipher>(counter_mode_name(cipher_facts(name)), key,
                                                     EngineOptions{.num_threads = num_threads})) {
  if (nonce.empty()) throw Error(ErrorCode::usage, "the nonce of " + name + " is empty: give 12 bytes that are new");
  WipedArray<16> subkey;  // section 7.1, step 1: zeros encrypted, which is the key stream of a counter of zeros
  constexpr std::uint8_t zeros[16] = {};
  counter_cipher_->encrypt(zeros, zeros, subkey.bytes);
  hash_ = std::make_unique<const CpuHash>(best_cpu_engine().set_hash_key(subkey.bytes, num_threads));
  write_first_counter(nonce);
  copy_counter_after(first_counter_.bytes, 1, counter_.bytes);
}

// J_0: section 7.1, step 2.
void GcmStream::write_first_counter(Bytes nonce) {
  if (nonce.size() == 12) return phalanx::write_first_counter(nonce.data(), first_counter_.bytes);
  hash(nonce);
  fill_hash();
  std::uint8_t lengths[16] = {};
  store_u64(lengths + 8, reverse_bytes(std::uint64_t{nonce.size()} * 8));
  hash_->update(y_.bytes, lengths, 1);
  std::memcpy(first_counter_.bytes, y_.bytes, 16);
  std::memset(y_.bytes, 0, 16);
}

void GcmStream::hash(Bytes in) {
  if (hash_kept_ != 0) {
    const std::size_t head = std::min(in.size(), 16 - hash_kept_);
    std::memcpy(hash_block_.bytes + hash_kept_, in.data(), head);
    hash_kept_ += head;
    in = in.subspan(head);
    if (hash_kept_ == 16) fill_hash();
  }
  const std::size_t whole = in.size() / 16 * 16;
  if (whole != 0) hash_->update(y_.bytes, in.data(), whole / 16);
  if (whole == in.size()) return;
  std::memcpy(hash_block_.bytes, in.data() + whole, in.size() - whole);
  hash_kept_ = in.size() - whole;
}

// What is kept of a block is hashed, behind it zeros.
void GcmStream::fill_hash() {
  if (hash_kept_ == 0) return;
  std::memset(hash_block_.bytes + hash_kept_, 0, 16 - hash_kept_);
  hash_->update(y_.bytes, hash_block_.bytes, 1);
  hash_kept_ = 0;
}

void GcmStream::add_associated_data(Bytes in) {
  if (has_text_) throw Error(ErrorCode::usage, "associated data come before the text: some text was there already");
  life_.survive([&] {
    associated_bytes_ += in.size();
    hash(in);
  });
}

// GCTR (section 6.5): whole blocks up to where the counter's low 32 bits wrap, then on.
void GcmStream::crypt(Bytes in, MutableBytes out) {
  while (keystream_used_ < 16 && !in.empty()) {
    out[0] = static_cast<std::uint8_t>(in[0] ^ keystream_.bytes[keystream_used_++]);
    in = in.subspan(1);
    out = out.subspan(1);
  }
  while (in.size() >= 16) {
    const std::uint64_t low = reverse_bytes(load_u64(counter_.bytes + 8)) & 0xffffffff;
    const auto num_blocks = std::min<std::uint64_t>(in.size() / 16, (std::uint64_t{1} << 32) - low);
    const std::size_t size = 16 * num_blocks;
    counter_cipher_->encrypt({counter_.bytes, 16}, in.first(size), out.first(size));
    copy_counter_after(counter_.bytes, num_blocks, counter_.bytes);
    in = in.subspan(size);
    out = out.subspan(size);
  }
  if (in.empty()) return;
  constexpr std::uint8_t zeros[16] = {};
  counter_cipher_->encrypt({counter_.bytes, 16}, zeros, keystream_.bytes);
  copy_counter_after(counter_.bytes, 1, counter_.bytes);
  xor_bytes(out.data(), in.data(), keystream_.bytes, in.size());
  keystream_used_ = in.size();
}

void GcmStream::update(Bytes in, MutableBytes out) {
  life_.require();
  if (in.empty()) return;
  constexpr std::uint64_t most_bytes = (std::uint64_t{1} << 36) - 32;  // section 5.2.1.1: 2^39 - 256 bits
  if (in.size() > most_bytes - text_bytes_) throw Error(ErrorCode::usage, "a message of GCM has at most 2^36 - 32 bytes");
  life_.survive([&] {
    if (!has_text_) fill_hash();
    has_text_ = true;
    text_bytes_ += in.size();
    if (direction_ == Direction::decrypt) hash(in);
    crypt(in, out);
    if (direction_ == Direction::encrypt) hash(out);
  });
}

void GcmStream::finish(std::uint8_t* tag) {
  life_.require();
  life_.end();
  fill_hash();
  std::uint8_t lengths[16];
  store_pair(lengths, Pair64{reverse_bytes(associated_bytes_ * 8), reverse_bytes(text_bytes_ * 8)});
  hash_->update(y_.bytes, lengths, 1);
  counter_cipher_->encrypt({first_counter_.bytes, 16}, {y_.bytes, 16}, {tag, 16});
}

}  // namespace phalanx
