// These are the failures of a message, in words that name it.
#pragma once

#include <phalanx/error.hpp>
#include <string>

namespace phalanx {

/// Throws the one Error (wrong_key) of a message that is not opened: nobody learns which of its reasons it was.
[[noreturn]] void refuse_to_open_message(const std::string& name);

/// Throws Error (format) for a message that is not read, and says why.
[[noreturn]] void refuse_to_read_message(const std::string& name, const std::string& why);

/// Returns what `read` returns. An Error (format) of a field does not know the message: it gets the message's name.
template <class Read>
auto with_name(const std::string& name, const Read& read) {
  try {
    return read();
  } catch (const Error& error) {
    if (!error.name().empty() || error.code() != ErrorCode::format) throw;
    refuse_to_read_message(name, error.what());
  }
}

}  // namespace phalanx
