// phalanx.h over phalanx.hpp: no exception leaves these functions.
#include <phalanx/phalanx.h>

#include <cstring>
#include <phalanx/phalanx.hpp>
#include <vector>

#include "library/c_arguments.hpp"
#include "library/c_errors.hpp"

struct phalanx_cipher {
  phalanx::Cipher cipher;
};

namespace {

using phalanx::Bytes;
using phalanx::Cipher;
using phalanx::elements_at;
using phalanx::ErrorCode;
using phalanx::guarded;
using phalanx::MutableBytes;
using phalanx::not_null;

const Cipher& cipher_of(const phalanx_cipher* cipher) { return not_null(cipher, "the cipher").cipher; }

/// The iv of a cipher; none where ECB's caller gives null.
Bytes iv_of(const Cipher& cipher, const std::uint8_t* iv) {
  const std::size_t size = cipher.iv_bytes();
  if (size != 0 && iv == nullptr) {
    throw phalanx::Error(ErrorCode::usage, "the iv is null: " + cipher.name() + " takes " + std::to_string(size) + " bytes");
  }
  return {iv, size};
}

/// What goes in and where it goes.
struct Text {
  Bytes in;
  MutableBytes out;

  Text(const std::uint8_t* in_bytes, std::uint8_t* out_bytes, std::size_t size)
      : in(elements_at(in_bytes, size, "the input")), out(elements_at(out_bytes, size, "the output")) {}
};

void check_device_text(const void* in, void* out, std::size_t size) {
  static_cast<void>(Text(static_cast<const std::uint8_t*>(in), static_cast<std::uint8_t*>(out), size));
}

void store_next_iv(const phalanx::ChainValue& next, std::uint8_t* next_iv) {
  if (next_iv != nullptr) std::memcpy(next_iv, next.bytes.data(), next.size);
}

std::vector<phalanx::Message> batch_of(const Cipher& cipher, const phalanx_message* messages, std::size_t num_messages) {
  std::vector<phalanx::Message> batch;
  const auto all = elements_at(messages, num_messages, "the batch");
  batch.reserve(all.size());
  for (const phalanx_message& m : all) {
    const Text text(m.in, m.out, m.size);
    const Bytes key = m.key == nullptr ? Bytes{} : Bytes{m.key, cipher.key_bytes()};
    batch.push_back({iv_of(cipher, m.iv), text.in, text.out, key});
  }
  return batch;
}

}  // namespace

namespace phalanx {

thread_local std::string last_c_error;

int failed_in_c(ErrorCode code, const char* message) noexcept {
  try {
    last_c_error = message;
  } catch (const std::bad_alloc&) {
    last_c_error.clear();
  }
  return static_cast<int>(code);
}

}  // namespace phalanx

const char* phalanx_last_error(void) { return phalanx::last_c_error.c_str(); }
const char* phalanx_version(void) { return phalanx::version(); }

int phalanx_cipher_new(phalanx_cipher** cipher, const char* name, const std::uint8_t* key, std::size_t key_bytes,
                       const char* engine, int num_threads) {
  return guarded([&] {
    phalanx_cipher*& result = not_null(cipher, "the place of the cipher");
    result = nullptr;
    const phalanx::Options options{engine == nullptr ? "" : engine, num_threads};
    result =
        new phalanx_cipher{Cipher(&not_null(name, "the cipher's name"), elements_at(key, key_bytes, "the key"), options)};
  });
}
void phalanx_cipher_free(phalanx_cipher* cipher) { delete cipher; }

const char* phalanx_cipher_name(const phalanx_cipher* cipher) {
  return cipher == nullptr ? "" : cipher->cipher.name().c_str();
}
const char* phalanx_cipher_engine(const phalanx_cipher* cipher) {
  return cipher == nullptr ? "" : cipher->cipher.engine().c_str();
}
std::size_t phalanx_key_bytes(const phalanx_cipher* cipher) { return cipher == nullptr ? 0 : cipher->cipher.key_bytes(); }
std::size_t phalanx_block_bytes(const phalanx_cipher* cipher) {
  return cipher == nullptr ? 0 : cipher->cipher.block_bytes();
}
std::size_t phalanx_iv_bytes(const phalanx_cipher* cipher) { return cipher == nullptr ? 0 : cipher->cipher.iv_bytes(); }

int phalanx_encrypt(const phalanx_cipher* cipher, const std::uint8_t* iv, const std::uint8_t* in, std::uint8_t* out,
                    std::size_t size, std::uint8_t* next_iv) {
  return guarded([&] {
    const Cipher& keyed = cipher_of(cipher);
    const Text text(in, out, size);
    store_next_iv(keyed.encrypt(iv_of(keyed, iv), text.in, text.out), next_iv);
  });
}
int phalanx_decrypt(const phalanx_cipher* cipher, const std::uint8_t* iv, const std::uint8_t* in, std::uint8_t* out,
                    std::size_t size, std::uint8_t* next_iv) {
  return guarded([&] {
    const Cipher& keyed = cipher_of(cipher);
    const Text text(in, out, size);
    store_next_iv(keyed.decrypt(iv_of(keyed, iv), text.in, text.out), next_iv);
  });
}

int phalanx_encrypt_part(const phalanx_cipher* cipher, const std::uint8_t* iv, std::uint64_t offset, const std::uint8_t* in,
                         std::uint8_t* out, std::size_t size) {
  return guarded([&] {
    const Cipher& keyed = cipher_of(cipher);
    const Text text(in, out, size);
    keyed.encrypt_part(iv_of(keyed, iv), offset, text.in, text.out);
  });
}
int phalanx_decrypt_part(const phalanx_cipher* cipher, const std::uint8_t* iv, std::uint64_t offset, const std::uint8_t* in,
                         std::uint8_t* out, std::size_t size) {
  return guarded([&] {
    const Cipher& keyed = cipher_of(cipher);
    const Text text(in, out, size);
    keyed.decrypt_part(iv_of(keyed, iv), offset, text.in, text.out);
  });
}

int phalanx_encrypt_on_device(const phalanx_cipher* cipher, const std::uint8_t* iv, std::uint64_t offset, const void* in,
                              void* out, std::size_t size, void* stream) {
  return guarded([&] {
    const Cipher& keyed = cipher_of(cipher);
    check_device_text(in, out, size);
    keyed.encrypt_on_device(iv_of(keyed, iv), offset, in, out, size, stream);
  });
}
int phalanx_decrypt_on_device(const phalanx_cipher* cipher, const std::uint8_t* iv, std::uint64_t offset, const void* in,
                              void* out, std::size_t size, void* stream) {
  return guarded([&] {
    const Cipher& keyed = cipher_of(cipher);
    check_device_text(in, out, size);
    keyed.decrypt_on_device(iv_of(keyed, iv), offset, in, out, size, stream);
  });
}

int phalanx_encrypt_sectors(const phalanx_cipher* cipher, std::uint64_t first_tweak, std::uint64_t tweak_step,
                            std::size_t sector_bytes, const std::uint8_t* in, std::uint8_t* out, std::size_t size) {
  return guarded([&] {
    const Text text(in, out, size);
    cipher_of(cipher).encrypt_sectors(first_tweak, tweak_step, sector_bytes, text.in, text.out);
  });
}
int phalanx_decrypt_sectors(const phalanx_cipher* cipher, std::uint64_t first_tweak, std::uint64_t tweak_step,
                            std::size_t sector_bytes, const std::uint8_t* in, std::uint8_t* out, std::size_t size) {
  return guarded([&] {
    const Text text(in, out, size);
    cipher_of(cipher).decrypt_sectors(first_tweak, tweak_step, sector_bytes, text.in, text.out);
  });
}

int phalanx_encrypt_batch(const phalanx_cipher* cipher, const phalanx_message* messages, std::size_t num_messages) {
  return guarded([&] { cipher_of(cipher).encrypt_batch(batch_of(cipher_of(cipher), messages, num_messages)); });
}
int phalanx_decrypt_batch(const phalanx_cipher* cipher, const phalanx_message* messages, std::size_t num_messages) {
  return guarded([&] { cipher_of(cipher).decrypt_batch(batch_of(cipher_of(cipher), messages, num_messages)); });
}

int phalanx_seal(const phalanx_cipher* cipher, const std::uint8_t* nonce, std::size_t nonce_bytes,
                 const std::uint8_t* associated_data, std::size_t associated_bytes, const std::uint8_t* in,
                 std::uint8_t* out, std::size_t size, std::uint8_t* tag) {
  return guarded([&] {
    const Text text(in, out, size);
    cipher_of(cipher).seal(elements_at(nonce, nonce_bytes, "the nonce"),
                           elements_at(associated_data, associated_bytes, "the associated data"), text.in, text.out,
                           elements_at(tag, 16, "the tag"));
  });
}
int phalanx_open(const phalanx_cipher* cipher, const std::uint8_t* nonce, std::size_t nonce_bytes,
                 const std::uint8_t* associated_data, std::size_t associated_bytes, const std::uint8_t* in,
                 std::uint8_t* out, std::size_t size, const std::uint8_t* tag, std::size_t tag_bytes) {
  return guarded([&] {
    const Text text(in, out, size);
    cipher_of(cipher).open(elements_at(nonce, nonce_bytes, "the nonce"),
                           elements_at(associated_data, associated_bytes, "the associated data"), text.in, text.out,
                           elements_at(tag, tag_bytes, "the tag"));
  });
}

int phalanx_engine(std::size_t index, const char** name, const char** description, const char** reason) {
  return guarded([&] {
    static const auto& infos = *new std::vector<phalanx::EngineInfo>(phalanx::engines());  // its strings live for ever
    if (index >= infos.size())
      throw phalanx::Error(ErrorCode::usage, "there are " + std::to_string(infos.size()) + " engines");
    if (name != nullptr) *name = infos[index].name.c_str();
    if (description != nullptr) *description = infos[index].description.c_str();
    if (reason != nullptr) *reason = infos[index].reason.c_str();
  });
}
int phalanx_self_test(const char* engine) {
  return guarded([&] { phalanx::self_test(engine == nullptr ? "" : engine); });
}
