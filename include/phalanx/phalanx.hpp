// Phalanx: bulk block ciphers on every lane of the machine. The C++ interface.
//
// For new data: aead.hpp seals messages, and, by includes of your own, container.hpp, container_file.hpp, recipients.hpp,
// verification.hpp and inspect.hpp are for files, chunked.hpp for messages of any length under one key; all authenticate, so
// that changed data is found before it is used. For data whose format is given: cipher.hpp has the bare ciphers, and
// in_place.hpp, foreign.hpp and migration.hpp crypt files where they lie, read old ciphertext and make containers of it.
// secret.hpp is memory for keys, threads.hpp says whose threads work. catalog.hpp says what there is.
//
// Sizes are in bytes. `in` and `out` may be the same memory (in place) or disjoint; a partial overlap is an Error (usage).
// What holds a key wipes it when it is destroyed. It is immutable, and any number of threads may use it at once, unless its
// own comment says otherwise. Failures throw Error, except that a lack of memory may throw std::bad_alloc.
//
// In a process that was forked, what seals or opens a message by parts, or writes a file, throws Error (usage), since its
// parent goes on with it; all else goes on (docs/processes.md). A process that is forked within a function of the caller's
// does not return to the call, whose threads are its parent's: it ends by _exit, or becomes another program. No call is made
// to be left by pthread_cancel; Cancellation ends it.
#pragma once

#include <phalanx/version.h>

#include <phalanx/aead.hpp>
#include <phalanx/catalog.hpp>
#include <phalanx/cipher.hpp>
#include <phalanx/error.hpp>
