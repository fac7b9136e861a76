// Files that a run in place over them (files/in_place/) has left half done, for those who would read them as they are.
#pragma once

#include <cstdint>
#include <string>

#include "files/system/input.hpp"

namespace phalanx {

/// The extended attribute that a file has while it is crypted in place: files/in_place/mark.hpp.
inline constexpr const char* in_place_mark_name = "user.phalanx.in-place";

/// Its value, "" if the file has none. Throws Error (runtime) where that cannot be known.
[[nodiscard]] std::string read_in_place_mark(int file, const std::string& path);

/// The name of the journal that a mark leads to; "" of "".
[[nodiscard]] std::string journal_in_mark(const std::string& mark);

/// The mark of a file that had `num_bytes` and has `num_now` once they are crypted, since another program wrote to it.
[[nodiscard]] std::string mark_of_resized(std::uint64_t num_bytes, std::uint64_t num_now);
/// What such a mark says, and what to do; "" of another.
[[nodiscard]] std::string explain_resized(const std::string& mark);

/// What is wrong with a file that a run in place was stopped over, or that got another size meanwhile, and what to do: by
/// the file's mark, or by a journal beside it, where that is looked for. "" where nothing is, or the input is no file. A
/// part of such a file is crypted already, and a part is not.
[[nodiscard]] std::string explain_half_done(const Input& input, bool may_lie_beside = true);

/// Throws Error (format) where the input is such a file.
void refuse_half_done(const Input& input);

}  // namespace phalanx
