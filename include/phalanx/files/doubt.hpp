// This header says how sure a migration is that an old file was opened with the right key. phalanx.hpp has the conventions.
#pragma once

#include <phalanx/version.h>

#include <cstdint>
#include <string>

#pragma GCC visibility push(default)
namespace phalanx {
inline namespace PHALANX_VERSION_NAMESPACE {

/// Says why the old key may be wrong, and the plaintext garbage. Treat a number that you do not know as a doubt.
enum class DoubtKind : std::uint8_t {
  none = 0,             ///< all of the plaintext is confirmed
  nothing_known = 1,    ///< no padding is checked, and the plaintext is of no known kind
  beginning_alone = 2,  ///< only the beginning is of a known kind
  another_fits = 3,     ///< another candidate, or sectors of another size, give what looks as right
  chance = 4,           ///< there is padding, but a wrong key gives as much by chance
  first_block = 5,      ///< the key was right, but the iv may be wrong or missing, and with it the first block
  padding_in_text = 6,  ///< text that ends as padding does: padding may have been left in it
  sectors_untried = 7,  ///< sectors of other sizes could not be tried
  not_recorded = 8,     ///< an earlier version was in doubt, and its manifest does not say of which kind
  no_tag = 9,           ///< the data is of GCM, and its tag was not written: nothing shows that it is whole
};

/// This is a doubt about one file. A program that decides whether an old file may go asks for the kind: only `none` says
/// that it may.
struct Doubt {
  DoubtKind kind = DoubtKind::none;
  std::string sentence{};  ///< for people; "" for `none`

  explicit operator bool() const { return kind != DoubtKind::none; }
  bool operator==(const Doubt&) const = default;
};

/// Returns the name of a kind, "beginning_alone", and "none" for none.
[[nodiscard]] std::string doubt_name(DoubtKind kind);

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx
#pragma GCC visibility pop
