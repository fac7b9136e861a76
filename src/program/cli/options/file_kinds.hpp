// What opens a file, with the options of the program where that is ours.
#pragma once

#include <string>

#include "files/recognition/recognised_file.hpp"

namespace phalanx {

/// Returns the command that opens or reads a file of that kind, or whose program does; "" where nothing is known of that.
[[nodiscard]] std::string command_for(const RecognisedFile& file);

/// Returns the file with that command in its words.
[[nodiscard]] RecognisedFile with_command(RecognisedFile file);

}  // namespace phalanx
