// The checks of arguments: one line each, what is wrong and what to do.
#include <cstdint>

#include "engine/library/keyed_mode.hpp"
#include "engine/modes/chaining.hpp"
#include "engine/modes/mode_facts.hpp"

namespace phalanx {
namespace {

// Plaintext that does not fit is the caller's mistake; ciphertext that does not has lost its end.
ErrorCode length_error(Direction direction) {
  return direction == Direction::encrypt ? ErrorCode::usage : ErrorCode::truncated;
}

}  // namespace

void fail_usage(const std::string& message) { throw Error(ErrorCode::usage, message); }
void fail_usage(const char* message) { throw Error(ErrorCode::usage, message); }

std::string text_of(std::uint64_t num_bytes) { return std::to_string(num_bytes) + (num_bytes == 1 ? " byte" : " bytes"); }

void check_options(const EngineOptions& options) {
  if (options.num_threads < 0) fail_usage("the number of threads is negative: give 0 for all");
}

void check_key(const CipherFacts& facts, Bytes key) {
  if (key.size() == facts.key_bytes) return;
  fail_usage("the key of " + facts.name + " is " + text_of(facts.key_bytes) + ", and " + text_of(key.size()) +
             " were given");
}

// These are the sizes of SP 800-38D section 5.2.1.2, without the 4 and 8 bytes of appendix C.
void check_tag_bytes(const CipherFacts& facts, std::size_t tag_bytes) {
  if (is_xaes(facts.name) && tag_bytes != facts.tag_bytes) {
    fail_usage(facts.name + " has tags of 16 bytes alone, and " + std::to_string(tag_bytes) + " were asked for");
  }
  if (tag_bytes >= 12 && tag_bytes <= 16) return;
  fail_usage("a tag has 16 bytes, or 12 to 15 to open what has such tags, and " + std::to_string(tag_bytes) +
             " were asked for");
}

void fail_out(Bytes in, Bytes out) {
  if (out.size() != in.size()) {
    fail_usage("the output has " + text_of(out.size()) + " and the input " + text_of(in.size()) +
               ": give them the same size");
  }
  fail_usage("input and output overlap in part: give the same memory for both, or memory that is disjoint");
}

void check_disjoint(Bytes in, Bytes out) {
  if (share_memory(in, out)) fail_usage("input and output overlap: give memory that is disjoint");
}

void KeyedMode::fail_iv(Bytes iv) const {
  if (iv_bytes() == 0) fail_usage(name() + " takes no iv, and " + text_of(iv.size()) + " were given");
  fail_usage("the iv of " + name() + " is " + text_of(iv_bytes()) + ", and " + text_of(iv.size()) + " were given");
}

void KeyedMode::fail_length(Direction direction, std::size_t num_bytes) const {
  if (facts_of(mode()).length == MessageLength::whole_blocks) {
    const std::string what =
        name() + " takes whole blocks of " + text_of(block_bytes()) + ", and the input has " + text_of(num_bytes);
    throw Error(length_error(direction), what + (direction == Direction::encrypt ? ": pad it first" : ": it is cut short"));
  }
  throw Error(length_error(direction),
              "a data unit of " + name() + " has at least 16 bytes, and the input has " + text_of(num_bytes));
}

void KeyedMode::fail_legacy() const {
  const bool is_des = named.cipher->family == CipherFamily::des;
  throw Error(ErrorCode::policy, name() +
                                     (is_des ? " is a legacy cipher, for reading old data: choose AES"
                                             : " shows which blocks are equal: choose another mode") +
                                     ", or set allow_legacy to encrypt with it");
}

void KeyedMode::check_cipher(const Message& message) const {
  if (!message.key.empty()) fail_usage("a message of the batch has a key and a cipher: give one of them");
  const KeyedMode& own = state_of(*message.cipher);
  if (&own.facts != &facts) {
    fail_usage("a message of a batch of " + name() + " is for a cipher of " + own.name() +
               ": give it to a batch of its own");
  }
  if (own.engine_name != engine_name) {
    fail_usage("a message of a batch on the engine " + engine_name + " is for a cipher on " + own.engine_name +
               ": set its key on the same engine");
  }
}

void KeyedMode::check_part(Direction direction, Bytes iv, std::uint64_t offset, Bytes in, Bytes out) const {
  check_iv(iv);
  check_out(in, out);
  if (!is_divisible(mode(), direction)) {
    fail_usage("a part of " + name() +
               " depends on all that precedes it: use encrypt or decrypt, which return the iv to go on with");
  }
  if (!in.empty()) check_length(direction, in.size());
  if (mode() != Mode::ctr && offset % block_bytes() != 0) {
    fail_usage("a part of " + name() + " starts at a multiple of " + text_of(block_bytes()) + ", and " +
               std::to_string(offset) + " is none");
  }
}

void KeyedMode::check_sectors(Direction direction, std::size_t sector_bytes, Bytes in, Bytes out) const {
  check_out(in, out);
  if (sector_bytes == 0 || sector_bytes % block_bytes() != 0) {
    fail_usage("a sector is a multiple of 16 bytes, and " + std::to_string(sector_bytes) +
               " is none: 512 and 4096 are usual");
  }
  if (const std::size_t rest = in.size() % sector_bytes; rest != 0 && rest < block_bytes()) {
    throw Error(length_error(direction), "the last sector has at least 16 bytes, and here it has " + std::to_string(rest));
  }
}

}  // namespace phalanx
