// This file implements the part of container_file.h that is recipients.hpp.
#include <phalanx/files/container_file.h>

#include <algorithm>
#include <phalanx/files/recipients.hpp>

#include "engine/library/c_errors.hpp"
#include "files/container/file/c_containers.hpp"
#include "files/pipeline/c_progress.hpp"

namespace {

using phalanx::cancellation_of;
using phalanx::elements_at;
using phalanx::engine_in_c;
using phalanx::FileResult;
using phalanx::guarded;
using phalanx::identities_of;
using phalanx::limits_of;
using phalanx::not_null;
using phalanx::options_of;
using phalanx::progress_of;
using phalanx::recipients_of;

}  // namespace

int phalanx_list_recipients(const char* path, phalanx_listed_recipient* recipients, std::size_t room,
                            std::size_t* num_recipients) {
  return guarded([&] {
    const phalanx::StructsAt places(recipients, room, PHALANX_LISTED_RECIPIENT_INIT, "the list of recipients");
    for (std::size_t i = 0; i < room; ++i) static_cast<void>(places[i]);  // before the file is read
    std::size_t& count = not_null(num_recipients, "the place of the number");
    const std::vector<phalanx::ListedRecipient> listed = phalanx::list_recipients(&not_null(path, "the path"));
    for (std::size_t i = 0; i < std::min(places.size(), listed.size()); ++i) {
      const phalanx::ListedRecipient& recipient = listed[i];
      phalanx_listed_recipient shown = PHALANX_LISTED_RECIPIENT_INIT;
      shown.kind = recipient.kind;
      shown.scrypt_bytes = recipient.scrypt_bytes;
      if (recipient.is(phalanx::KeyKind::passphrase)) {
        shown.log2_n = recipient.cost.log2_n;
        shown.r = recipient.cost.r;
        shown.p = recipient.cost.p;
      }
      places.give(i, shown);
    }
    count = listed.size();
  });
}

int phalanx_change_recipients(const char* path, const phalanx_identity* identities, std::size_t num_identities,
                              const phalanx_recipient* added, std::size_t num_added, const std::size_t* removed,
                              std::size_t num_removed, const phalanx_cost_limits* limits,
                              const phalanx_file_options* file_options, const phalanx_binding* binding,
                              const phalanx_engine_options* options, phalanx_file_result* result) {
  return guarded([&] {
    FileResult place(result);
    const phalanx_file_options given = options_of(file_options);
    const auto numbers = elements_at(removed, num_removed, "the list of numbers");
    const phalanx::ChangedRecipients changed =
        phalanx::change_recipients(&not_null(path, "the path"), identities_of(identities, num_identities),
                                   {.added = recipients_of(added, num_added), .removed = {numbers.begin(), numbers.end()}},
                                   {.limits = limits_of(limits),
                                    .binding = phalanx::binding_in_c(binding),
                                    .on_progress = progress_of(given.on_progress, given.user_data),
                                    .cancellation = cancellation_of(given.cancellation),
                                    .engine = engine_in_c(options)});
    place.filled.num_recipients = changed.num_recipients;
    place.filled.num_other_names = changed.num_other_names;
    place.put_lost(changed.lost_attributes);
    place.give();
  });
}

int phalanx_recipients_opened_by(const char* path, const phalanx_identity* identities, std::size_t num_identities,
                                 const phalanx_cost_limits* limits, std::size_t* numbers, std::size_t room,
                                 std::size_t* num_numbers) {
  return guarded([&] {
    const auto places = elements_at(numbers, room, "the list of numbers");
    std::size_t& count = not_null(num_numbers, "the place of how many there are");
    const std::vector<std::size_t> found = phalanx::recipients_opened_by(
        &not_null(path, "the path"), identities_of(identities, num_identities), limits_of(limits));
    std::copy_n(found.begin(), std::min(places.size(), found.size()), places.begin());
    count = found.size();
  });
}
