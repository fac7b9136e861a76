// inspect.h over inspect.hpp.
#include <phalanx/files/inspect.h>

#include <algorithm>
#include <phalanx/files/inspect.hpp>

#include "engine/library/c_arguments.hpp"
#include "engine/library/c_errors.hpp"

// It was so long before it had the kind.
template <>
inline constexpr std::size_t phalanx::first_struct_bytes<phalanx_inspected> = 416;

int phalanx_inspect_file(const char* path, phalanx_inspected* inspected) {
  using phalanx::not_null;
  using phalanx::put_text;
  return phalanx::guarded([&] {
    phalanx::StructPlace place(&not_null(inspected, "the place of what was found"), PHALANX_INSPECTED_INIT);
    phalanx_inspected& filled = place.filled;
    const phalanx::InspectedFile file = phalanx::inspect_file(&not_null(path, "the path"));
    filled.format = static_cast<int>(file.format);
    filled.file_bytes = file.file_bytes;
    filled.version = file.container.version;
    put_text(file.container.suite, filled.suite);
    put_text(file.container.aead, filled.aead);
    filled.num_recipients = file.container.recipients.size();
    filled.header_bytes = file.container.header_bytes;
    filled.num_chunks = file.container.num_chunks;
    filled.plain_bytes = file.container.plain_bytes;
    put_text(file.container.problem, filled.problem);
    filled.is_base64 = file.is_base64 ? 1 : 0;
    std::ranges::copy(file.salt, filled.salt);
    filled.ciphertext_bytes = file.ciphertext_bytes;
    filled.needs_context = file.container.needs_context ? 1 : 0;
    filled.has_name = file.container.has_name ? 1 : 0;
    put_text(file.kind, filled.kind);
    put_text(file.form, filled.form);
    put_text(file.protection, filled.protection);
    put_text(file.description, filled.description);
    put_text(file.opened_by, filled.opened_by);
    filled.is_certain = file.is_certain ? 1 : 0;
    filled.is_cut = file.is_cut ? 1 : 0;
    filled.volume_version = file.volume.version;
    put_text(file.volume.cipher, filled.volume_cipher);
    filled.key_bytes = file.volume.key_bytes;
    filled.sector_bytes = file.volume.sector_bytes;
    filled.data_offset = file.volume.data_offset;
    filled.volume_bytes = file.volume.plain_bytes;
    filled.num_key_slots = file.volume.key_slots.size();
    put_text(file.volume.problem, filled.volume_problem);
    place.give();
  });
}
