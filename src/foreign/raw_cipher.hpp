// The cipher of raw data: over one message, or by sectors.
#pragma once

#include <phalanx/cipher.hpp>
#include <phalanx/foreign.hpp>
#include <string>
#include <string_view>
#include <variant>

#include "library/keyed_mode.hpp"
#include "pipeline/piece_job.hpp"
#include "secrets/secret_bytes.hpp"

namespace phalanx {

class RawCipher {
 public:
  RawCipher(std::string_view name, Bytes key, bool by_sectors, const Options& options)
      : cipher_(by_sectors ? AnyCipher(std::in_place_type<SectorCipher>, name, key, options)
                           : AnyCipher(std::in_place_type<Cipher>, name, key, options)),
        key_(key),
        engine_(options.engine) {}

  /// As another process of a group described it.
  RawCipher(JobDecoder& job, const Options& options) : RawCipher(Described(job), options) {}
  void encode(JobEncoder& job) const {
    job.put(engine_);
    job.put(facts().name);
    job.put(Bytes(key_));
    job.put(is_by_sectors() ? 1 : 0);
  }

  [[nodiscard]] const CipherFacts& facts() const {
    return std::visit([](const auto& cipher) -> const CipherFacts& { return cipher.facts(); }, cipher_);
  }
  [[nodiscard]] const std::string& engine() const {
    return std::visit([](const auto& cipher) -> const std::string& { return cipher.engine(); }, cipher_);
  }
  [[nodiscard]] bool is_by_sectors() const { return std::holds_alternative<SectorCipher>(cipher_); }
  [[nodiscard]] const Cipher& of_messages() const { return std::get<Cipher>(cipher_); }
  [[nodiscard]] const SectorCipher& of_sectors() const { return std::get<SectorCipher>(cipher_); }
  /// As encrypt_part of the one and encrypt of the other, for more than the library lets pass in XTS: a weak key that is
  /// allowed, and a long data unit, which MessageCipher refuses.
  void encrypt_part(Bytes iv, std::uint64_t offset, Bytes in, MutableBytes out) const {
    const KeyedMode& keyed = KeyedMode::state_of(of_messages());
    keyed.refuse_legacy();
    keyed.crypt_part(Direction::encrypt, iv, offset, in, out);
  }
  void encrypt_sectors(std::uint64_t first_tweak, const SectorLayout& layout, MutableBytes text) const {
    KeyedMode::state_of(of_sectors())
        .crypt_sectors(Direction::encrypt, first_tweak, layout.tweak_step, layout.sector_bytes, text, text);
  }

 private:
  struct Described {
    explicit Described(JobDecoder& job) : name(job.text()), key(job.bytes()), by_sectors(job.flag()) {}
    std::string name;
    Bytes key;
    bool by_sectors;
  };
  RawCipher(const Described& described, const Options& options)
      : RawCipher(described.name, described.key, described.by_sectors, with_legacy(options)) {}
  // Who described it has asked whether that may be.
  static Options with_legacy(Options options) {
    options.allow_legacy = true;
    return options;
  }

  using AnyCipher = std::variant<Cipher, SectorCipher>;
  AnyCipher cipher_;
  SecretBytes key_;
  std::string engine_;  // that was asked for
};

}  // namespace phalanx
