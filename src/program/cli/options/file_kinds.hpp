// This says what opens a file, with the program's options where the program does.
#pragma once

#include <string>

#include "files/recognition/recognised_file.hpp"

namespace phalanx {

/// Returns the command that opens or reads a file of that kind, or the other program that does; "" where nothing is known of
/// that.
[[nodiscard]] std::string command_for(const RecognisedFile& file);

/// Returns the file with that command in its words.
[[nodiscard]] RecognisedFile with_command(RecognisedFile file);

}  // namespace phalanx
