// The checks of phalanx::Cipher's arguments: one line each, what is wrong and what to do.
#include "library/keyed_mode.hpp"
#include "modes/chaining.hpp"
#include "modes/mode_facts.hpp"

namespace phalanx {
namespace {

std::string text_of(std::uint64_t num_bytes) { return std::to_string(num_bytes) + (num_bytes == 1 ? " byte" : " bytes"); }

void check_out(Bytes in, std::size_t out_size) {
  if (out_size != in.size()) {
    fail_usage("the output has " + text_of(out_size) + " and the input " + text_of(in.size()) + ": give them the same size");
  }
}

/// Plaintext that does not fit is the caller's mistake; ciphertext that does not has lost its end.
ErrorCode length_error(Direction direction) {
  return direction == Direction::encrypt ? ErrorCode::usage : ErrorCode::truncated;
}

}  // namespace

void fail_usage(const std::string& message) { throw Error(ErrorCode::usage, message); }

void check_options(const Options& options) {
  if (options.num_threads < 0) fail_usage("the number of threads is negative: give 0 for all");
}

std::size_t KeyedMode::iv_bytes() const { return phalanx::iv_bytes(named); }

void KeyedMode::check_mode_is(Mode wanted, const char* functions) const {
  if (mode() != wanted) {
    fail_usage(std::string(functions) + " are for " + std::string(facts_of(wanted).name) + ", and this is " + name);
  }
}

void KeyedMode::check_key(Bytes key) const {
  const std::size_t expected = phalanx::key_bytes(named);
  if (key.size() != expected) {
    fail_usage("the key of " + name + " is " + text_of(expected) + ", and " + text_of(key.size()) + " were given");
  }
}

void KeyedMode::check_iv(Bytes iv) const {
  if (mode() == Mode::gcm) fail_usage(name + " is authenticated: use seal and open");
  if (iv.size() == iv_bytes()) return;
  if (iv_bytes() == 0) fail_usage(name + " takes no iv, and " + text_of(iv.size()) + " were given");
  fail_usage("the iv of " + name + " is " + text_of(iv_bytes()) + ", and " + text_of(iv.size()) + " were given");
}

void KeyedMode::check_length(Direction direction, std::size_t num_bytes) const {
  const MessageLength length = facts_of(mode()).length;
  if (length == MessageLength::whole_blocks && (num_bytes & (block_bytes() - 1)) != 0) {
    const std::string what =
        name + " takes whole blocks of " + text_of(block_bytes()) + ", and the input has " + text_of(num_bytes);
    throw Error(length_error(direction), what + (direction == Direction::encrypt ? ": pad it first" : ": it is cut short"));
  }
  if (length == MessageLength::from_a_block && num_bytes < block_bytes()) {
    throw Error(length_error(direction),
                "a data unit of " + name + " has at least 16 bytes, and the input has " + text_of(num_bytes));
  }
}

void KeyedMode::check_message(Direction direction, Bytes iv, Bytes in, std::size_t out_size) const {
  check_iv(iv);
  check_out(in, out_size);
  check_length(direction, in.size());
}

void KeyedMode::check_part(Direction direction, Bytes iv, std::uint64_t offset, Bytes in, std::size_t out_size) const {
  check_iv(iv);
  check_out(in, out_size);
  if (!is_divisible(mode(), direction)) {
    fail_usage("a part of " + name +
               " depends on all that precedes it: use encrypt or decrypt, which return the iv to go on with");
  }
  if (!in.empty()) check_length(direction, in.size());
  if (mode() != Mode::ctr && offset % block_bytes() != 0) {
    fail_usage("a part of " + name + " starts at a multiple of " + text_of(block_bytes()) + ", and " +
               std::to_string(offset) + " is none");
  }
}

void KeyedMode::check_sectors(Direction direction, std::size_t sector_bytes, Bytes in, std::size_t out_size) const {
  check_mode_is(Mode::xts, "sectors");
  check_out(in, out_size);
  if (sector_bytes == 0 || sector_bytes % block_bytes() != 0) {
    fail_usage("a sector is a multiple of 16 bytes, and " + std::to_string(sector_bytes) +
               " is none: 512 and 4096 are usual");
  }
  if (const std::size_t rest = in.size() % sector_bytes; rest != 0 && rest < block_bytes()) {
    throw Error(length_error(direction), "the last sector has at least 16 bytes, and here it has " + std::to_string(rest));
  }
}

void KeyedMode::check_gcm(Bytes nonce, Bytes in, std::size_t out_size) const {
  check_mode_is(Mode::gcm, "seal and open");
  if (nonce.empty()) fail_usage("the nonce of " + name + " is empty: give 12 bytes that were never used with this key");
  check_out(in, out_size);
  constexpr std::uint64_t most_bytes = (std::uint64_t{1} << 36) - 32;  // SP 800-38D section 5.2.1.1: 2^39 - 256 bits
  if (in.size() > most_bytes) {
    fail_usage("a message of " + name + " has at most " + std::to_string(most_bytes) + " bytes, and " +
               std::to_string(in.size()) + " were given");
  }
}

}  // namespace phalanx
