// The class SectorCipher of Python: XTS over consecutive sectors of a volume.
#include "arguments/buffer.hpp"
#include "arguments/explained.hpp"
#include "arguments/secret.hpp"
#include "devices/cuda_after_fork.hpp"
#include "messages/cipher.hpp"
#include "messages/cipher_names.hpp"

namespace phalanx {
namespace {

using CryptSectors = void (SectorCipher::*)(std::uint64_t, std::uint64_t, std::size_t, Bytes, MutableBytes) const;

const SectorCipher& usable(const SectorCipher& cipher) {
  note_engine(cipher.engine());
  return cipher;
}

template <CryptSectors crypt>
nb::bytes crypt_sectors(const SectorCipher& self, nb::handle data, std::uint64_t first_tweak, std::uint64_t tweak_step,
                        std::size_t sector_bytes) {
  const HeldBuffer in(data, "data");
  NewBytes out = new_bytes(in.size());
  run_work(in.size(), [&] { (usable(self).*crypt)(first_tweak, tweak_step, sector_bytes, in.bytes(), out.memory); });
  return std::move(out.object);
}

template <CryptSectors crypt>
std::size_t crypt_sectors_into(const SectorCipher& self, nb::handle src, nb::handle dst, std::uint64_t first_tweak,
                               std::uint64_t tweak_step, std::size_t sector_bytes) {
  const HeldBuffer in(src, "src");
  const HeldBuffer out(dst, "dst", true);
  check_room(in.size(), out.bytes());
  const MutableBytes target = out.mutable_bytes().first(in.size());
  check_overlap(in.bytes(), target);
  run_work(in.size(), [&] { (usable(self).*crypt)(first_tweak, tweak_step, sector_bytes, in.bytes(), target); });
  return in.size();
}

constexpr const char* class_doc = R"(XTS over consecutive sectors of a volume, each of which is a data unit.

name is "aes-256-xts" and the like; key is the data key and then the tweak key. engine, threads, and what is true of threads
and of pickling are as for Cipher.

>>> import phalanx
>>> disk = phalanx.SectorCipher("aes-256-xts", bytes(range(64)))
>>> sealed = disk.encrypt(bytes(1024), first_tweak=7)
>>> disk.decrypt(sealed[512:], first_tweak=8) == bytes(512)
True
)";

constexpr const char* encrypt_doc = R"(Encrypts consecutive sectors, and returns them as bytes.

The tweak of sector i of data is first_tweak + i * tweak_step, little-endian, as dm-crypt's plain64 has it. sector_bytes is
a multiple of 16, and 16 MiB at most. The last sector may be shorter, but has at least 16 bytes. Raises UsageError and what
Cipher.encrypt raises: PolicyError for larger sectors, and for a key with equal halves. decrypt takes both.)";

}  // namespace

void bind_sectors(nb::module_& module) {
  nb::class_<SectorCipher> sectors(module, "SectorCipher", class_doc);
  def_explained(
      sectors, "__init__",
      [](SectorCipher* self, const std::string& name, nb::handle key, const std::string& engine, int threads) {
        check_cipher_name(name, CipherUse::bare);
        new (self) SectorCipher(name, HeldSecret(key, "the key").bytes(), make_options(engine, threads));
      },
      nb::arg("name"), nb::arg("key").none(), nb::arg("engine") = "auto", nb::arg("threads") = 0);
  bind_facts(sectors, "SectorCipher");
  const auto add = [&](const char* name, const auto& function, const char* doc) {
    def_explained(sectors, name, function, nb::arg("data").none(), nb::arg("first_tweak") = 0, nb::arg("tweak_step") = 1,
                  nb::arg("sector_bytes") = 512, doc);
  };
  add("encrypt", crypt_sectors<&SectorCipher::encrypt>, encrypt_doc);
  add("decrypt", crypt_sectors<&SectorCipher::decrypt>, "The inverse of encrypt.");
  const auto add_into = [&](const char* name, const auto& function, const char* doc) {
    def_explained(sectors, name, function, nb::arg("src").none(), nb::arg("dst").none(), nb::arg("first_tweak") = 0,
                  nb::arg("tweak_step") = 1, nb::arg("sector_bytes") = 512, doc);
  };
  add_into(
      "encrypt_into", crypt_sectors_into<&SectorCipher::encrypt>,
      "Encrypts the sectors of src into dst, and returns how many bytes were written. dst is src's memory, or disjoint.");
  add_into("decrypt_into", crypt_sectors_into<&SectorCipher::decrypt>, "The inverse of encrypt_into.");
  refuse_pickling(sectors);
}

}  // namespace phalanx
