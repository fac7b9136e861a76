// This header converts the C interface's recipients, identities, cost limits, functions, file options and results to those
// of C++.
#pragma once

#include <phalanx/files/container.h>
#include <phalanx/files/container_file.h>
#include <phalanx/files/verification.h>

#include <cstddef>
#include <phalanx/files/container.hpp>
#include <string>
#include <vector>

#include "engine/chunked/c_streams.hpp"
#include "engine/library/c_arguments.hpp"
#include "files/container/format/c_public_keys.hpp"

namespace phalanx {

inline KeyKind kind_of(int kind) {
  if (kind != PHALANX_KEY && kind != PHALANX_PASSPHRASE && kind != PHALANX_PUBLIC_KEY) {
    throw Error(ErrorCode::usage, "a key has the kind " + std::to_string(kind) +
                                      ": give PHALANX_KEY, PHALANX_PASSPHRASE, PHALANX_PUBLIC_KEY or one of its calls");
  }
  return static_cast<KeyKind>(kind);
}

inline std::vector<Recipient> recipients_of(const phalanx_recipient* recipients, std::size_t num_recipients) {
  std::vector<Recipient> result;
  const StructsAt given(recipients, num_recipients, PHALANX_RECIPIENT_INIT, "the list of recipients");
  for (std::size_t i = 0; i < given.size(); ++i) {
    const phalanx_recipient r = given[i];
    if (r.kind == PHALANX_PUBLIC_KEY_CALLS) {
      const phalanx_public_key_calls calls = calls_at(r.secret, r.secret_bytes);
      result.push_back({.kind = KeyKind::public_key, .wrap = wrap_in_c(calls), .may_be_mixed = calls.may_be_mixed != 0});
      continue;
    }
    Recipient recipient{kind_of(r.kind), elements_at(r.secret, r.secret_bytes, "a recipient's secret")};
    if (r.log2_n != 0 || r.r != 0 || r.p != 0) recipient.cost = {r.log2_n, r.r, r.p};
    result.push_back(std::move(recipient));
  }
  return result;
}

inline std::vector<Identity> identities_of(const phalanx_identity* identities, std::size_t num_identities) {
  std::vector<Identity> result;
  const StructsAt given(identities, num_identities, PHALANX_IDENTITY_INIT, "the list of identities");
  for (std::size_t i = 0; i < given.size(); ++i) {
    const phalanx_identity one = given[i];
    if (one.kind == PHALANX_PUBLIC_KEY_CALLS) {
      result.push_back({.kind = KeyKind::public_key, .unwrap = unwrap_in_c(calls_at(one.secret, one.secret_bytes))});
      continue;
    }
    result.push_back({kind_of(one.kind), elements_at(one.secret, one.secret_bytes, "an identity's secret")});
  }
  return result;
}

inline CostLimits limits_of(const phalanx_cost_limits* limits) {
  CostLimits result;
  const phalanx_cost_limits given = taken_struct(limits, PHALANX_COST_LIMITS_INIT);
  if (given.one_passphrase != 0) result.one_passphrase = given.one_passphrase;
  if (given.all_passphrases != 0) result.all_passphrases = given.all_passphrases;
  return result;
}

inline Binding binding_in_c(const phalanx_binding* binding) {
  Binding result;
  const phalanx_binding given = taken_struct(binding, PHALANX_BINDING_INIT);
  result.context = elements_at(given.context, given.context_bytes, "the context");
  if (given.name != nullptr) result.name = given.name;
  if (given.below != nullptr) result.below = given.below;
  result.any_name = given.any_name != 0;
  result.needs_name = given.needs_name != 0;
  return result;
}

inline phalanx_file_options options_of(const phalanx_file_options* given) {
  return taken_struct(given, PHALANX_FILE_OPTIONS_INIT);
}

class FileResult : public StructPlace<phalanx_file_result> {
 public:
  explicit FileResult(phalanx_file_result* place) : StructPlace(place, PHALANX_FILE_RESULT_INIT) {}

  void put_lost(const std::vector<std::string>& lost_attributes) {
    std::string names;
    for (const std::string& name : lost_attributes) names += (names.empty() ? "" : ", ") + name;
    put_text(names, filled.lost_attributes);
  }
};

}  // namespace phalanx
