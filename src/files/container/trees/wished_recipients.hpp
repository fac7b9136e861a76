// The recipients of a container that is there: whether they are those of a run, and made so by a new header alone.
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
  unknown,  ///< as many of each kind; whose a record of a public key is, a header does not say
  others,
};

/// What is tried of a container's header.
enum class Tried : unsigned char {
  all,   ///< keys and passphrases, and the context: a passphrase takes scrypt
  keys,  ///< else the number of each kind alone is compared
};

/// Whether a container is sealed for the job's recipients and no others, in its suite and under its context. Nothing is
/// written. `job` has the binding of this container. Throws Error (runtime).
[[nodiscard]] RecipientsFit judge_recipients(const ContainerJob& job, const ResultPlace& place, Tried tried = Tried::all);

/// The digest of a container's header, where that opens by a key, or by an identity that needs no call of the caller's: that
/// costs next to nothing. Nothing where none of the run's does. Throws Error: authentication where it was changed, runtime.
[[nodiscard]] std::optional<Sha256Digest> digest_of_opened_header(const ContainerJob& job, const ResultPlace& place);

/// Gives the container a header for the job's recipients and no others, in place of or before the same body. Returns what an
/// index has of it then; nothing where the run does not open it, or where its suite or binding is another: then it is left
/// as it is. Throws Error (runtime).
[[nodiscard]] std::optional<BodyFacts> put_recipients(const ContainerJob& job, const ResultPlace& place,
                                                      const ProtectedFiles& needed, Progress& progress);

}  // namespace phalanx
