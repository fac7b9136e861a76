// For whom a run seals, and bound to what: as the record of a folder of containers has it, so that a later run knows whether
// what was sealed before is as it is asked for now, and opens nothing for that.
//
// The record shows a digest under a random salt. Of a key an HMAC goes in, of a passphrase and of a context an HMAC under
// what scrypt makes of them: who guesses one pays for scrypt, as in front of a container. A public key is no secret: who
// reads the folder can confirm one that he guesses.
#pragma once

#include <optional>
#include <string>

#include "files/container/file/resumable_writer.hpp"

namespace phalanx {

/// In place of a wish: not all containers are sealed alike.
inline constexpr const char* mixed_wish = "mixed";

/// A wish under a new salt. `bind_names`: each container is bound to its file's name. Throws as derive_scrypt does.
[[nodiscard]] std::string make_tree_wish(const ContainerJob& job, bool bind_names);

/// Whether a recorded wish is this one. What is none, or costs more than a container may, is another.
[[nodiscard]] bool is_tree_wish(const std::string& recorded, const ContainerJob& job, bool bind_names);

}  // namespace phalanx
