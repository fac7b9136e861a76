// What parameters each cipher has, and those that say what it is: as the default and the legacy provider have them.
#pragma once

#include <openssl/core.h>

#include "core_calls.hpp"
#include "served_ciphers.hpp"

namespace phalanx {

/// The parameters of a context that can be got and set.
const OSSL_PARAM* parameters_to_get(const ServedCipher& served, const Provider& provider);
const OSSL_PARAM* parameters_to_set(const ServedCipher& served, const Provider& provider);

/// What is true of a cipher, without a context: its mode, its sizes, its flags.
const OSSL_PARAM* described_facts(const Provider& provider);
bool write_facts(const ServedCipher& served, OSSL_PARAM* parameters);

}  // namespace phalanx
