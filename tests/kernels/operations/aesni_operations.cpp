// Every named operation of Word128, native or emulated: see word_operations.hpp.
#ifdef PHALANX_EMULATE_AVX512
#include "aesni_emulation.hpp"
#else
#include "engine/lanes/word_aesni.hpp"
#endif
#include "word_operations.hpp"

namespace phalanx {
namespace {

using Word = Word128;

void put(std::uint8_t* out, Word128 v) { v.store(out); }
void put(std::uint8_t* out, std::uint32_t x) { store_u32(out, x); }
void put(std::uint8_t* out, std::uint64_t x) { store_u64(out, x); }

constexpr WordOperation operations[] = {
    OPERATION(a),
    OPERATION(Word128::zero()),
    OPERATION(Word128::broadcast32(static_cast<std::uint32_t>(number))),
    OPERATION(Word128::from_halves(mask, number)),
    OPERATION(Word128::broadcast128(input.b)),
    OPERATION(a.first32()),
    OPERATION(a.first64()),
    OPERATION(Word128::numbers128(mask, number)),
    OPERATION(add_low64(a, 7)),
    OPERATION(next_tweaks(a)),
    OPERATION(Word128::load_first(input.b + 1, number % 2 * 16)),
    OPERATION(a ^ b),
    OPERATION(a& b),
    OPERATION(a | b),
    OPERATION(and_not(a, b)),
    OPERATION(shuffle_bytes(a, b)),
    OPERATION(shift_right32<5>(a)),
    OPERATION(swap_halves(a)),
    OPERATION(unpack_low64(a, b)),
    OPERATION(shift_left_bytes128<4>(a)),
    OPERATION(shift_left_bytes128<8>(a)),
    OPERATION(reverse_bytes128(a)),
    OPERATION(aes_encrypt_round(a, b)),
    OPERATION(aes_encrypt_last(a, b)),
    OPERATION(aes_decrypt_round(a, b)),
    OPERATION(aes_decrypt_last(a, b)),
    OPERATION(aes_inverse_mix_columns(a)),
    OPERATION(carryless_multiply<0x00>(a, b)),
    OPERATION(carryless_multiply<0x01>(a, b)),
    OPERATION(carryless_multiply<0x10>(a, b)),
    OPERATION(carryless_multiply<0x11>(a, b)),
};

}  // namespace

#ifdef PHALANX_EMULATE_AVX512
extern const WordOperations emulated_aesni_operations = {operations, sizeof operations / sizeof operations[0]};
#else
extern const WordOperations native_aesni_operations = {operations, sizeof operations / sizeof operations[0]};
#endif

}  // namespace phalanx
