#include "files/foreign/luks/luks_cipher.hpp"

#include <algorithm>
#include <optional>
#include <phalanx/error.hpp>
#include <vector>

#include "engine/bytes/byte_order.hpp"
#include "engine/ciphers/cipher_spec.hpp"
#include "engine/library/names/cipher_name.hpp"
#include "engine/library/names/dm_crypt_name.hpp"
#include "engine/secrets/secret_bytes.hpp"
#include "files/libcrypto/named_digest.hpp"

namespace phalanx {
namespace {

constexpr std::size_t block_bytes = 16;
constexpr std::string_view families[] = {"aes", "serpent", "twofish"};

// ESSIV takes the cipher under the digest of the key. A digest of 32 bytes is a key of each family.
constexpr const char* essiv_digest = "sha256";
constexpr std::size_t essiv_key_bits = 256;

NamedCipher cipher_named(const std::string& family, std::size_t bits, const std::string& mode) {
  return parse_cipher_name(family + "-" + std::to_string(bits) + "-" + mode);
}

}  // namespace

LuksCipher::Named LuksCipher::named(const std::string& encryption, std::size_t key_bytes) {
  const auto refuse = [&](const std::string& why) { return Named{{}, Iv::plain64, why}; };
  const std::string other = "is encrypted in " + encryption + ", which is not read here: `cryptsetup open` opens it";
  const std::optional<DmCryptName> name = parse_dm_crypt_name(encryption);
  if (!name || std::ranges::find(families, name->cipher) == std::end(families)) return refuse(other);
  const bool is_xts = name->mode == "xts", is_cbc = name->mode == "cbc";
  const std::string iv =
      name->iv.substr(0, name->iv.find(':'));  // libvirt writes "plain64:sha256", and plain has no use for it
  const bool is_plain = iv == "plain" || iv == "plain64";
  const bool is_essiv = is_cbc && name->iv == "essiv:" + std::string(essiv_digest);
  if (!(is_xts || is_cbc) || !(is_plain || is_essiv)) return refuse(other);
  const std::size_t bits = key_bytes * 8 / (is_xts ? 2 : 1);
  const bool is_key = key_bytes <= 64 && key_bytes % 8 == 0 && (bits == 128 || bits == 192 || bits == 256);
  if (!is_key) return refuse("has a key of " + std::to_string(key_bytes) + " bytes, which " + encryption + " does not take");
  return {cipher_named(name->cipher, bits, name->mode), is_essiv ? Iv::essiv : (iv == "plain" ? Iv::plain : Iv::plain64),
          ""};
}

std::string refuse_luks_cipher(const std::string& encryption, std::size_t key_bytes) {
  return LuksCipher::named(encryption, key_bytes).refusal;
}

LuksCipher::LuksCipher(const std::string& encryption, Bytes key, std::size_t sector_bytes, const EngineOptions& options)
    : LuksCipher(named(encryption, key.size()), key, sector_bytes, options) {}

LuksCipher::LuksCipher(const Named& named, Bytes key, std::size_t sector_bytes, const EngineOptions& options)
    : iv_(named.iv),
      sector_bytes_(sector_bytes),
      data_(named.refusal.empty() ? named.cipher : throw Error(ErrorCode::format, "it " + named.refusal), key, options) {
  if (iv_ != Iv::essiv) return;
  const NamedDigest digest(essiv_digest);
  SecretBytes essiv_key(digest.num_bytes());
  digest.compute({key}, essiv_key);
  const std::string name(named.cipher.cipher->name);
  essiv_ = std::make_unique<const KeyedMode>(cipher_named(name.substr(0, name.find('-')), essiv_key_bits, "ecb"), essiv_key,
                                             options);
}

void LuksCipher::decrypt(std::uint64_t iv_sector, MutableBytes text) const {
  data_.mode() == Mode::xts ? decrypt_xts(iv_sector, text) : decrypt_cbc(iv_sector, text);
}

// The 32 bits of `plain` wrap, so the sectors before and behind that are decrypted apart.
void LuksCipher::decrypt_xts(std::uint64_t iv_sector, MutableBytes text) const {
  while (!text.empty()) {
    std::uint64_t num_sectors = text.size() / sector_bytes_;
    if (iv_ == Iv::plain) {
      iv_sector &= UINT32_MAX;
      num_sectors = std::min(num_sectors, (UINT32_MAX - iv_sector) / step() + 1);
    }
    const MutableBytes part = text.first(static_cast<std::size_t>(num_sectors) * sector_bytes_);
    data_.crypt_sectors(Direction::decrypt, iv_sector, step(), sector_bytes_, part, part);
    iv_sector += num_sectors * step();
    text = text.subspan(part.size());
  }
}

void LuksCipher::decrypt_cbc(std::uint64_t iv_sector, MutableBytes text) const {
  constexpr std::size_t most_at_once = 4096;
  const std::size_t num_sectors = text.size() / sector_bytes_;
  SecretBytes ivs(std::min(num_sectors, most_at_once) * block_bytes);
  std::vector<BlockMessage> sectors;
  for (std::size_t start = 0; start < num_sectors; start += most_at_once) {
    const std::size_t count = std::min(most_at_once, num_sectors - start);
    std::fill(ivs.begin(), ivs.end(), std::uint8_t{0});
    sectors.clear();
    for (std::size_t i = 0; i < count; ++i) {
      std::uint8_t* const iv = ivs.data() + i * block_bytes;
      std::uint8_t* const sector = text.data() + (start + i) * sector_bytes_;
      const std::uint64_t number = iv_sector + (start + i) * step();
      store_u64(iv, iv_ == Iv::plain ? number & UINT32_MAX : number);
      sectors.push_back({{}, iv, sector, sector, sector_bytes_ / block_bytes});
    }
    if (essiv_) essiv_->data_key->crypt_range(Mode::ecb, Direction::encrypt, nullptr, ivs.data(), ivs.data(), count);
    data_.data_key->crypt_batch(Mode::cbc, Direction::decrypt, sectors);
  }
}

}  // namespace phalanx
