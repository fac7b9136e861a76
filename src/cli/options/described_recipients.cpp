#include "cli/options/described_recipients.hpp"

#include <fmt/format.h>

#include "container/format/recipient.hpp"

namespace phalanx {
namespace {

DescribedRecipient describe(std::size_t number, const WrappedKey& wrapped) {
  DescribedRecipient described{
      .json = {{"number", number}, {"kind", "unknown"}},
      .text = fmt::format("{}: of a kind ({}) that this version does not know", number, wrapped.kind)};
  if (wrapped.is(KeyKind::key)) {
    described.json["kind"] = "key";
    described.text = fmt::format("{}: a key", number);
  } else if (wrapped.is(KeyKind::passphrase)) {
    const ScryptCost cost = scrypt_cost_of(wrapped);
    const bool refused = scrypt_bytes(cost) > max_scrypt_bytes;
    described.json["kind"] = "passphrase";
    described.json["scrypt"] = {{"log2_n", cost.log2_n}, {"r", cost.r}, {"p", cost.p}, {"bytes", scrypt_bytes(cost)}};
    described.json["refused"] = refused;
    described.text = fmt::format("{}: a passphrase; scrypt with N = 2^{}, r = {}, p = {}: {:.0f} MiB{}", number, cost.log2_n,
                                 cost.r, cost.p, static_cast<double>(scrypt_bytes(cost)) / (1 << 20),
                                 refused ? ", more than Phalanx accepts" : "");
  }
  return described;
}

}  // namespace

std::vector<DescribedRecipient> describe_recipients(const ContainerHeader& header) {
  std::vector<DescribedRecipient> described;
  for (std::size_t i = 0; i < header.wrapped_keys.size(); ++i) described.push_back(describe(i + 1, header.wrapped_keys[i]));
  return described;
}

}  // namespace phalanx
