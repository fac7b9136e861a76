// Table made by tests/library/known_answers_test from the reference.
#include "engine/library/known_answers.hpp"

namespace phalanx {
namespace {

constexpr KnownAnswer answers[] = {
    {"des-ecb", 0x372ab7dc9e4fa459},         {"des-cbc", 0x523c00ef75619a63},
    {"des-ctr", 0x197d6c30f36dc12a},         {"des-cfb", 0xd76283ea0552397b},
    {"des-ofb", 0x76a35aae0bae64cb},         {"2des-ecb", 0x140ba9afa96a0adf},
    {"2des-cbc", 0x8177e88ab944ed4f},        {"2des-ctr", 0xdeb13f2b3b67126e},
    {"2des-cfb", 0x3b4978b7b3b99797},        {"2des-ofb", 0xd7fa92bb72ce7f06},
    {"des-ede-ecb", 0x28ce93ba14889c35},     {"des-ede-cbc", 0xd7e658e10985b935},
    {"des-ede-ctr", 0x22f7e5c2d82bfd97},     {"des-ede-cfb", 0x4d8a760be6a92007},
    {"des-ede-ofb", 0xbe647c535e1c7a56},     {"des-ede3-ecb", 0x6406ae742c511ea6},
    {"des-ede3-cbc", 0x8b34f9db23a5f3c8},    {"des-ede3-ctr", 0xc31e68bed5902c0f},
    {"des-ede3-cfb", 0xde1597a0cbb5ab63},    {"des-ede3-ofb", 0x4de9d858d334d85b},
    {"aes-128-ecb", 0x35d6b52734a5b857},     {"aes-128-cbc", 0xdad6876c19d19238},
    {"aes-128-ctr", 0x1485fea157da42b7},     {"aes-128-cfb", 0x03d6a09f6cec2356},
    {"aes-128-ofb", 0x402aa3df4cd6528f},     {"aes-128-xts", 0x283c059f35b17929},
    {"aes-128-gcm", 0xc0ca721925d55efd},     {"aes-192-ecb", 0x1525ed785f86787e},
    {"aes-192-cbc", 0x8a2020bc07ed3ff4},     {"aes-192-ctr", 0x3fa9b8b172eb6415},
    {"aes-192-cfb", 0xa42498d4e89f7bd1},     {"aes-192-ofb", 0xdb63316855a73e27},
    {"aes-192-xts", 0x3f28afd59cfa0759},     {"aes-192-gcm", 0x18823a4a06e05ada},
    {"aes-256-ecb", 0x963294a21afb3475},     {"aes-256-cbc", 0xb79807095dfcc2cc},
    {"aes-256-ctr", 0x4ba01c567c9b755a},     {"aes-256-cfb", 0x132322a8904b66db},
    {"aes-256-ofb", 0x47ceabda36f10bde},     {"aes-256-xts", 0x0e7d8fe56b0a7a97},
    {"aes-256-gcm", 0x297a327a6a16f39d},     {"serpent-128-ecb", 0x663b56b95bbada11},
    {"serpent-128-cbc", 0xf9b212150e8a7820}, {"serpent-128-ctr", 0xf4e6e28cb8f4486d},
    {"serpent-128-cfb", 0xa8a732a917b306de}, {"serpent-128-ofb", 0xa65378d0e8e093e3},
    {"serpent-128-xts", 0xb75507b94af73e20}, {"serpent-128-gcm", 0xad4dfbb43de4cdc0},
    {"serpent-192-ecb", 0xab4849674d3736b2}, {"serpent-192-cbc", 0xea7a4f0f84236525},
    {"serpent-192-ctr", 0x0ab741581dd64fd5}, {"serpent-192-cfb", 0x7c84a226c1ec9fc5},
    {"serpent-192-ofb", 0x3c067dacf455113c}, {"serpent-192-xts", 0x45ae145ec1a1fe1d},
    {"serpent-192-gcm", 0xeec0e87e074f711c}, {"serpent-256-ecb", 0xfa04d81532d823b5},
    {"serpent-256-cbc", 0x9cb3d8924cdcb0f0}, {"serpent-256-ctr", 0x4e1b43ad5205d48e},
    {"serpent-256-cfb", 0x382bc07c566c6c38}, {"serpent-256-ofb", 0xb3d0c48308ce7f2b},
    {"serpent-256-xts", 0xf3e6483b57cd5c95}, {"serpent-256-gcm", 0x85a82223c4533a4b},
    {"twofish-128-ecb", 0xcc9f78502988266b}, {"twofish-128-cbc", 0xead42df5cfd3929f},
    {"twofish-128-ctr", 0xb6e8e8abaa7156e6}, {"twofish-128-cfb", 0x27151fa4e0d4d6ed},
    {"twofish-128-ofb", 0xc20a4a823b3bbf18}, {"twofish-128-xts", 0x361a38b42bafaa7e},
    {"twofish-128-gcm", 0xfeb88dff7dcf0d68}, {"twofish-192-ecb", 0x6af7968d11e2c8f6},
    {"twofish-192-cbc", 0x1c267bfa1a4255d2}, {"twofish-192-ctr", 0xd43b2b3bb5ff8b08},
    {"twofish-192-cfb", 0x1691e078e31d4537}, {"twofish-192-ofb", 0xe29d4d9c865c7c4d},
    {"twofish-192-xts", 0xd1d9b78ae96e8606}, {"twofish-192-gcm", 0xa2405910fe14eecc},
    {"twofish-256-ecb", 0xc85accbf5a6a3dcb}, {"twofish-256-cbc", 0x6419a07496957290},
    {"twofish-256-ctr", 0x1465c3f756ff7292}, {"twofish-256-cfb", 0x795df8da0f3d3274},
    {"twofish-256-ofb", 0xe97b61a20bca3573}, {"twofish-256-xts", 0x7ebd088e6b4db2f7},
    {"twofish-256-gcm", 0x5ed909ea3a325b5a}, {"xaes-256-gcm", 0x6c6a2314a4c0bff8},
};

}  // namespace

std::span<const KnownAnswer> known_answers() { return answers; }

std::vector<std::uint8_t> known_answer_key(std::size_t size) {
  std::vector<std::uint8_t> key(size);
  for (std::size_t i = 0; i < size; ++i) key[i] = static_cast<std::uint8_t>(i + 1);
  return key;
}

std::vector<std::uint8_t> known_answer_iv(std::size_t size) {
  std::vector<std::uint8_t> iv(size, 0xff);
  if (size != 0) iv.back() = 0xfe;
  return iv;
}

std::vector<std::uint8_t> known_answer_message(bool whole_blocks) {
  std::vector<std::uint8_t> message(2 * 4096 + 4 * 16 + (whole_blocks ? 0 : 5));
  std::uint32_t state = 1;
  for (std::uint8_t& byte : message) {
    state = state * 1664525 + 1013904223;  // Numerical Recipes' linear congruential generator
    byte = static_cast<std::uint8_t>(state >> 24);
  }
  return message;
}

std::uint64_t fingerprint_of(Bytes bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const std::uint8_t byte : bytes) hash = (hash ^ byte) * 0x100000001b3;
  return hash;
}

}  // namespace phalanx
