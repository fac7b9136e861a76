// What the header of a container shows of its recipients, for people and for programs.
#pragma once

#include <nlohmann/json.hpp>
#include <phalanx/recipients.hpp>
#include <string>
#include <vector>

namespace phalanx {

struct DescribedRecipient {
  nlohmann::ordered_json json;
  std::string text;  ///< "1: a key"
};

/// In the order of their numbers, from 1.
[[nodiscard]] std::vector<DescribedRecipient> describe_recipients(const std::vector<ListedRecipient>& recipients);

}  // namespace phalanx
