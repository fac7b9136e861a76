// The C interface's recipients, identities, cost limits and functions of the caller, as the C++ interface has them.
#pragma once

#include <phalanx/container.h>

#include <phalanx/container.hpp>
#include <string>
#include <vector>

#include "library/c_arguments.hpp"

namespace phalanx {

inline KeyKind kind_of(int kind) {
  if (kind != PHALANX_KEY && kind != PHALANX_PASSPHRASE) {
    throw Error(ErrorCode::usage, "a key has the kind " + std::to_string(kind) + ": give PHALANX_KEY or PHALANX_PASSPHRASE");
  }
  return static_cast<KeyKind>(kind);
}

inline std::vector<Recipient> recipients_of(const phalanx_recipient* recipients, std::size_t num_recipients) {
  std::vector<Recipient> result;
  for (const phalanx_recipient& r : elements_at(recipients, num_recipients, "the list of recipients")) {
    Recipient recipient{kind_of(r.kind), elements_at(r.secret, r.secret_bytes, "a recipient's secret"), {}};
    if (r.log2_n != 0 || r.r != 0 || r.p != 0) recipient.cost = {r.log2_n, r.r, r.p};
    result.push_back(recipient);
  }
  return result;
}

inline std::vector<Identity> identities_of(const phalanx_identity* identities, std::size_t num_identities) {
  std::vector<Identity> result;
  for (const phalanx_identity& i : elements_at(identities, num_identities, "the list of identities")) {
    result.push_back({kind_of(i.kind), elements_at(i.secret, i.secret_bytes, "an identity's secret")});
  }
  return result;
}

inline CostLimits limits_of(const phalanx_cost_limits* limits) {
  CostLimits result;
  if (limits == nullptr) return result;
  const phalanx_cost_limits given = taken_struct(*limits);
  if (given.one_passphrase != 0) result.one_passphrase = given.one_passphrase;
  if (given.all_passphrases != 0) result.all_passphrases = given.all_passphrases;
  return result;
}

/// `what` is what it takes: "the container".
inline Append append_in_c(phalanx_append append, void* context, const std::string& what) {
  if (append == nullptr) throw Error(ErrorCode::usage, "append is null: give a function that takes " + what);
  return [=](Bytes bytes) {
    if (append(context, bytes.data(), bytes.size()) != 0) throw Error(ErrorCode::runtime, "writing " + what + " failed");
  };
}

inline ReadAt read_at_in_c(phalanx_read_at read_at, void* context, const std::string& what) {
  if (read_at == nullptr) throw Error(ErrorCode::usage, "read_at is null: give a function that reads " + what);
  return [=](std::uint64_t offset, MutableBytes out) {
    if (read_at(context, offset, out.data(), out.size()) == 0) return;
    throw Error(ErrorCode::runtime, "reading " + what + " failed at byte " + std::to_string(offset));
  };
}

}  // namespace phalanx
