// The named operations of a lane word as a table of plain functions, so that two programs' worth of them, native and
// emulated, can stand side by side: the same file is compiled twice (avx512_operations.cpp, aesni_operations.cpp), each time
// with another definition of the word. Plain arrays: the native file is compiled with flags that this machine may not have.
#pragma once

#include <cstddef>
#include <cstdint>

namespace phalanx {

struct OperationInput {
  alignas(64) std::uint8_t a[64];
  std::uint8_t b[64];
  std::uint8_t c[64];
  std::uint64_t mask;
  std::uint64_t number;
};

struct WordOperation {
  const char* name;
  void (*run)(const OperationInput& input, std::uint8_t* out);  ///< writes at most 64 bytes
};

struct WordOperations {
  const WordOperation* operations;
  std::size_t num_operations;
};

/// An entry of the table: an expression over the words a, b and c, a 64-bit mask and a number. The file that writes it names
/// its `Word`, and how each kind of result is `put` into memory.
#define OPERATION(...)                                               \
  {                                                                  \
#__VA_ARGS__, [](const OperationInput& input, std::uint8_t* out) { \
     [[maybe_unused]] const Word a = Word::load(input.a);             \
     [[maybe_unused]] const Word b = Word::load(input.b);             \
     [[maybe_unused]] const Word c = Word::load(input.c);             \
     [[maybe_unused]] const std::uint64_t mask = input.mask;          \
     [[maybe_unused]] const std::uint64_t number = input.number;      \
     put(out, __VA_ARGS__);                                           \
   } \
  }

extern const WordOperations native_avx512_operations;
extern const WordOperations emulated_avx512_operations;
extern const WordOperations native_vaes_operations;
extern const WordOperations emulated_vaes_operations;
extern const WordOperations native_avx512_half_operations;
extern const WordOperations emulated_avx512_half_operations;
extern const WordOperations native_aesni_operations;
extern const WordOperations emulated_aesni_operations;

}  // namespace phalanx
