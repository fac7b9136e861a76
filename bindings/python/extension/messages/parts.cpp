// Cipher.encrypt_part and its kin: a part of a message by its offset, where parts are independent.
#include "arguments/buffer.hpp"
#include "arguments/explained.hpp"
#include "devices/device_arrays.hpp"
#include "messages/cipher.hpp"

namespace phalanx {
namespace {

using CryptPart = void (Cipher::*)(Bytes, std::uint64_t, Bytes, MutableBytes) const;

template <CryptPart crypt>
nb::object crypt_part(nb::handle self, nb::handle data, std::uint64_t offset, nb::handle iv, nb::handle stream) {
  if (speaks_of_devices(data)) {
    return devices().attr("crypt_array")(self, crypt == &Cipher::encrypt_part, data, iv, nb::none(), offset, stream);
  }
  const auto& cipher = nb::cast<const PythonCipher&>(self);
  const HeldBuffer in(data, "data");
  const HeldBuffer held_iv = hold_optional(iv, "iv");
  NewBytes out = new_bytes(in.size());
  run_work(in.size(), [&] { (cipher.host().*crypt)(held_iv.bytes(), offset, in.bytes(), out.memory); });
  return std::move(out.object);
}

template <CryptPart crypt>
std::size_t crypt_part_into(nb::handle self, nb::handle src, nb::handle dst, std::uint64_t offset, nb::handle iv,
                            nb::handle stream) {
  if (speaks_of_devices(src)) {
    return nb::cast<std::size_t>(
        devices().attr("crypt_array_into")(self, crypt == &Cipher::encrypt_part, src, dst, iv, nb::none(), offset, stream));
  }
  const auto& cipher = nb::cast<const PythonCipher&>(self);
  const HeldBuffer in(src, "src");
  const HeldBuffer out(dst, "dst", true);
  const HeldBuffer held_iv = hold_optional(iv, "iv");
  check_room(in.size(), out.bytes());
  const MutableBytes target = out.mutable_bytes().first(in.size());
  check_overlap(in.bytes(), target);
  run_work(in.size(), [&] { (cipher.host().*crypt)(held_iv.bytes(), offset, in.bytes(), target); });
  return in.size();
}

constexpr const char* encrypt_part_doc =
    R"(Encrypts the part of a message that starts offset bytes from its beginning, and returns it as bytes.

For modes whose parts are independent: ECB, CTR and XTS, and CBC and CFB decryption (CipherFacts.encrypts_parts and
decrypts_parts). offset is a multiple of the block, except in CTR, which takes any. iv is the whole message's; for CBC and
CFB it is the ciphertext block before the part (at offset 0 the message's iv). Nothing is padded: ECB and CBC take whole
blocks, and in XTS only the last part has a length that is not whole blocks, of at least one. data may be an array in a
GPU's memory, and stream is for it, as for encrypt.

>>> import phalanx
>>> cipher = phalanx.Cipher("aes-256-ctr", bytes(32))
>>> sealed = cipher.encrypt(b"any letter of a long message", iv=bytes(16))
>>> cipher.decrypt_part(sealed[16:20], 16, iv=bytes(16))
b'long'

From 2 KiB on other threads run meanwhile. Raises UsageError, BufferTypeError, StrideError.)";

constexpr const char* encrypt_part_into_doc =
    R"(As encrypt_part, into dst, and returns how many bytes of dst were written: as many as src has.

dst is src's memory, from its beginning on, or disjoint from it. Raises SizeError, OverlapError, ReadOnlyError, and what
encrypt_part raises.)";

}  // namespace

void bind_parts(nb::class_<PythonCipher>& cipher) {
  const auto add = [&](const char* name, const auto& function, const char* doc) {
    def_explained(cipher, name, function, nb::arg("data").none(), nb::arg("offset"), nb::kw_only(),
                  nb::arg("iv") = nb::none(), nb::arg("stream") = nb::none(), doc);
  };
  add("encrypt_part", crypt_part<&Cipher::encrypt_part>, encrypt_part_doc);
  add("decrypt_part", crypt_part<&Cipher::decrypt_part>, "The inverse of encrypt_part, for a part of the ciphertext.");
  const auto add_into = [&](const char* name, const auto& function, const char* doc) {
    def_explained(cipher, name, function, nb::arg("src").none(), nb::arg("dst").none(), nb::arg("offset"), nb::kw_only(),
                  nb::arg("iv") = nb::none(), nb::arg("stream") = nb::none(), doc);
  };
  add_into("encrypt_part_into", crypt_part_into<&Cipher::encrypt_part>, encrypt_part_into_doc);
  add_into("decrypt_part_into", crypt_part_into<&Cipher::decrypt_part>, "The inverse of encrypt_part_into.");
}

}  // namespace phalanx
