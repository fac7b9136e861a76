// Phalanx: bulk block ciphers on every lane of the machine. The C++ interface.
//
// catalog.hpp says what there is; cipher.hpp encrypts and decrypts; aead.hpp also authenticates. Include these yourself:
// container.hpp, container_file.hpp, recipients.hpp, verification.hpp, inspect.hpp, in_place.hpp (authenticated files),
// chunked.hpp (messages of any length under one key), foreign.hpp (old ciphertext), migration.hpp (from old files to
// containers), secret.hpp (memory for keys, random bytes), threads.hpp (whose threads do the work).
//
// Sizes are in bytes. `in` and `out` may be the same memory (in place) or disjoint; a partial overlap is an Error (usage).
// What holds a key wipes it when it is destroyed. It is immutable, and any number of threads may use it at once, unless its
// own comment says otherwise. Failures throw Error, except that a lack of memory may throw std::bad_alloc.
#pragma once

#include <phalanx/version.h>

#include <phalanx/aead.hpp>
#include <phalanx/catalog.hpp>
#include <phalanx/cipher.hpp>
#include <phalanx/error.hpp>
