// Every named operation of HalfWord512, native or emulated: see word_operations.hpp.
#include "engine/lanes/word_avx512_half.hpp"
#include "word_operations.hpp"

namespace phalanx {
namespace {

using Word = HalfWord512;

void put(std::uint8_t* out, HalfWord512 v) { v.store(out); }
void put(std::uint8_t* out, Word512 v) { v.store(out); }
void put(std::uint8_t* out, Word128 v) { v.store(out); }

// store_first over bytes that must stay.
HalfWord512 stored_first(HalfWord512 v, HalfWord512 over, std::size_t num_bytes) {
  std::uint8_t bytes[32];
  over.store(bytes);
  v.store_first(bytes, num_bytes);
  return HalfWord512::load(bytes);
}

constexpr WordOperation operations[] = {
    OPERATION(a),
    OPERATION(HalfWord512::load_first(input.a, number % 33)),
    OPERATION(stored_first(a, b, number % 33)),
    OPERATION(HalfWord512::broadcast64(number)),
    OPERATION(HalfWord512::broadcast32(static_cast<std::uint32_t>(number))),
    OPERATION(HalfWord512::low_half(Word512::load(input.a))),
    OPERATION(HalfWord512::high_half(Word512::load(input.a))),
    OPERATION(join_halves(a, b)),
    OPERATION(first128(a)),
    OPERATION(unpack_low32(a, b)),
    OPERATION(unpack_high32(a, b)),
    OPERATION(unpack_low64(a, b)),
    OPERATION(unpack_high64(a, b)),
    OPERATION(a& b),
    OPERATION(a ^ b),
    OPERATION(shuffle_bytes(a, b)),
    OPERATION(shuffle_bytes_where(mask, a, b, c)),
    OPERATION(blend_bytes(mask, a, b)),
    OPERATION(affine(a, b)),
    OPERATION(lut3<0x1b>(a, b, c)),
    OPERATION(lut3<0x96>(a, b, c)),
    OPERATION(lut3<0xe2>(a, b, c)),
    OPERATION(rotate_left32<16>(a)),
    OPERATION(shift_left32<7>(a)),
};

}  // namespace

#ifdef PHALANX_EMULATE_AVX512
extern const WordOperations emulated_avx512_half_operations = {operations, sizeof operations / sizeof operations[0]};
#else
extern const WordOperations native_avx512_half_operations = {operations, sizeof operations / sizeof operations[0]};
#endif

}  // namespace phalanx
