// This implements chunked.h over chunked.hpp.
#include "engine/chunked/c_chunked.hpp"

#include "engine/chunked/c_streams.hpp"
#include "engine/library/c_arguments.hpp"
#include "engine/library/c_errors.hpp"

namespace {

using phalanx::aead_of;
using phalanx::append_in_c;
using phalanx::ChunkedAead;
using phalanx::ChunkedOpener;
using phalanx::ChunkedReader;
using phalanx::ChunkedSealer;
using phalanx::elements_at;
using phalanx::guarded;
using phalanx::not_null;
using phalanx::place_of;

ChunkedSealer& sealer_of(phalanx_chunked_sealer* sealer) { return not_null(sealer, "the message's sealer").sealer; }
ChunkedOpener& opener_of(phalanx_chunked_opener* opener) { return not_null(opener, "the message's opener").opener; }
const ChunkedReader& reader_of(const phalanx_chunked_reader* reader) {
  return not_null(reader, "the message's reader").reader;
}

}  // namespace

int phalanx_chunked_new(phalanx_chunked** chunked, const char* name, const std::uint8_t* key, std::size_t key_bytes,
                        const std::uint8_t* context, std::size_t context_bytes, const phalanx_engine_options* options) {
  return guarded([&] {
    phalanx_chunked*& place = place_of(chunked);
    place =
        new phalanx_chunked{ChunkedAead(&not_null(name, "the name"), elements_at(key, key_bytes, "the key"),
                                        elements_at(context, context_bytes, "the context"), phalanx::engine_in_c(options))};
  });
}
void phalanx_chunked_free(phalanx_chunked* chunked) { phalanx::free_in_c(chunked); }

int phalanx_chunked_engine(const phalanx_chunked* chunked, const char** engine) {
  return guarded([&] { not_null(engine, "the place of the name") = aead_of(chunked).engine().c_str(); });
}

int phalanx_chunked_sealed_bytes(std::uint64_t plain_bytes, std::uint64_t* sealed_bytes) {
  return guarded([&] { not_null(sealed_bytes, "the place of the size") = ChunkedAead::sealed_bytes(plain_bytes); });
}
int phalanx_chunked_plain_bytes(std::uint64_t sealed_bytes, std::uint64_t* plain_bytes) {
  return guarded([&] { not_null(plain_bytes, "the place of the size") = ChunkedAead::plain_bytes(sealed_bytes); });
}

int phalanx_chunked_seal(const phalanx_chunked* chunked, const std::uint8_t* in, std::size_t in_bytes, std::uint8_t* out,
                         std::size_t out_bytes) {
  return guarded(
      [&] { aead_of(chunked).seal(elements_at(in, in_bytes, "the input"), elements_at(out, out_bytes, "the output")); });
}
int phalanx_chunked_open(const phalanx_chunked* chunked, const std::uint8_t* in, std::size_t in_bytes, std::uint8_t* out,
                         std::size_t out_bytes) {
  return guarded(
      [&] { aead_of(chunked).open(elements_at(in, in_bytes, "the input"), elements_at(out, out_bytes, "the output")); });
}

int phalanx_chunked_sealer_new(phalanx_chunked_sealer** sealer, const phalanx_chunked* chunked, phalanx_append append,
                               void* user_data) {
  return guarded([&] {
    phalanx_chunked_sealer*& place = place_of(sealer);
    place = new phalanx_chunked_sealer{ChunkedSealer(aead_of(chunked), append_in_c(append, user_data, "the message"))};
  });
}
int phalanx_chunked_sealer_write(phalanx_chunked_sealer* sealer, const std::uint8_t* plain, std::size_t size) {
  return guarded([&] { sealer_of(sealer).write(elements_at(plain, size, "the input")); });
}
int phalanx_chunked_sealer_finish(phalanx_chunked_sealer* sealer) {
  return guarded([&] { sealer_of(sealer).finish(); });
}
void phalanx_chunked_sealer_free(phalanx_chunked_sealer* sealer) { phalanx::free_in_c(sealer); }

int phalanx_chunked_opener_new(phalanx_chunked_opener** opener, const phalanx_chunked* chunked, phalanx_append append,
                               void* user_data) {
  return guarded([&] {
    phalanx_chunked_opener*& place = place_of(opener);
    place = new phalanx_chunked_opener{ChunkedOpener(aead_of(chunked), append_in_c(append, user_data, "the plaintext"))};
  });
}
int phalanx_chunked_opener_write(phalanx_chunked_opener* opener, const std::uint8_t* sealed, std::size_t size) {
  return guarded([&] { opener_of(opener).write(elements_at(sealed, size, "the input")); });
}
int phalanx_chunked_opener_finish(phalanx_chunked_opener* opener) {
  return guarded([&] { opener_of(opener).finish(); });
}
void phalanx_chunked_opener_free(phalanx_chunked_opener* opener) { phalanx::free_in_c(opener); }

int phalanx_chunked_reader_new(phalanx_chunked_reader** reader, const phalanx_chunked* chunked, phalanx_read_at read_at,
                               void* user_data, std::uint64_t sealed_bytes) {
  return guarded([&] {
    phalanx_chunked_reader*& place = place_of(reader);
    const phalanx::ReadAt read = phalanx::read_at_in_c(read_at, user_data, "the message");
    place = new phalanx_chunked_reader{ChunkedReader(aead_of(chunked), read, sealed_bytes)};
  });
}
int phalanx_chunked_reader_of_memory(phalanx_chunked_reader** reader, const phalanx_chunked* chunked, const std::uint8_t* in,
                                     std::size_t in_bytes) {
  return guarded([&] {
    phalanx_chunked_reader*& place = place_of(reader);
    place = new phalanx_chunked_reader{ChunkedReader(aead_of(chunked), elements_at(in, in_bytes, "the input"))};
  });
}
void phalanx_chunked_reader_free(phalanx_chunked_reader* reader) { phalanx::free_in_c(reader); }

int phalanx_chunked_reader_size(const phalanx_chunked_reader* reader, std::uint64_t* plain_bytes) {
  return guarded([&] { not_null(plain_bytes, "the place of the size") = reader_of(reader).size(); });
}
int phalanx_chunked_reader_read(const phalanx_chunked_reader* reader, std::uint64_t offset, std::uint8_t* out,
                                std::size_t size) {
  return guarded([&] { reader_of(reader).read(offset, elements_at(out, size, "the output")); });
}
