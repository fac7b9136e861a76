#include "written_volume.hpp"

#include <algorithm>
#include <phalanx/cipher.hpp>
#include <phalanx/files/key_derivation.hpp>
#include <string_view>

#include "files/libcrypto/named_digest.hpp"

namespace phalanx {
namespace {

using namespace std::string_view_literals;
using Buffer = std::vector<std::uint8_t>;

constexpr std::size_t key_bytes = 64, area_offset = 4096, sector_bytes = 512;
constexpr std::uint32_t num_iterations = 10, written_slot = 2;

void put(Buffer& image, std::size_t offset, std::string_view text) {
  std::ranges::copy(text, image.begin() + static_cast<std::ptrdiff_t>(offset));
}

void put_number(Buffer& image, std::size_t offset, std::uint64_t number, std::size_t size = 4) {
  for (std::size_t i = size; i-- > 0; number >>= 8) image[offset + i] = static_cast<std::uint8_t>(number);
}

void put_bytes(Buffer& image, std::size_t offset, Bytes bytes) {
  std::ranges::copy(bytes, image.begin() + static_cast<std::ptrdiff_t>(offset));
}

Buffer counted(std::size_t size, unsigned factor) {
  Buffer bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(factor * i + i / 251);
  return bytes;
}

// AFsplit, with stripes that count.
Buffer split(const Buffer& key, std::uint32_t num_stripes) {
  const NamedDigest digest("sha256");
  Buffer sum(key.size()), stripes;
  for (std::uint32_t i = 0; i + 1 < num_stripes; ++i) {
    const Buffer stripe = counted(key.size(), i + 3);
    stripes.insert(stripes.end(), stripe.begin(), stripe.end());
    for (std::size_t j = 0; j < sum.size(); ++j) sum[j] = static_cast<std::uint8_t>(sum[j] ^ stripe[j]);
    for (std::size_t j = 0; j < sum.size(); j += digest.num_bytes()) {
      const Buffer number = {0, 0, 0, static_cast<std::uint8_t>(j / digest.num_bytes())};
      const MutableBytes piece = MutableBytes(sum).subspan(j, digest.num_bytes());
      digest.compute({number, piece}, piece);
    }
  }
  for (std::size_t j = 0; j < sum.size(); ++j) stripes.push_back(static_cast<std::uint8_t>(sum[j] ^ key[j]));
  return stripes;
}

Buffer encrypt(Bytes key, Buffer text) {
  SectorCipher("aes-256-xts", key).encrypt(0, 1, sector_bytes, text, text);
  return text;
}

}  // namespace

Buffer write_luks1(Bytes plain, std::uint32_t num_stripes) {
  const Buffer key = counted(key_bytes, 11), salt(32, 's');
  Buffer image(written_data_offset);
  put(image, 0, "LUKS\xba\xbe\0\1"sv);
  put(image, 8, "aes");
  put(image, 40, "xts-plain64");
  put(image, 72, "sha256");
  put_number(image, 104, written_data_offset / sector_bytes);
  put_number(image, 108, key_bytes);
  derive_pbkdf2("sha256", key, Bytes(salt), static_cast<int>(num_iterations), MutableBytes(image).subspan(112, 20));
  put_bytes(image, 132, salt);
  put_number(image, 164, num_iterations);
  put(image, 168, "a uuid");
  for (std::size_t slot = 208; slot < 592; slot += 48) put_number(image, slot, 0xdead);
  constexpr std::size_t slot = 208 + 48 * written_slot;
  put_number(image, slot, 0xac71f3);
  put_number(image, slot + 4, num_iterations);
  put_bytes(image, slot + 8, salt);
  put_number(image, slot + 40, area_offset / sector_bytes);
  put_number(image, slot + 44, num_stripes);
  Buffer area_key(key_bytes), material = split(key, num_stripes);
  derive_pbkdf2("sha256", bytes_of(written_passphrase), salt, static_cast<int>(num_iterations), area_key);
  material.resize((material.size() + sector_bytes - 1) / sector_bytes * sector_bytes);
  put_bytes(image, area_offset, encrypt(area_key, material));
  const Buffer data = encrypt(key, {plain.begin(), plain.end()});
  image.insert(image.end(), data.begin(), data.end());
  return image;
}

Buffer write_luks2_header(const std::string& json, std::uint64_t offset, std::uint64_t sequence) {
  constexpr std::size_t header_bytes = 16384, json_offset = 4096, checksum = 448;
  Buffer header(header_bytes);
  put(header, 0, offset == 0 ? "LUKS\xba\xbe\0\2"sv : "SKUL\xba\xbe\0\2"sv);
  put_number(header, 8, header_bytes, 8);
  put_number(header, 16, sequence, 8);
  put(header, 72, "sha256");
  put(header, 168, "a uuid");
  put_number(header, 256, offset, 8);
  put(header, json_offset, std::string_view(json).substr(0, header_bytes - json_offset));
  const NamedDigest digest("sha256");
  Buffer computed(digest.num_bytes());
  digest.compute({header}, computed);
  put_bytes(header, checksum, computed);
  return header;
}

}  // namespace phalanx
