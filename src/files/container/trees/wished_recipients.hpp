// This compares the recipients of an existing container with those of a run, and gives it the run's by a new header alone.
#pragma once

#include <optional>
#include <string>

#include "files/container/file/resumable_writer.hpp"
#include "files/container/format/body_facts.hpp"
#include "files/container/results/result_places.hpp"
#include "files/system/progress.hpp"
#include "files/system/protected_files.hpp"

namespace phalanx {

enum class RecipientsFit : unsigned char {
  as_wished,
  unknown,  ///< as many of each kind; a header does not say whose a record of a public key is
  others,
};

/// Says what is tried of a container's header.
enum class Tried : unsigned char {
  all,   ///< keys and passphrases, and the context: a passphrase takes scrypt
  keys,  ///< keys alone; else only the number of each kind is compared
};

/// Says whether a container is sealed for the job's recipients and no others, in its suite and under its context. Nothing is
/// written. `job` has the binding of this container. Throws Error (runtime).
[[nodiscard]] RecipientsFit judge_recipients(const ContainerJob& job, const ResultPlace& place, Tried tried = Tried::all);

/// Returns the digest of a container's header, if a key opens it, or an identity that needs no call of the caller. That
/// costs next to nothing. Returns nothing where no identity of the run does. Throws Error: authentication where it was
/// changed, runtime.
[[nodiscard]] std::optional<Sha256Digest> digest_of_opened_header(const ContainerJob& job, const ResultPlace& place);

/// Gives the container a header for the job's recipients and no others, in place of or before the same body. Returns its
/// facts for an index. Returns nothing, and leaves it as it is, where the run does not open it, or where its suite or
/// binding is another. Throws Error (runtime).
[[nodiscard]] std::optional<BodyFacts> put_recipients(const ContainerJob& job, const ResultPlace& place,
                                                      const ProtectedFiles& needed, Progress& progress);

}  // namespace phalanx
