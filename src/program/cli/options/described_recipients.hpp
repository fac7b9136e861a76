// This describes the recipients that a container's header shows, for people and for programs.
#pragma once

#include <nlohmann/json.hpp>
#include <phalanx/files/recipients.hpp>
#include <string>
#include <vector>

#include "program/cli/secrets/secret_source.hpp"

namespace phalanx {

struct DescribedRecipient {
  nlohmann::ordered_json json;
  std::string text;  ///< "1: a key"
};

/// Returns them in the order of their numbers, from 1.
[[nodiscard]] std::vector<DescribedRecipient> describe_recipients(const std::vector<ListedRecipient>& recipients);

/// Adds to the recipients of a container's beginning which of these secrets open each. Throws as list_recipients and
/// read_secret do.
void describe_who_opens(std::vector<DescribedRecipient>& recipients, Bytes beginning, const SecretSources& secrets);

}  // namespace phalanx
