// How contexts answer and take parameters: bodies of CipherContext's templates.
#pragma once

#include <openssl/core_names.h>
#include <openssl/proverr.h>

#include "cipher_context.hpp"
#include "parameters.hpp"

namespace phalanx {

template <class Write>
bool CipherContext::answer(OSSL_PARAM* parameters, const char* name, const Write& write) const {
  OSSL_PARAM* const asked = find_parameter(parameters, name);
  return asked == nullptr || write(*asked) || fail(PROV_R_FAILED_TO_SET_PARAMETER);
}

template <class Take>
bool CipherContext::accept(const OSSL_PARAM* parameters, const char* name, int reason, const Take& take) const {
  const OSSL_PARAM* const given = find_parameter(parameters, name);
  return given == nullptr || take(*given) || fail(reason);
}

}  // namespace phalanx
