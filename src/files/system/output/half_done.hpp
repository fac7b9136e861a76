// A run in place (files/in_place/) may have left a file half done. This finds such files for those who would read them as
// they are.
#pragma once

#include <cstdint>
#include <string>

#include "files/system/input.hpp"

namespace phalanx {

/// A file has this extended attribute while it is crypted in place (files/in_place/mark.hpp).
inline constexpr const char* in_place_mark_name = "user.phalanx.in-place";

/// Returns its value, or "" if the file has none. Throws Error (runtime) where that cannot be known.
[[nodiscard]] std::string read_in_place_mark(int file, const std::string& path);

/// Returns the name of the journal that a mark leads to, or "" for "".
[[nodiscard]] std::string journal_in_mark(const std::string& mark);

/// Returns the mark of a file that had `num_bytes` and has `num_now` once they are crypted, since another program wrote to
/// it.
[[nodiscard]] std::string mark_of_resized(std::uint64_t num_bytes, std::uint64_t num_now);
/// Explains such a mark, and says what to do. Returns "" for another mark.
[[nodiscard]] std::string explain_resized(const std::string& mark);

/// Says what is wrong with a file that a run in place was stopped over, or whose size changed meanwhile, and what to do. A
/// part of such a file is crypted already, and a part is not. The file's mark shows it, or a journal beside it, where that
/// is looked for. Returns "" where nothing is wrong, or the input is no file.
[[nodiscard]] std::string explain_half_done(const Input& input, bool may_lie_beside = true);

/// Throws Error (format) where the input is such a file.
void refuse_half_done(const Input& input);

}  // namespace phalanx
