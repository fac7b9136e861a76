// Phalanx: bulk block ciphers on every lane of the machine. The C++ interface of the engine: from bytes in
// memory to bytes in memory.
//
// For new data: aead.hpp seals messages, and chunked.hpp messages of any length under one key; both authenticate, so that
// changed data is found before it is used. For data whose format is given: cipher.hpp has the bare ciphers. device_aead.hpp
// and device_batch.hpp are for messages that lie in a GPU's memory. secret.hpp is memory for keys, threads.hpp says whose
// threads work. catalog.hpp says what there is. What is done to files is in files.hpp, and to Parquet's in parquet.hpp.
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
#include <phalanx/bytes.hpp>
#include <phalanx/catalog.hpp>
#include <phalanx/chunked.hpp>
#include <phalanx/cipher.hpp>
#include <phalanx/device_aead.hpp>
#include <phalanx/device_batch.hpp>
#include <phalanx/error.hpp>
#include <phalanx/options.hpp>
#include <phalanx/secret.hpp>
#include <phalanx/streams.hpp>
#include <phalanx/threads.hpp>
