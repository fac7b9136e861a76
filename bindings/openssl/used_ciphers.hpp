// Which ciphers a process has used, for whoever wants to see that a program uses the provider.
#pragma once

#include <cstddef>

#include "core_calls.hpp"

namespace phalanx {

/// Where openssl.cnf names a file for it, appends a line there: the process's number, its program and the cipher, once for
/// each process and cipher. A file that cannot be written is no error.
void report_use(const Provider& provider, std::size_t number_of_cipher);

}  // namespace phalanx
