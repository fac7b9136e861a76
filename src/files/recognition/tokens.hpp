// Ciphertext and signatures that are text of one word or one object: tokens of Fernet and JOSE, vaults of Ansible.
#pragma once

#include <optional>
#include <string_view>

#include "files/recognition/recognised_file.hpp"

namespace phalanx {

/// Recognises a text that is a token or a vault. `is_whole`: it is all of the file.
[[nodiscard]] std::optional<RecognisedFile> recognise_token(std::string_view text, bool is_whole);

}  // namespace phalanx
