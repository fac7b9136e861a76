// CFB with segments of 8 bits (SP 800-38A section 6.3, s = 8), for phalanx.compat: the library's CFB has whole blocks.
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstring>
#include <phalanx/cipher.hpp>
#include <vector>

#include "arguments/buffer.hpp"
#include "arguments/secret.hpp"
#include "arguments/sole_use.hpp"
#include "engine/ciphers/direction.hpp"
#include "engine/host/wiped_memory.hpp"
#include "messages/cipher.hpp"

namespace phalanx {
namespace {

// One message by parts. Encryption takes a block's time for each byte; decryption has its blocks side by side.
class ByteFeedback {
 public:
  ByteFeedback(const std::string& cipher_name, Bytes key, Bytes iv, Direction direction)
      : cipher_(cipher_name + "-ecb", key, {}, {.allow_legacy = true}),
        direction_(direction),
        block_bytes_(cipher_.facts().block_bytes) {
    if (iv.size() != block_bytes_) {
      throw Error(ErrorCode::usage, "the iv of " + cipher_name + " in CFB is " + std::to_string(block_bytes_) +
                                        " bytes, and " + std::to_string(iv.size()) + " were given");
    }
    std::copy(iv.begin(), iv.end(), register_.bytes);
  }

  [[nodiscard]] nb::bytes update(nb::handle data) {
    const HeldBuffer in(data, "data");
    const SoleUse use(in_use_, message_in_use);
    NewBytes out = new_bytes(in.size());
    const auto crypt = direction_ == Direction::encrypt ? &ByteFeedback::encrypt : &ByteFeedback::decrypt;
    run_work(in.size(), [&] { life_.survive([&] { (this->*crypt)(in.bytes(), out.memory); }); });
    return std::move(out.object);
  }

 private:
  void encrypt(Bytes in, MutableBytes out) {
    WipedArray<16> encrypted;
    for (std::size_t i = 0; i < in.size(); ++i) {
      cipher_.encrypt({}, {register_.bytes, block_bytes_}, {encrypted.bytes, block_bytes_});
      out[i] = static_cast<std::uint8_t>(in[i] ^ encrypted.bytes[0]);
      std::memmove(register_.bytes, register_.bytes + 1, block_bytes_ - 1);
      register_.bytes[block_bytes_ - 1] = out[i];
    }
  }

  // The register before each byte is what of the ciphertext stands before it.
  void decrypt(Bytes in, MutableBytes out) {
    constexpr std::size_t most_at_once = 4096;
    for (std::size_t first = 0; first < in.size(); first += most_at_once) {
      const std::size_t count = std::min(most_at_once, in.size() - first);
      std::vector<std::uint8_t> before(register_.bytes, register_.bytes + block_bytes_);
      before.insert(before.end(), in.begin() + static_cast<std::ptrdiff_t>(first),
                    in.begin() + static_cast<std::ptrdiff_t>(first + count));
      std::vector<std::uint8_t> registers(count * block_bytes_);
      for (std::size_t i = 0; i < count; ++i) std::memcpy(&registers[i * block_bytes_], &before[i], block_bytes_);
      cipher_.encrypt({}, registers, registers);
      for (std::size_t i = 0; i < count; ++i) {
        out[first + i] = static_cast<std::uint8_t>(in[first + i] ^ registers[i * block_bytes_]);
      }
      std::memcpy(register_.bytes, &before[count], block_bytes_);
      wipe_memory(registers.data(), registers.size());
    }
  }

  Cipher cipher_;
  Direction direction_;
  std::size_t block_bytes_;
  bool in_use_ = false;
  MessageLife life_;
  WipedArray<16> register_;
};

}  // namespace

void bind_byte_feedback(nb::module_& module) {
  nb::class_<ByteFeedback> feedback(module, "ByteFeedback", "CFB with segments of 8 bits, by parts.");
  feedback
      .def(
          "__init__",
          [](ByteFeedback* self, const std::string& cipher, nb::handle key, nb::handle iv, bool encrypts) {
            new (self) ByteFeedback(cipher, HeldSecret(key, "the key").bytes(), HeldBuffer(iv, "iv").bytes(),
                                    encrypts ? Direction::encrypt : Direction::decrypt);
          },
          nb::arg("cipher"), nb::arg("key").none(), nb::arg("iv").none(), nb::arg("encrypts"))
      .def("update", &ByteFeedback::update, nb::arg("data").none());
  refuse_pickling(feedback);
}

}  // namespace phalanx
