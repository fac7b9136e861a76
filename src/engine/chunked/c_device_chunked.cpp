// This implements the chunked encryption of device_aead.h over its C++.
#include <phalanx/device_aead.h>

#include <phalanx/device_aead.hpp>

#include "engine/library/c_arguments.hpp"
#include "engine/library/c_device_aead.hpp"
#include "engine/library/c_errors.hpp"

struct phalanx_device_chunked {
  phalanx::DeviceChunkedAead aead;
};

namespace {

using phalanx::DeviceChunkedAead;
using phalanx::elements_at;
using phalanx::give_verdicts;
using phalanx::guarded;
using phalanx::not_null;
using phalanx::place_of;

const DeviceChunkedAead& aead_of(const phalanx_device_chunked* chunked) {
  return not_null(chunked, "the key of messages").aead;
}

}  // namespace

int phalanx_device_chunked_new(phalanx_device_chunked** chunked, const char* name, const std::uint8_t* key,
                               std::size_t key_bytes, const std::uint8_t* context, std::size_t context_bytes,
                               const phalanx_engine_options* options) {
  return guarded([&] {
    phalanx_device_chunked*& place = place_of(chunked);
    const phalanx::EngineOptions chosen = phalanx::engine_in_c(options);
    place = new phalanx_device_chunked{DeviceChunkedAead(&not_null(name, "the name"), elements_at(key, key_bytes, "the key"),
                                                         elements_at(context, context_bytes, "the context"), chosen)};
  });
}
void phalanx_device_chunked_free(phalanx_device_chunked* chunked) { phalanx::free_in_c(chunked); }

int phalanx_device_chunked_engine(const phalanx_device_chunked* chunked, const char** engine) {
  return guarded([&] { not_null(engine, "the place of the name") = aead_of(chunked).engine().c_str(); });
}

int phalanx_device_chunked_seal(const phalanx_device_chunked* chunked, const void* in, std::uint64_t plain_bytes, void* out,
                                void* stream) {
  return guarded([&] { aead_of(chunked).seal(in, plain_bytes, out, stream); });
}
int phalanx_device_chunked_open(const phalanx_device_chunked* chunked, const void* in, std::uint64_t sealed_bytes, void* out,
                                void* stream) {
  return guarded([&] { aead_of(chunked).open(in, sealed_bytes, out, stream); });
}

int phalanx_device_chunked_seal_async(phalanx_device_verdicts** verdicts, const phalanx_device_chunked* chunked,
                                      const void* in, std::uint64_t plain_bytes, void* out, void* stream) {
  return give_verdicts(verdicts, [&] { return aead_of(chunked).seal_async(in, plain_bytes, out, stream); });
}
int phalanx_device_chunked_open_async(phalanx_device_verdicts** verdicts, const phalanx_device_chunked* chunked,
                                      const std::uint8_t* first_bytes, std::size_t num_first_bytes, const void* in,
                                      std::uint64_t sealed_bytes, void* out, void* stream) {
  return give_verdicts(verdicts, [&] {
    const phalanx::Bytes first = elements_at(first_bytes, num_first_bytes, "the message's first bytes");
    return aead_of(chunked).open_async(first, in, sealed_bytes, out, stream);
  });
}
