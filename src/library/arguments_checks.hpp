// The checks of arguments that more than one type needs: one line each, what is wrong and what to do.
#pragma once

#include <phalanx/phalanx.hpp>
#include <string>

namespace phalanx {

[[noreturn]] void fail_usage(const std::string& message);

/// "1 byte", "2 bytes"
std::string text_of(std::uint64_t num_bytes);

/// Throws Error (usage) if the number of threads is none.
void check_options(const Options& options);

/// Throws Error (usage) for a key of another size.
void check_key(const CipherFacts& facts, Bytes key);

/// Throws Error (usage) unless both have the same size, and are the same memory or disjoint.
void check_out(Bytes in, Bytes out);

/// Throws Error (usage) if they share memory.
void check_disjoint(Bytes in, Bytes out);

}  // namespace phalanx
