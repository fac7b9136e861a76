#include "files/foreign/luks/luks_header.hpp"

#include <algorithm>
#include <array>
#include <phalanx/error.hpp>
#include <string_view>

#include "files/foreign/luks/luks1_header.hpp"
#include "files/foreign/luks/luks2_header.hpp"

namespace phalanx {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view magic = "LUKS\xba\xbe\0"sv;  // and the version's first byte
constexpr std::size_t magic_bytes = magic.size() + 1;

// Returns 0 where it is no version of LUKS.
int version_of(Bytes beginning) {
  const bool is_one = beginning.size() >= magic_bytes && std::ranges::equal(beginning.first(magic.size()), bytes_of(magic));
  const int version = is_one ? beginning[magic.size()] : 0;
  return version == 1 || version == 2 ? version : 0;
}

std::string counted(std::uint32_t number, const char* what, const char* several) {
  return std::to_string(number) + " " + (number == 1 ? what : several);
}

}  // namespace

std::string describe(const LuksDerivation& derivation) {
  if (derivation.kind == LuksDerivation::Kind::pbkdf2) {
    return "PBKDF2 with " + derivation.hash + ", " + counted(derivation.num_iterations, "iteration", "iterations");
  }
  return std::string(derivation.kind == LuksDerivation::Kind::argon2i ? "argon2i" : "argon2id") + ", " +
         counted(derivation.num_iterations, "pass", "passes") + " over " + std::to_string(derivation.memory_kib) + " KiB, " +
         counted(derivation.num_lanes, "lane", "lanes");
}

std::string text_of_field(Bytes field) {
  std::string text;
  for (const std::uint8_t byte : field) {
    if (byte == 0) break;
    text += byte >= 0x20 && byte < 0x7f ? static_cast<char>(byte) : '?';
  }
  return text;
}

void throw_damaged_luks(const VolumeBytes& bytes, const std::string& how) {
  throw Error(ErrorCode::format, "the header of " + bytes.name() + " is damaged: " + how, {.name = bytes.name()});
}

bool is_luks(Bytes beginning) { return version_of(beginning) != 0 || has_second_luks2_header(beginning); }

LuksHeader read_luks_header(const VolumeBytes& bytes) {
  std::array<std::uint8_t, magic_bytes> memory{};
  const MutableBytes beginning =
      MutableBytes(memory).first(static_cast<std::size_t>(std::min<std::uint64_t>(memory.size(), bytes.num_bytes())));
  bytes.read(0, beginning);
  switch (version_of(beginning)) {
    case 1:
      return read_luks1_header(bytes);
    case 2:
      return read_luks2_header(bytes);
    default:
      if (auto header = read_second_luks2_header(bytes)) return *std::move(header);
      throw Error(ErrorCode::format, bytes.name() + " is no volume of LUKS 1 or 2: it does not begin with such a header",
                  {.name = bytes.name()});
  }
}

}  // namespace phalanx
