// A wish says for whom a run seals, and bound to what, as the record of a folder of containers has it. So a later run knows
// whether existing containers are as it wants them now, and opens nothing for that.
//
// The record shows a digest under a random salt. For a key it takes in an HMAC. For a passphrase and for a context it takes
// in an HMAC under a key that scrypt derives from them. So a guess costs scrypt, as in front of a container. A public key is
// no secret: a reader of the folder can confirm one that he guesses.
#pragma once

#include <optional>
#include <string>

#include "files/container/file/resumable_writer.hpp"

namespace phalanx {

/// Stands in place of a wish where not all containers are sealed alike.
inline constexpr const char* mixed_wish = "mixed";

/// Makes a wish under a new salt. With `bind_names` each container is bound to its file's name. Throws as derive_scrypt
/// does.
[[nodiscard]] std::string make_tree_wish(const ContainerJob& job, bool bind_names);

/// Says whether a recorded wish is this one. A malformed wish, or one that costs more than a container may, is another.
[[nodiscard]] bool is_tree_wish(const std::string& recorded, const ContainerJob& job, bool bind_names);

}  // namespace phalanx
