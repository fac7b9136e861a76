// migration.h over migration.hpp.
#include <phalanx/migration.h>

#include <cstring>
#include <phalanx/migration.hpp>
#include <string>

#include "container/file/c_containers.hpp"
#include "foreign/c_format.hpp"
#include "library/c_errors.hpp"

namespace {

using phalanx::format_of;
using phalanx::guarded;
using phalanx::not_null;
using phalanx::options_in_c;

// Cut where the caller's array ends, which is then still a string.
template <std::size_t num_chars>
void put_text(const std::string& text, char (&place)[num_chars]) {
  std::memset(place, 0, num_chars);
  text.copy(place, num_chars - 1);
}

}  // namespace

int phalanx_migrate_file(const char* in, const phalanx_foreign_format* format, const char* out, const char* suite,
                         const phalanx_recipient* recipients, std::size_t num_recipients,
                         const phalanx_migration_options* migration, const phalanx_options* options,
                         phalanx_migrated* migrated) {
  return guarded([&] {
    phalanx_migrated& place = not_null(migrated, "the place of what came of it");
    phalanx_migrated filled = phalanx::taken_struct(place);
    const phalanx_migration_options given =
        migration == nullptr ? phalanx_migration_options PHALANX_MIGRATION_OPTIONS_INIT : phalanx::taken_struct(*migration);
    phalanx::MigrationOptions how{.verify = given.without_verification == 0,
                                  .replace = given.replace != 0,
                                  .resume = given.resume != 0,
                                  .engine = options_in_c(options)};
    if (given.on_progress != nullptr) {
      how.on_progress = [=](std::uint64_t num_bytes) { given.on_progress(given.context, num_bytes); };
    }
    const phalanx::Migrated result =
        phalanx::migrate_file(&not_null(in, "IN"), format_of(format), &not_null(out, "OUT"),
                              &not_null(suite, "the suite's name"), phalanx::recipients_of(recipients, num_recipients), how);
    filled.source_bytes = result.source_bytes;
    filled.container_bytes = result.container_bytes;
    put_text(result.sha256, filled.sha256);
    put_text(result.digest, filled.digest);
    put_text(result.doubt, filled.doubt);
    phalanx::give_struct(filled, place);
  });
}

int phalanx_verify_container(const char* path, const phalanx_identity* identities, std::size_t num_identities,
                             const phalanx_cost_limits* limits, const phalanx_options* options, phalanx_verified* verified) {
  return guarded([&] {
    phalanx_verified& place = not_null(verified, "the place of what came of it");
    phalanx_verified filled = phalanx::taken_struct(place);
    const phalanx::Verified result =
        phalanx::verify_container(&not_null(path, "the path"), phalanx::identities_of(identities, num_identities),
                                  phalanx::limits_of(limits), {}, options_in_c(options));
    filled.plain_bytes = result.plain_bytes;
    put_text(result.sha256, filled.sha256);
    phalanx::give_struct(filled, place);
  });
}
