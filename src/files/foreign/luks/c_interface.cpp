// This is volume.h over volume.hpp.
#include <phalanx/files/volume.h>

#include <phalanx/files/volume.hpp>

#include "engine/library/c_arguments.hpp"
#include "engine/library/c_errors.hpp"

struct phalanx_volume_reader {
  phalanx::VolumeReader reader;
};

namespace {

using phalanx::elements_at;
using phalanx::engine_in_c;
using phalanx::guarded;
using phalanx::not_null;
using phalanx::put_text;

phalanx::VolumeOptions options_of(const phalanx_volume_options* options) {
  const phalanx_volume_options given = phalanx::taken_struct(options, PHALANX_VOLUME_OPTIONS_INIT);
  return {.header_path = given.header_path == nullptr ? "" : given.header_path,
          .start = given.start,
          .key_slot = given.key_slot};
}

}  // namespace

int phalanx_volume_reader_new(phalanx_volume_reader** reader, const char* path, const std::uint8_t* passphrase,
                              std::size_t passphrase_bytes, const phalanx_volume_options* volume,
                              const phalanx_engine_options* options) {
  return guarded([&] {
    phalanx_volume_reader*& place = phalanx::place_of(reader);
    place = new phalanx_volume_reader{phalanx::VolumeReader(&not_null(path, "the path"),
                                                            elements_at(passphrase, passphrase_bytes, "the passphrase"),
                                                            options_of(volume), engine_in_c(options))};
  });
}

void phalanx_volume_reader_free(phalanx_volume_reader* reader) { phalanx::free_in_c(reader); }

int phalanx_volume_reader_facts(const phalanx_volume_reader* reader, phalanx_volume_facts* facts) {
  return guarded([&] {
    const phalanx::VolumeReader& volume = not_null(reader, "the volume's reader").reader;
    phalanx::StructPlace place(&not_null(facts, "the place of the facts"), PHALANX_VOLUME_FACTS_INIT);
    phalanx_volume_facts& filled = place.filled;
    const phalanx::VolumeFacts& known = volume.facts();
    put_text(known.format, filled.format);
    put_text(known.uuid, filled.uuid);
    put_text(known.cipher, filled.cipher);
    filled.key_bytes = known.key_bytes;
    filled.sector_bytes = known.sector_bytes;
    filled.key_slot = known.key_slot;
    put_text(known.note, filled.note);
    filled.num_bytes = volume.num_bytes();
    place.give();
  });
}

int phalanx_volume_reader_read(const phalanx_volume_reader* reader, std::uint64_t offset, std::uint8_t* out,
                               std::size_t size, std::size_t* got_bytes) {
  return guarded([&] {
    std::size_t& result = not_null(got_bytes, "the place of the size");
    result = not_null(reader, "the volume's reader").reader.read(offset, elements_at(out, size, "the output"));
  });
}
