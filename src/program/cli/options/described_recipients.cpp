#include "program/cli/options/described_recipients.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "files/container/format/header.hpp"
#include "files/container/format/recipient.hpp"
#include "program/cli/plugins/age_keys.hpp"
#include "program/cli/secrets/source_names.hpp"

namespace phalanx {
namespace {

// A public key counts 128 bits, since age's file key has no more, and Curve25519 neither.
void describe_public_key(DescribedRecipient& described, std::size_t number, const ListedRecipient& recipient) {
  described.json["kind"] = "public_key";
  described.json["stanzas"] = recipient.stanza_types;
  described.json["labels"] = recipient.labels;
  described.json["strength_bits"] = 128;
  if (recipient.stanza_types.empty()) {
    described.text = fmt::format("{}: a public key whose record is malformed: it opens for nobody", number);
    return;
  }
  described.text = fmt::format("{}: a public key of age ({}); 128 bits, whatever the cipher", number,
                               fmt::join(recipient.stanza_types, ", "));
  if (!recipient.labels.empty()) described.text += fmt::format("; labels: {}", fmt::join(recipient.labels, ", "));
}

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
  } else if (recipient.is(KeyKind::public_key)) {
    describe_public_key(described, number, recipient);
  }
  return described;
}

void add_who_opens(DescribedRecipient& described, const std::string& name) {
  described.json["opened_by"].push_back(name);
  described.text += fmt::format("; opens with {}", name);
}

}  // namespace

std::vector<DescribedRecipient> describe_recipients(const std::vector<ListedRecipient>& recipients) {
  std::vector<DescribedRecipient> described;
  for (std::size_t i = 0; i < recipients.size(); ++i) described.push_back(describe(i + 1, recipients[i]));
  return described;
}

void describe_who_opens(std::vector<DescribedRecipient>& recipients, Bytes beginning, const SecretSources& secrets) {
  const Suite& suite = *parse_header(beginning).suite;
  for (const SecretSource& source : secrets.named) {
    if (source.is_identity()) {
      AgeIdentities identities;
      identities.add(secrets, source);
      for (const std::size_t number : recipients_opened_by(beginning, identities.list())) {
        add_who_opens(recipients[number - 1], name_of(secrets, source));
      }
      continue;
    }
    const SecretBytes secret = read_secret(secrets, source, suite.key_bytes, SecretUse::opens);
    const Identity identity{source.key_kind(), secret};
    for (const std::size_t number : recipients_opened_by(beginning, {&identity, 1})) {
      add_who_opens(recipients[number - 1], name_of(secrets, source));
    }
  }
}

}  // namespace phalanx
