// What engine/lanes/word_avx2_vaes.hpp adds to Word256, native or emulated: see word_operations.hpp.
#include "engine/lanes/word_avx2_vaes.hpp"
#include "word_operations.hpp"

namespace phalanx {
namespace {

using Word = Word256;

void put(std::uint8_t* out, Word256 v) { v.store(out); }

constexpr WordOperation operations[] = {
    OPERATION(aes_encrypt_round(a, b)),        OPERATION(aes_encrypt_last(a, b)),
    OPERATION(aes_decrypt_round(a, b)),        OPERATION(aes_decrypt_last(a, b)),
    OPERATION(carryless_multiply<0x00>(a, b)), OPERATION(carryless_multiply<0x01>(a, b)),
    OPERATION(carryless_multiply<0x10>(a, b)), OPERATION(carryless_multiply<0x11>(a, b)),
};

}  // namespace

#ifdef PHALANX_EMULATE_VAES
extern const WordOperations emulated_vaes_operations = {operations, sizeof operations / sizeof operations[0]};
#else
extern const WordOperations native_vaes_operations = {operations, sizeof operations / sizeof operations[0]};
#endif

}  // namespace phalanx
