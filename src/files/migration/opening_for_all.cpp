#include "files/migration/opening_for_all.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "files/container/format/public_key_record.hpp"

namespace phalanx {
namespace {

bool is_public(const Recipient& recipient) { return recipient.kind == KeyKind::public_key; }

// Returns the identity that opens a container of this recipient. Returns nothing where the run does not hold it.
std::optional<Identity> holder_of(const Recipient& recipient, const ContainerJob& job) {
  if (!is_public(recipient)) return identity_of(recipient);
  const auto held = std::ranges::find_if(job.identities, [&](const Identity& one) { return is_held_by(recipient, one); });
  return held == job.identities.end() ? std::nullopt : std::optional(*held);
}

const char* words_of(KeyKind kind) {
  switch (kind) {
    case KeyKind::key:
      return "a key";
    case KeyKind::passphrase:
      return "a passphrase";
    case KeyKind::public_key:
      break;
  }
  return "a public key";
}

std::string number_of(std::size_t recipient, KeyKind kind) {
  return "recipient " + std::to_string(recipient + 1) + " of those that are given, " + words_of(kind) + ",";
}

// The records of public keys that may be for anybody whose identity we do not have. A call of the caller's may ask somebody:
// it is not tried.
std::size_t count_others(const ContainerHeader& header, std::span<const Identity> ours) {
  const auto is_of_another = [&](const WrappedKey& wrapped) {
    return wrapped.is(KeyKind::public_key) && std::ranges::none_of(ours, [&](const Identity& one) {
             return one.unwrap == nullptr && is_opened_by(header.fixed_part(), wrapped, one, {});
           });
  };
  return static_cast<std::size_t>(std::ranges::count_if(header.wrapped_keys, is_of_another));
}

void require_enough(std::size_t num_others, std::size_t num_unshown) {
  if (num_others >= num_unshown) return;
  const std::string found =
      num_others == 0 ? "none of its public keys" : "only " + std::to_string(num_others) + " of its public keys";
  throw MissingRecipient(ErrorCode::wrong_key, found + " may be among the " + std::to_string(num_unshown) +
                                                   " that are given without an identity: add them to its recipients");
}

}  // namespace

std::string explain_unshown(const ContainerJob& job) {
  for (std::size_t i = 0; i < job.recipients.size(); ++i) {
    if (holder_of(job.recipients[i], job)) continue;
    return "nothing shows that the container, which another run began, opens for " + number_of(i, KeyKind::public_key) +
           " since a header does not say whose its public keys are: give its identity too";
  }
  return "";
}

// Everybody who is to open the container must be able to, before the old file goes. One identity that opens it says
// nothing of the others. All wrapped keys hold one data key, since the header's MAC is under it.
OpenedForAll open_for_all(const ContainerHeader& header, const ContainerJob& job, const Binding& binding) {
  const auto open = [&](std::span<const Identity> identities) {
    return open_header(header, identities, {}, binding, job.binding_names).data_key;
  };
  std::optional<SecretBytes> data_key;
  std::optional<Error> failure;
  std::size_t missing = 0, num_unshown = 0;
  for (std::size_t i = job.recipients.size(); i-- > 0;) {
    const std::optional<Identity> holder = holder_of(job.recipients[i], job);
    if (!holder) {
      ++num_unshown;
      continue;
    }
    try {
      data_key = open({&*holder, 1});
    } catch (const Error& error) {
      if (error.code() != ErrorCode::wrong_key) throw;
      failure.emplace(error);
      missing = i;
    }
  }
  if (!data_key && !job.identities.empty()) data_key = open(openers_of(job));
  if (!data_key && failure) throw Error(*failure);
  if (!data_key) {
    throw Error(ErrorCode::usage, "it is not opened, since all recipients are public keys and no identity is given");
  }
  if (failure) {
    throw MissingRecipient(ErrorCode::wrong_key,
                           number_of(missing, job.recipients[missing].kind) + " does not open it: add it to its recipients");
  }
  require_enough(count_others(header, job.identities), num_unshown);
  return {std::move(*data_key), explain_unshown(job)};
}

}  // namespace phalanx
