// Phalanx: bulk block ciphers on every lane of the machine. The C++ interface.
//
// catalog.hpp says what there is; cipher.hpp crypts; aead.hpp also authenticates. container.hpp has files, migration.hpp old ones.
//
// Sizes are in bytes. `in` and `out` may be the same memory (in place) or disjoint; if they overlap in part, that is an Error
// (usage). What holds a key is immutable, may be used by any number of threads at once, and wipes the key when it is destroyed.
// Failures throw Error.
#pragma once

#include <phalanx/version.h>

#include <phalanx/aead.hpp>
#include <phalanx/catalog.hpp>
#include <phalanx/cipher.hpp>
#include <phalanx/error.hpp>
