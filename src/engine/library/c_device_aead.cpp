// This implements device_aead.h and device_batch.h over their C++.
#include "engine/library/c_device_aead.hpp"

#include <phalanx/device_aead.h>

#include <phalanx/device_aead.hpp>

#include "engine/library/c_arguments.hpp"
#include "engine/library/c_errors.hpp"

struct phalanx_device_aead {
  phalanx::DeviceAead aead;
};

namespace {

using phalanx::Bytes;
using phalanx::DeviceAead;
using phalanx::DeviceBatch;
using phalanx::DeviceCipher;
using phalanx::DeviceSectors;
using phalanx::DeviceVerdict;
using phalanx::DeviceVerdicts;
using phalanx::elements_at;
using phalanx::give_verdicts;
using phalanx::guarded;
using phalanx::not_null;
using phalanx::place_of;

static_assert(PHALANX_DEVICE_FORGED == static_cast<int>(DeviceVerdict::forged) &&
              PHALANX_DEVICE_AUTHENTIC == static_cast<int>(DeviceVerdict::authentic) &&
              PHALANX_DEVICE_MISPLACED == static_cast<int>(DeviceVerdict::misplaced));

const DeviceAead& aead_of(const phalanx_device_aead* aead) { return not_null(aead, "the aead").aead; }
const DeviceCipher& cipher_of(const phalanx_device_cipher* cipher) { return not_null(cipher, "the cipher").cipher; }
const DeviceVerdicts& verdicts_of(const phalanx_device_verdicts* verdicts) {
  return not_null(verdicts, "the verdicts").verdicts;
}

DeviceBatch batch_of(const phalanx_device_batch* batch) {
  const phalanx_device_batch given = phalanx::taken_struct(&not_null(batch, "the batch"), PHALANX_DEVICE_BATCH_INIT);
  DeviceBatch result;
  result.num_messages = given.num_messages;
  result.in = given.in;
  result.in_bytes = given.in_bytes;
  result.out = given.out;
  result.out_bytes = given.out_bytes;
  result.offset_bytes = given.offset_bytes == 0 ? 8 : given.offset_bytes;
  result.in_offsets = given.in_offsets;
  result.lengths = given.lengths;
  result.out_offsets = given.out_offsets;
  result.associated_data = given.associated_data;
  result.associated_bytes = given.associated_bytes;
  result.associated_offsets = given.associated_offsets;
  result.nonces = given.nonces;
  result.tags = given.tags;
  result.keys = given.keys;
  return result;
}

DeviceSectors sectors_of(const phalanx_device_sectors* sectors) {
  const phalanx_device_sectors given = phalanx::taken_struct(&not_null(sectors, "the sectors"), PHALANX_DEVICE_SECTORS_INIT);
  return {given.in, given.out, given.size, given.sector_bytes, given.first_tweak, given.tweak_step, given.numbers};
}

// These parts of a message are in the host's memory.
struct HostParts {
  Bytes nonce, associated_data;

  HostParts(const std::uint8_t* nonce_at, std::size_t nonce_bytes, const std::uint8_t* associated,
            std::size_t associated_bytes)
      : nonce(elements_at(nonce_at, nonce_bytes, "the nonce")),
        associated_data(elements_at(associated, associated_bytes, "the associated data")) {}
};

}  // namespace

void phalanx_device_verdicts_free(phalanx_device_verdicts* verdicts) { phalanx::free_in_c(verdicts); }

int phalanx_device_verdicts_pointers(const phalanx_device_verdicts* verdicts, const std::uint32_t** all_authentic,
                                     const std::uint8_t** each) {
  return guarded([&] {
    const DeviceVerdicts& of_call = verdicts_of(verdicts);
    if (all_authentic != nullptr) *all_authentic = of_call.all_authentic();
    if (each != nullptr) *each = reinterpret_cast<const std::uint8_t*>(of_call.each());
  });
}

int phalanx_device_verdicts_require(const phalanx_device_verdicts* verdicts, void* stream) {
  return guarded([&] { verdicts_of(verdicts).require(stream); });
}

int phalanx_device_verdicts_wait(const phalanx_device_verdicts* verdicts) {
  return guarded([&] { verdicts_of(verdicts).wait(); });
}

int phalanx_device_verdicts_read(const phalanx_device_verdicts* verdicts, std::uint8_t* each, std::size_t num_messages) {
  return guarded([&] {
    const DeviceVerdicts& of_call = verdicts_of(verdicts);
    const auto place = elements_at(each, num_messages, "the place of the verdicts");
    if (num_messages != of_call.num_messages()) {
      throw phalanx::Error(phalanx::ErrorCode::usage, "the call had " + std::to_string(of_call.num_messages()) +
                                                          " messages, and room for " + std::to_string(num_messages) +
                                                          " verdicts was given");
    }
    const std::vector<DeviceVerdict> all = of_call.read();
    if (!all.empty()) std::memcpy(place.data(), all.data(), all.size());
  });
}

int phalanx_device_aead_new(phalanx_device_aead** aead, const char* name, const std::uint8_t* key, std::size_t key_bytes,
                            const phalanx_aead_options* aead_options, const phalanx_engine_options* options) {
  return guarded([&] {
    phalanx_device_aead*& place = place_of(aead);
    if (phalanx::release_in_c(aead_options) != phalanx::PlaintextRelease::when_verified)
      throw phalanx::Error(phalanx::ErrorCode::usage,
                           "a device aead releases plaintext when it is verified: leave release out");
    place = new phalanx_device_aead{DeviceAead(&not_null(name, "the cipher's name"), elements_at(key, key_bytes, "the key"),
                                               phalanx::engine_in_c(options), phalanx::aead_options_in_c(aead_options))};
  });
}
void phalanx_device_aead_free(phalanx_device_aead* aead) { phalanx::free_in_c(aead); }

int phalanx_device_aead_engine(const phalanx_device_aead* aead, const char** engine) {
  return guarded([&] { not_null(engine, "the place of the name") = aead_of(aead).engine().c_str(); });
}

int phalanx_device_aead_seal(const phalanx_device_aead* aead, const std::uint8_t* nonce, std::size_t nonce_bytes,
                             const std::uint8_t* associated_data, std::size_t associated_bytes, const void* in, void* out,
                             std::size_t size, void* tag, void* stream) {
  return guarded([&] {
    const HostParts host(nonce, nonce_bytes, associated_data, associated_bytes);
    aead_of(aead).seal(host.nonce, host.associated_data, in, out, size, tag, stream);
  });
}

int phalanx_device_aead_open(const phalanx_device_aead* aead, const std::uint8_t* nonce, std::size_t nonce_bytes,
                             const std::uint8_t* associated_data, std::size_t associated_bytes, const void* in, void* out,
                             std::size_t size, const void* tag, void* stream) {
  return guarded([&] {
    const HostParts host(nonce, nonce_bytes, associated_data, associated_bytes);
    aead_of(aead).open(host.nonce, host.associated_data, in, out, size, tag, stream);
  });
}

int phalanx_device_aead_open_async(phalanx_device_verdicts** verdicts, const phalanx_device_aead* aead,
                                   const std::uint8_t* nonce, std::size_t nonce_bytes, const std::uint8_t* associated_data,
                                   std::size_t associated_bytes, const void* in, void* out, std::size_t size,
                                   const void* tag, void* stream) {
  return give_verdicts(verdicts, [&] {
    const HostParts host(nonce, nonce_bytes, associated_data, associated_bytes);
    return aead_of(aead).open_async(host.nonce, host.associated_data, in, out, size, tag, stream);
  });
}

int phalanx_device_aead_seal_batch(const phalanx_device_aead* aead, const phalanx_device_batch* batch, void* stream) {
  return guarded([&] { aead_of(aead).seal_batch(batch_of(batch), stream); });
}
int phalanx_device_aead_open_batch(const phalanx_device_aead* aead, const phalanx_device_batch* batch, void* stream) {
  return guarded([&] { aead_of(aead).open_batch(batch_of(batch), stream); });
}
int phalanx_device_aead_seal_batch_async(phalanx_device_verdicts** verdicts, const phalanx_device_aead* aead,
                                         const phalanx_device_batch* batch, void* stream) {
  return give_verdicts(verdicts, [&] { return aead_of(aead).seal_batch_async(batch_of(batch), stream); });
}
int phalanx_device_aead_open_batch_async(phalanx_device_verdicts** verdicts, const phalanx_device_aead* aead,
                                         const phalanx_device_batch* batch, void* stream) {
  return give_verdicts(verdicts, [&] { return aead_of(aead).open_batch_async(batch_of(batch), stream); });
}

int phalanx_device_cipher_encrypt_batch(const phalanx_device_cipher* cipher, const phalanx_device_batch* batch,
                                        void* stream) {
  return guarded([&] { cipher_of(cipher).encrypt_batch(batch_of(batch), stream); });
}
int phalanx_device_cipher_decrypt_batch(const phalanx_device_cipher* cipher, const phalanx_device_batch* batch,
                                        void* stream) {
  return guarded([&] { cipher_of(cipher).decrypt_batch(batch_of(batch), stream); });
}
int phalanx_device_cipher_encrypt_batch_async(phalanx_device_verdicts** verdicts, const phalanx_device_cipher* cipher,
                                              const phalanx_device_batch* batch, void* stream) {
  return give_verdicts(verdicts, [&] { return cipher_of(cipher).encrypt_batch_async(batch_of(batch), stream); });
}
int phalanx_device_cipher_decrypt_batch_async(phalanx_device_verdicts** verdicts, const phalanx_device_cipher* cipher,
                                              const phalanx_device_batch* batch, void* stream) {
  return give_verdicts(verdicts, [&] { return cipher_of(cipher).decrypt_batch_async(batch_of(batch), stream); });
}
int phalanx_device_cipher_encrypt_sectors(const phalanx_device_cipher* cipher, const phalanx_device_sectors* sectors,
                                          void* stream) {
  return guarded([&] { cipher_of(cipher).encrypt_sectors(sectors_of(sectors), stream); });
}
int phalanx_device_cipher_decrypt_sectors(const phalanx_device_cipher* cipher, const phalanx_device_sectors* sectors,
                                          void* stream) {
  return guarded([&] { cipher_of(cipher).decrypt_sectors(sectors_of(sectors), stream); });
}
