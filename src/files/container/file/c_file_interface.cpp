// This file implements container_file.h and verification.h by container_file.hpp and verification.hpp.
#include <phalanx/files/container_file.h>
#include <phalanx/files/verification.h>

#include <phalanx/files/container_file.hpp>
#include <phalanx/files/verification.hpp>

#include "engine/library/c_errors.hpp"
#include "files/container/file/c_containers.hpp"
#include "files/pipeline/c_progress.hpp"

struct phalanx_new_container_file {
  phalanx::NewContainerFile file;
};

namespace {

using phalanx::binding_in_c;
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
using phalanx::put_text;
using phalanx::recipients_of;
using phalanx::taken_struct;

phalanx::VerificationOptions verification_of(const phalanx_verification_options* verification,
                                             const phalanx_cost_limits* limits, const phalanx_binding* binding,
                                             const phalanx_engine_options* options) {
  const phalanx_verification_options given = taken_struct(verification, PHALANX_VERIFICATION_OPTIONS_INIT);
  return {.sha256 = given.sha256 != 0,
          .limits = limits_of(limits),
          .binding = binding_in_c(binding),
          .on_progress = progress_of(given.on_progress, given.progress_user_data),
          .cancellation = cancellation_of(given.cancellation),
          .engine = engine_in_c(options),
          .from_disk = given.from_disk != 0};
}

phalanx::NewContainerFile& file_of(phalanx_new_container_file* file) {
  return not_null(file, "the container that is written").file;
}

}  // namespace

int phalanx_seal_file(const char* in, const char* out, const char* suite, const phalanx_recipient* recipients,
                      std::size_t num_recipients, const phalanx_file_options* file_options, const phalanx_binding* binding,
                      const phalanx_engine_options* options, phalanx_file_result* result) {
  return guarded([&] {
    FileResult place(result);
    const phalanx_file_options given = options_of(file_options);
    const phalanx::SealedFile sealed =
        phalanx::seal_file(&not_null(in, "IN"), &not_null(out, "OUT"), &not_null(suite, "the suite's name"),
                           recipients_of(recipients, num_recipients),
                           {.replace = given.replace != 0,
                            .resume = given.resume != 0,
                            .verify = given.verify != 0,
                            .changing_input = given.changing_input != 0,
                            .keep = given.keep != 0,
                            .binding = binding_in_c(binding),
                            .on_progress = progress_of(given.on_progress, given.user_data),
                            .cancellation = cancellation_of(given.cancellation),
                            .engine = engine_in_c(options)});
    place.filled.plain_bytes = sealed.plain_bytes;
    place.filled.container_bytes = sealed.container_bytes;
    place.filled.resumed_bytes = sealed.resumed_bytes;
    put_text(sealed.input_change, place.filled.input_change);
    place.put_lost(sealed.lost_attributes);
    place.give();
  });
}

int phalanx_unseal_file(const char* in, const char* out, const phalanx_identity* identities, std::size_t num_identities,
                        const phalanx_cost_limits* limits, const phalanx_file_options* file_options,
                        const phalanx_binding* binding, const phalanx_engine_options* options, phalanx_file_result* result) {
  return guarded([&] {
    FileResult place(result);
    const phalanx_file_options given = options_of(file_options);
    phalanx::UnsealFileOptions how{.replace = given.replace != 0,
                                   .resume = given.resume != 0,
                                   .offset = given.offset,
                                   .keep = given.keep != 0,
                                   .limits = limits_of(limits),
                                   .binding = binding_in_c(binding),
                                   .on_progress = progress_of(given.on_progress, given.user_data),
                                   .cancellation = cancellation_of(given.cancellation),
                                   .engine = engine_in_c(options)};
    if (given.num_bytes != 0) how.num_bytes = given.num_bytes;
    const phalanx::UnsealedFile unsealed =
        phalanx::unseal_file(&not_null(in, "IN"), &not_null(out, "OUT"), identities_of(identities, num_identities), how);
    place.filled.plain_bytes = unsealed.written_bytes;
    place.filled.resumed_bytes = unsealed.resumed_bytes;
    place.put_lost(unsealed.lost_attributes);
    place.give();
  });
}

int phalanx_new_container_file_new(phalanx_new_container_file** file, const char* out, int replace, const char* suite,
                                   const phalanx_recipient* recipients, std::size_t num_recipients,
                                   const phalanx_binding* binding, const phalanx_engine_options* options) {
  return guarded([&] {
    phalanx_new_container_file*& place = phalanx::place_of(file);
    place = new phalanx_new_container_file{phalanx::NewContainerFile(
        &not_null(out, "OUT"), &not_null(suite, "the suite's name"), recipients_of(recipients, num_recipients), replace != 0,
        engine_in_c(options), binding_in_c(binding))};
  });
}

int phalanx_new_container_file_write(phalanx_new_container_file* file, const std::uint8_t* plain, std::size_t size) {
  return guarded([&] { file_of(file).write(elements_at(plain, size, "the input")); });
}

int phalanx_new_container_file_finish(phalanx_new_container_file* file) {
  return guarded([&] { file_of(file).finish(); });
}

void phalanx_new_container_file_free(phalanx_new_container_file* file) { phalanx::free_in_c(file); }

int phalanx_verify_container(const char* path, const phalanx_identity* identities, std::size_t num_identities,
                             const phalanx_cost_limits* limits, const phalanx_verification_options* verification,
                             const phalanx_binding* binding, const phalanx_engine_options* options,
                             phalanx_verified* verified) {
  return guarded([&] {
    phalanx::StructPlace place(&not_null(verified, "the place of what came of it"), PHALANX_VERIFIED_INIT);
    phalanx_verified& filled = place.filled;
    const phalanx::Verified result =
        phalanx::verify_container(&not_null(path, "the path"), identities_of(identities, num_identities),
                                  verification_of(verification, limits, binding, options));
    filled.plain_bytes = result.plain_bytes;
    put_text(result.sha256, filled.sha256);
    place.give();
  });
}

int phalanx_verify_containers(const char* const* paths, std::size_t num_paths, const phalanx_identity* identities,
                              std::size_t num_identities, const phalanx_cost_limits* limits, phalanx_on_verified on_verified,
                              void* user_data, const phalanx_verification_options* verification,
                              const phalanx_binding* binding, const phalanx_engine_options* options,
                              phalanx_verification_counts* counts) {
  return guarded([&] {
    phalanx::StructPlace place(&not_null(counts, "the place of the counts"), PHALANX_VERIFICATION_COUNTS_INIT);
    phalanx_verification_counts& filled = place.filled;
    std::vector<std::string> names;
    for (const char* path : elements_at(paths, num_paths, "the list of paths"))
      names.emplace_back(&not_null(path, "a path"));
    const auto tell = [&](const phalanx::FileVerification& file) {
      if (on_verified == nullptr) return;
      const phalanx_file_verification told{
          .path = file.path.c_str(),
          .code = file.outcome == phalanx::VerifiedAs::failed ? static_cast<int>(file.code) : PHALANX_OK,
          .skipped = file.outcome == phalanx::VerifiedAs::skipped ? 1 : 0,
          .why = file.why.c_str(),
          .plain_bytes = file.verified.plain_bytes,
          .sha256 = file.verified.sha256.c_str()};
      if (on_verified(user_data, &told) == 0) return;
      throw phalanx::Error(phalanx::ErrorCode::runtime, "the function that hears of each file ended the call");
    };
    const phalanx::VerificationCounts result = phalanx::verify_containers(
        names, identities_of(identities, num_identities), tell, verification_of(verification, limits, binding, options));
    filled.num_authentic = result.num_authentic;
    filled.num_failed = result.num_failed;
    filled.num_skipped = result.num_skipped;
    place.give();
  });
}
