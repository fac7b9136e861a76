// This checks that a container of another run opens for everybody whom this run seals for.
#pragma once

#include <string>

#include "engine/secrets/secret_bytes.hpp"
#include "files/container/file/resumable_writer.hpp"
#include "files/container/format/header.hpp"

namespace phalanx {

/// The container is not for one of the recipients that are given.
class MissingRecipient : public Error {
 public:
  using Error::Error;
};

struct OpenedForAll {
  SecretBytes data_key;
  /// Says why the container is not known to open for one of the recipients, a public key; "" if it is known. A header
  /// does not say whose its public keys are. So a public key counts only where the run holds its identity, and the
  /// identity opens the container.
  std::string unshown;
};

/// Opens a header with each key and passphrase of the job, with each public key's identity that the job has, and where there
/// is none of these with any identity. Throws as open_header does, and MissingRecipient where one of them does not open it,
/// or it has fewer records left than there are public keys without an identity.
[[nodiscard]] OpenedForAll open_for_all(const ContainerHeader& header, const ContainerJob& job, const Binding& binding);

/// OpenedForAll::unshown of a container that an earlier run began for as many public keys, each of which may be another.
[[nodiscard]] std::string explain_unshown(const ContainerJob& job);

}  // namespace phalanx
