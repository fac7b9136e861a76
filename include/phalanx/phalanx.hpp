// Phalanx encrypts with block ciphers on every lane of the machine. This is the C++ interface of the engine, which works on
// bytes in memory.
//
// New data belongs in aead.hpp or chunked.hpp. aead.hpp seals messages, and chunked.hpp seals messages of any length under
// one key. Both authenticate, so that changed data is found before it is used. cipher.hpp has the bare ciphers, for data
// whose format is given. device_aead.hpp and device_batch.hpp work on messages in a GPU's memory. secret.hpp has memory for
// keys, and threads.hpp says whose threads work. catalog.hpp lists ciphers, modes and engines. files.hpp works on files, and
// parquet.hpp on Parquet files.
//
// Sizes are in bytes. `in` and `out` may be the same memory (in place) or disjoint. A partial overlap is an Error (usage).
// An object that holds a key wipes it when it is destroyed. An object is immutable, and any number of threads may use it at
// once, unless its own comment says otherwise. Failures throw Error, except that a lack of memory may throw std::bad_alloc.
//
// A forked process may use all objects, with one exception. An object that seals or opens a message by parts, or writes a
// file, throws Error (usage) there, since the parent process goes on with it (docs/processes.md). A process that is forked
// inside a function of the caller does not return to the call, whose threads are its parent's. It ends by _exit, or becomes
// another program. pthread_cancel must not end a call; Cancellation ends it.
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
