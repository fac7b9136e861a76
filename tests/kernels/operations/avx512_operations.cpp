// Every named operation of Word512, native or emulated: see word_operations.hpp.
#include "engine/lanes/word_avx512.hpp"
#include "word_operations.hpp"

namespace phalanx {
namespace {

using Word = Word512;

void put(std::uint8_t* out, Word512 v) { v.store(out); }
void put(std::uint8_t* out, Word128 v) { v.store(out); }
void put(std::uint8_t* out, std::uint64_t x) { store_u64(out, x); }

Word512 stored_first(Word512 a, Word512 behind, std::size_t num_bytes) {
  std::uint8_t bytes[64];
  behind.store(bytes);
  a.store_first(bytes, num_bytes);
  return Word512::load(bytes);
}

Word512 stored_bytes(Word512 a, Word512 behind, std::uint64_t mask) {
  std::uint8_t bytes[64];
  behind.store(bytes);
  a.store_bytes(bytes, mask);
  return Word512::load(bytes);
}

constexpr WordOperation operations[] = {
    OPERATION(a),
    OPERATION(Word512::load_first(input.a, number % 9 * 8)),
    OPERATION(stored_first(a, b, number % 9 * 8)),
    OPERATION(Word512::load_bytes(input.a + 3, mask)),
    OPERATION(stored_bytes(a, b, mask)),
    OPERATION(blocks_from_second(a, b)),
    OPERATION(Word512::zero()),
    OPERATION(Word512::broadcast64(number)),
    OPERATION(Word512::broadcast32(static_cast<std::uint32_t>(number))),
    OPERATION(Word512::broadcast8(static_cast<std::uint8_t>(number))),
    OPERATION(Word512::broadcast128(input.a + 3)),
    OPERATION(Word512::broadcast256(input.a + 3)),
    OPERATION(Word512::from128(Word128::load(input.b + 5))),
    OPERATION(Word512::from_byte_mask(mask)),
    OPERATION(Word512::widen_bytes(input.c + 9)),
    OPERATION(Word512::numbers128(mask, number >> 1)),
    OPERATION(add_low64(a, 7)),
    OPERATION(Word512::first_tweaks(input.a + 1, 0)),
    OPERATION(Word512::first_tweaks(input.a + 1, 1)),
    OPERATION(next_tweaks(a)),
    OPERATION(far_tweaks(a)),
    OPERATION(sum128(a)),
    OPERATION(swap_halves(a)),
    OPERATION(reverse_bytes128(a)),
    OPERATION(a& b),
    OPERATION(a | b),
    OPERATION(a ^ b),
    OPERATION(~a),
    OPERATION(and_not(a, b)),
    OPERATION(shift_left_each64(a, b& Word512::broadcast64(63))),
    OPERATION(shift_right_each64(a, b& Word512::broadcast64(63))),
    OPERATION(or_across64(a)),
    OPERATION(double_low32(a)),
    OPERATION(first128(a)),
    OPERATION(swap32(a)),
    OPERATION(rotate_left_each32(a, b& Word512::broadcast32(31))),
    OPERATION(first64(a)),
    OPERATION(add32(a, b)),
    OPERATION(shuffle_bytes(a, b)),
    OPERATION(shuffle_bytes_where(mask, a, b, c)),
    OPERATION(permute_bytes(a, b)),
    OPERATION(permute_bytes_where(mask, a, b, c)),
    OPERATION(permute_bytes_or_zero(mask, a, b)),
    OPERATION(blend_bytes(mask, a, b)),
    OPERATION(top_bits_of_bytes(a)),
    OPERATION(affine(a, b)),
    OPERATION(aes_encrypt_round(a, b)),
    OPERATION(aes_encrypt_last(a, b)),
    OPERATION(aes_decrypt_round(a, b)),
    OPERATION(aes_decrypt_last(a, b)),
    OPERATION(unpack_low64(a, b)),
    OPERATION(unpack_high64(a, b)),
    OPERATION(unpack_low32(a, b)),
    OPERATION(shuffle128<0x44>(a, b)),
    OPERATION(shuffle128<0xee>(a, b)),
    OPERATION(unpack_high32(a, b)),
    OPERATION(lut3<0x01>(a, b, c)),
    OPERATION(lut3<0x1b>(a, b, c)),
    OPERATION(lut3<0x96>(a, b, c)),
    OPERATION(lut3<0xca>(a, b, c)),
    OPERATION(lut3<0xe2>(a, b, c)),
    OPERATION(rotate_left32<1>(a)),
    OPERATION(rotate_left32<13>(a)),
    OPERATION(shift_left32<7>(a)),
    OPERATION(shift_right32<3>(a)),
    OPERATION(carryless_multiply<0x00>(a, b)),
    OPERATION(carryless_multiply<0x01>(a, b)),
    OPERATION(carryless_multiply<0x10>(a, b)),
    OPERATION(carryless_multiply<0x11>(a, b)),
    OPERATION(shuffle128<0xe4>(a, b)),
    OPERATION(shuffle128<0x88>(a, b)),
    OPERATION(shuffle128<0x1b>(a, b)),
    OPERATION(shift_right_bytes128<1>(a)),
    OPERATION(shift_right_bytes128<12>(a)),
    OPERATION(shift_left_bytes128<1>(a)),
    OPERATION(shift_left_bytes128<8>(a)),
};

}  // namespace

#ifdef PHALANX_EMULATE_AVX512
extern const WordOperations emulated_avx512_operations = {operations, sizeof operations / sizeof operations[0]};
#else
extern const WordOperations native_avx512_operations = {operations, sizeof operations / sizeof operations[0]};
#endif

}  // namespace phalanx
