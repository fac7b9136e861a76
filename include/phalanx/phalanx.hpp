// Phalanx: bulk block ciphers on every lane of the machine. The C++ interface.
//
// For new data: aead.hpp seals messages, and container.hpp, which you include yourself, files; both authenticate, so that
// changed data is found before it is used. For data whose format is given: cipher.hpp has the bare ciphers, and, by includes
// of your own, foreign.hpp reads old ciphertext and migration.hpp makes containers of it. catalog.hpp says what there is.
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
