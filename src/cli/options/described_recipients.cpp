#include "cli/options/described_recipients.hpp"

#include <fmt/format.h>

#include "container/format/recipient.hpp"

namespace phalanx {
namespace {

DescribedRecipient describe(std::size_t number, const ListedRecipient& recipient) {
  DescribedRecipient described{
      .json = {{"number", number}, {"kind", "unknown"}},
      .text = fmt::format("{}: of a kind ({}) that this version does not know", number, recipient.kind)};
  if (recipient.is(KeyKind::key)) {
    described.json["kind"] = "key";
    described.text = fmt::format("{}: a key", number);
  } else if (recipient.is(KeyKind::passphrase)) {
    const ScryptCost& cost = recipient.cost;
    const bool refused = recipient.scrypt_bytes > max_scrypt_bytes;
    described.json["kind"] = "passphrase";
    described.json["scrypt"] = {{"log2_n", cost.log2_n}, {"r", cost.r}, {"p", cost.p}, {"bytes", recipient.scrypt_bytes}};
    described.json["refused"] = refused;
    described.text = fmt::format("{}: a passphrase; scrypt with N = 2^{}, r = {}, p = {}: {:.0f} MiB{}", number, cost.log2_n,
                                 cost.r, cost.p, static_cast<double>(recipient.scrypt_bytes) / (1 << 20),
                                 refused ? ", more than Phalanx accepts" : "");
  }
  return described;
}

}  // namespace

std::vector<DescribedRecipient> describe_recipients(const std::vector<ListedRecipient>& recipients) {
  std::vector<DescribedRecipient> described;
  for (std::size_t i = 0; i < recipients.size(); ++i) described.push_back(describe(i + 1, recipients[i]));
  return described;
}

}  // namespace phalanx
