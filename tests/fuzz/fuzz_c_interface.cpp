// The C interface: any sequence of calls with any arguments, null among them, that C itself allows. Each call returns one of
// its codes, says why in one line where it fails, and writes nothing behind its outputs.
#include <phalanx/files/container.h>
#include <phalanx/phalanx.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <utility>

#include "tests/fuzz/driver/fuzzed_input.hpp"

namespace phalanx::fuzz {
namespace {

constexpr std::size_t half_bytes = 8192;
constexpr const char* names[] = {"aes-128-cbc",     "aes-256-gcm",     "aes-256-xts", "des-ede3-cbc",
                                 "serpent-256-ctr", "twofish-128-cfb", "DES-ecb",     "2des-ofb",
                                 "aes-256",         "aes-128-ige",     "-",           ""};
constexpr const char* engines[] = {"cpu:scalar", "cpu", "auto", "cpu:none", "", "cpu:avx2", "cpu:avx2+vaes", "cpu:avx512"};
constexpr const char* suites[] = {"aes-256", "aes-128", "serpent-256", "TWOFISH-256", "des", ""};

// What the calls work on: inputs in one half of the memory and outputs in the other, or both in the same place.
class Calls {
 public:
  explicit Calls(FuzzedInput& input) : input_(input) {}
  ~Calls() {
    for (phalanx_cipher* cipher : ciphers_) phalanx_cipher_free(cipher);
    for (phalanx_sector_cipher* cipher : sector_ciphers_) phalanx_sector_cipher_free(cipher);
    for (phalanx_aead* aead : aeads_) phalanx_aead_free(aead);
    for (phalanx_container_reader* reader : readers_) phalanx_container_reader_free(reader);
  }
  Calls(const Calls&) = delete;
  Calls& operator=(const Calls&) = delete;

  void make_one();

 private:
  struct Place {
    const std::uint8_t* in;
    std::uint8_t* out;
    std::size_t size;
  };

  bool is_null() { return input_.below(16) == 15; }
  template <class Pointer>
  Pointer or_null(Pointer pointer) {
    return is_null() ? nullptr : pointer;
  }
  const char* name_of(std::span<const char* const> list) { return or_null(list[input_.below(list.size())]); }
  int num_threads() { return static_cast<int>(input_.below(8)) < 7 ? 1 : static_cast<int>(input_.below(6)) - 3; }

  Place take_place();
  const std::uint8_t* take_bytes(std::size_t size);
  phalanx_recipient take_recipient();
  std::vector<phalanx_recipient> take_recipients();
  std::vector<phalanx_identity> take_identities();
  std::vector<phalanx_message> take_messages(std::size_t block_bytes);
  phalanx_cipher*& one_cipher() { return ciphers_[input_.below(ciphers_.size())]; }
  phalanx_sector_cipher*& one_sector_cipher() { return sector_ciphers_[input_.below(sector_ciphers_.size())]; }
  phalanx_aead*& one_aead() { return aeads_[input_.below(aeads_.size())]; }
  phalanx_engine_options take_options();
  phalanx_cipher_policy take_policy();
  phalanx_aead_options take_aead_options();
  phalanx_binding take_binding();
  // At times one has a size that is not the others'.
  template <class Struct>
  void spoil_one(std::vector<Struct>& array) {
    if (!array.empty() && input_.below(16) == 15) {
      Struct& one = array[input_.below(array.size())];
      one.struct_bytes = input_.below(sizeof one + 1);
    }
  }
  // At times with a size that no version of the struct has.
  template <class Struct>
  Struct spoilt(Struct given) {
    if (input_.below(16) == 15) given.struct_bytes = input_.below(sizeof given + 1);
    return given;
  }
  phalanx_container_reader*& one_reader() { return readers_[input_.below(readers_.size())]; }
  void check(int code);

  template <class Handle, class Choice, class Make, class Free>
  void make_keyed(Handle*& place, const Choice& choice, const Make& make, const Free& free);
  void make_cipher();
  void make_other();
  void ask_cipher();
  void crypt();
  void crypt_part();
  void crypt_sectors();
  void crypt_batch();
  void seal_and_open();
  void seal_batch();
  void ask_engines();
  void seal_container();
  void write_container();
  void open_container();
  void read_container();

  FuzzedInput& input_;
  std::array<phalanx_cipher*, 3> ciphers_{};
  std::array<phalanx_sector_cipher*, 2> sector_ciphers_{};
  std::array<phalanx_aead*, 2> aeads_{};
  std::array<phalanx_container_reader*, 2> readers_{};
  Buffer memory_ = Buffer(2 * half_bytes);
  std::deque<Buffer> kept_;     // containers in memory must stay where they are
  std::vector<Buffer> passed_;  // what a call points to
};

void Calls::check(int code) {
  require(code >= PHALANX_OK && code <= PHALANX_FORMAT, "a code of the list");
  const char* text = phalanx_last_error();
  require(text != nullptr && std::strchr(text, '\n') == nullptr, "an error is one line");
  require(code == PHALANX_OK || *text != 0, "and says something");
}

Calls::Place Calls::take_place() {
  const std::size_t offset = input_.below(64);
  std::size_t size = input_.below(2) == 0 ? 16 * input_.below(40) : input_.below(1000);
  if (is_null()) size = 0;
  const std::uint8_t* in = memory_.data() + offset;
  std::uint8_t* out = memory_.data() + (input_.flag() ? offset : half_bytes + input_.below(64));
  return {.in = or_null(in), .out = or_null(out), .size = size};
}

// Memory of exactly so many bytes, for AddressSanitizer to watch.
const std::uint8_t* Calls::take_bytes(std::size_t size) {
  if (is_null()) return nullptr;
  passed_.push_back(input_.fill(size));
  passed_.back().shrink_to_fit();
  return passed_.back().data();
}

phalanx_engine_options Calls::take_options() {
  phalanx_engine_options options = PHALANX_ENGINE_OPTIONS_INIT;
  options.engine = name_of(engines);
  options.num_threads = num_threads();
  return spoilt(options);
}

phalanx_cipher_policy Calls::take_policy() {
  phalanx_cipher_policy policy = PHALANX_CIPHER_POLICY_INIT;
  policy.allow_legacy = input_.below(4) != 0 ? 1 : 0;
  return spoilt(policy);
}

phalanx_aead_options Calls::take_aead_options() {
  constexpr std::size_t tag_sizes[] = {0, 16, 16, 16, 12, 11, 17};
  phalanx_aead_options options = PHALANX_AEAD_OPTIONS_INIT;
  if (input_.below(4) == 3) options.tag_bytes = input_.one_of(tag_sizes);
  options.any_nonce_size = input_.flag() ? 1 : 0;
  return spoilt(options);
}

phalanx_binding Calls::take_binding() {
  constexpr const char* bound_names[] = {"a", "a/b", "", "b"};
  phalanx_binding binding = PHALANX_BINDING_INIT;
  binding.context_bytes = input_.below(4) == 3 ? 5 : 0;
  binding.context = take_bytes(binding.context_bytes);
  binding.name = name_of(bound_names);
  binding.below = input_.flag() ? nullptr : name_of(bound_names);
  binding.any_name = input_.flag() ? 1 : 0;
  binding.needs_name = input_.below(8) == 7 ? 1 : 0;
  return spoilt(binding);
}

// `choice` is the policy of a cipher or the options of an aead.
template <class Handle, class Choice, class Make, class Free>
void Calls::make_keyed(Handle*& place, const Choice& choice, const Make& make, const Free& free) {
  free(place);
  place = nullptr;
  constexpr std::size_t sizes[] = {16, 32, 64, 24, 8, 0, 17};
  const std::size_t size = input_.one_of(sizes);
  const char* name = name_of(names);
  const phalanx_engine_options options = take_options();
  const int code = make(or_null(&place), name, take_bytes(size), size, or_null(&choice), or_null(&options));
  check(code);
  require(code == PHALANX_OK || place == nullptr, "a call that fails makes nothing");
}

void Calls::make_cipher() { make_keyed(one_cipher(), take_policy(), phalanx_cipher_new, phalanx_cipher_free); }

void Calls::make_other() {
  if (input_.flag()) {
    make_keyed(one_sector_cipher(), take_policy(), phalanx_sector_cipher_new, phalanx_sector_cipher_free);
  } else {
    make_keyed(one_aead(), take_aead_options(), phalanx_aead_new, phalanx_aead_free);
  }
}

void Calls::ask_cipher() {
  const phalanx_cipher* cipher = or_null(one_cipher());
  const char* engine = nullptr;
  const int code = phalanx_cipher_engine(cipher, or_null(&engine));
  check(code);
  require(code != PHALANX_OK || engine != nullptr, "a cipher has an engine");
  phalanx_facts facts = spoilt(phalanx_facts PHALANX_FACTS_INIT);
  check(phalanx_facts_of(name_of(names), or_null(&facts)));
  check(phalanx_facts_at(input_.below(100), or_null(&facts)));
}

void Calls::crypt() {
  const phalanx_cipher* cipher = or_null(one_cipher());
  const Place place = take_place();
  const std::uint8_t* iv = take_bytes(16);
  std::array<std::uint8_t, 16> next{};
  std::uint8_t* next_iv = input_.flag() ? next.data() : nullptr;
  check(input_.flag() ? phalanx_cipher_encrypt(cipher, iv, place.in, place.out, place.size, next_iv)
                      : phalanx_cipher_decrypt(cipher, iv, place.in, place.out, place.size, next_iv));
}

void Calls::crypt_part() {
  const phalanx_cipher* cipher = or_null(one_cipher());
  const Place place = take_place();
  const std::uint8_t* iv = take_bytes(16);
  const std::uint64_t offset = input_.flag() ? input_.below(1000) : ~std::uint64_t{0} - input_.below(1000);
  check(input_.flag() ? phalanx_cipher_encrypt_part(cipher, iv, offset, place.in, place.out, place.size)
                      : phalanx_cipher_decrypt_part(cipher, iv, offset, place.in, place.out, place.size));
}

void Calls::crypt_sectors() {
  const phalanx_sector_cipher* cipher = or_null(one_sector_cipher());
  const Place place = take_place();
  const std::uint64_t first = input_.flag() ? input_.below(100) : ~std::uint64_t{0} - input_.below(4);
  const std::uint64_t step = input_.flag() ? 1 : ~std::uint64_t{0} - input_.below(4);
  const std::size_t sector_bytes = input_.flag() ? 16 * input_.below(40) : input_.below(1 << 16);
  check(input_.flag() ? phalanx_sector_cipher_encrypt(cipher, first, step, sector_bytes, place.in, place.out, place.size)
                      : phalanx_sector_cipher_decrypt(cipher, first, step, sector_bytes, place.in, place.out, place.size));
}

// Messages one behind another in both halves, so that no two share memory.
std::vector<phalanx_message> Calls::take_messages(std::size_t block_bytes) {
  std::vector<phalanx_message> messages(input_.below(20));
  std::size_t at = 0;
  for (phalanx_message& message : messages) {
    const std::size_t size = input_.flag() ? block_bytes * input_.below(8) : input_.below(100);
    const std::uint8_t* key = input_.flag() ? take_bytes(64) : nullptr;
    const std::uint8_t* iv = take_bytes(16);
    message = {sizeof(message),
               key,
               iv,
               or_null(std::as_const(memory_).data() + at),
               or_null(memory_.data() + half_bytes + at),
               size,
               nullptr};
    at += size;
  }
  spoil_one(messages);
  return messages;
}

void Calls::crypt_batch() {
  const phalanx_cipher* cipher = or_null(one_cipher());
  const std::vector<phalanx_message> messages = take_messages(16);
  const phalanx_message* first = messages.empty() ? nullptr : or_null(messages.data());
  check(input_.flag() ? phalanx_cipher_encrypt_batch(cipher, first, messages.size())
                      : phalanx_cipher_decrypt_batch(cipher, first, messages.size()));
}

void Calls::seal_and_open() {
  const phalanx_aead* aead = or_null(one_aead());
  const Place place = take_place();
  const std::size_t nonce_bytes = input_.below(20);
  const std::size_t associated_bytes = input_.below(40);
  const std::uint8_t* nonce = take_bytes(nonce_bytes);
  const std::uint8_t* associated = take_bytes(associated_bytes);
  const std::size_t out_bytes = place.size + (input_.below(8) == 7 ? 1 : 0);
  const std::size_t tag_bytes = input_.below(8) == 7 ? input_.below(20) : 16;
  std::array<std::uint8_t, 20> tag{};
  if (input_.flag()) {
    return check(phalanx_aead_seal(aead, nonce, nonce_bytes, associated, associated_bytes, place.in, place.size, place.out,
                                   out_bytes, or_null(tag.data()), tag_bytes));
  }
  check(phalanx_aead_open(aead, nonce, nonce_bytes, associated, associated_bytes, place.in, place.size, place.out, out_bytes,
                          take_bytes(tag_bytes), tag_bytes));
}

// Of messages that lie as take_messages has them.
void Calls::seal_batch() {
  const phalanx_aead* aead = or_null(one_aead());
  std::vector<phalanx_aead_message> batch;
  std::vector<std::array<std::uint8_t, 16>> tags(20);
  for (const phalanx_message& m : take_messages(16)) {
    const std::size_t nonce_bytes = input_.flag() ? 12 : input_.below(20);
    const std::uint8_t* nonce = take_bytes(nonce_bytes);
    batch.push_back({sizeof(phalanx_aead_message), m.key, nonce, nonce_bytes, nullptr, input_.below(8) == 7 ? 1U : 0U, m.in,
                     m.size, m.out, m.size, or_null(tags[batch.size()].data()), 16, 0});
  }
  spoil_one(batch);
  phalanx_aead_message* first = batch.empty() ? nullptr : or_null(batch.data());
  check(phalanx_aead_seal_batch(aead, first, batch.size()));
  for (phalanx_aead_message& m : batch) m.in = m.out;
  check(phalanx_aead_open_batch(aead, first, batch.size()));
}

void Calls::ask_engines() {
  const char* name = nullptr;
  const char* description = nullptr;
  const char* reason = nullptr;
  const std::size_t index = input_.flag() ? input_.below(6) : ~std::size_t{0};
  const int code = phalanx_engine_at(index, or_null(&name), or_null(&description), or_null(&reason));
  check(code);
  require(index < 1000 || code == PHALANX_USAGE, "there is an end of the list");
  require(phalanx_version() != nullptr, "a version");
}

phalanx_recipient Calls::take_recipient() {
  constexpr std::size_t sizes[] = {32, 16, 0, 5};
  const std::size_t size = input_.one_of(sizes);
  // From memory that is the same for all, so that a container opens for who sealed it.
  static const Buffer secret(64, 3);
  const bool dear = input_.below(8) == 7;  // refused before it costs anything
  return {.struct_bytes = sizeof(phalanx_recipient),
          .kind = input_.flag() ? PHALANX_KEY : static_cast<int>(input_.below(4)),
          .secret = or_null(secret.data()),
          .secret_bytes = size,
          .log2_n = static_cast<std::uint8_t>(dear ? input_.below(256) | 32 : 10),
          .r = static_cast<std::uint8_t>(input_.below(4) == 3 ? 0 : 8),
          .p = static_cast<std::uint8_t>(input_.below(4) == 3 ? 0 : 1)};
}

std::vector<phalanx_recipient> Calls::take_recipients() {
  std::vector<phalanx_recipient> recipients(input_.below(4));
  for (phalanx_recipient& recipient : recipients) recipient = take_recipient();
  spoil_one(recipients);
  return recipients;
}

void Calls::seal_container() {
  const char* suite = name_of(suites);
  const std::vector<phalanx_recipient> recipients = take_recipients();
  const phalanx_recipient* first = recipients.empty() ? nullptr : or_null(recipients.data());
  const std::size_t size = input_.flag() ? input_.below(100) : 16383 + input_.below(3);
  const Buffer plain(size, 5);
  std::uint64_t sealed_bytes = 0;
  const phalanx_binding binding = take_binding();
  const phalanx_binding* bound = input_.flag() ? nullptr : &binding;
  check(
      phalanx_container_bytes(suite, first, recipients.size(), ~std::uint64_t{0} - input_.below(64), bound, &sealed_bytes));
  const int code = phalanx_container_bytes(suite, first, recipients.size(), size, bound, or_null(&sealed_bytes));
  check(code);
  if (code != PHALANX_OK) return;
  Buffer sealed(sealed_bytes + (input_.below(8) == 7 ? 1 : 0));
  const phalanx_engine_options options = take_options();
  check(phalanx_container_seal(suite, first, recipients.size(), or_null(plain.data()), size, or_null(sealed.data()),
                               sealed.size(), bound, or_null(&options)));
  kept_.push_back(std::move(sealed));
}

int append_to_kept(void* user_data, const std::uint8_t* bytes, std::size_t size) {
  if (user_data == nullptr) return 1;
  auto& kept = *static_cast<Buffer*>(user_data);
  kept.insert(kept.end(), bytes, bytes + size);
  return 0;
}

void Calls::write_container() {
  const char* suite = name_of(suites);
  const std::vector<phalanx_recipient> recipients = take_recipients();
  const phalanx_recipient* first = recipients.empty() ? nullptr : or_null(recipients.data());
  const phalanx_engine_options options = take_options();
  const phalanx_binding binding = take_binding();
  Buffer sealed;
  phalanx_container_writer* writer = nullptr;
  check(phalanx_container_writer_new(or_null(&writer), or_null(append_to_kept), or_null(&sealed), suite, first,
                                     recipients.size(), or_null(&binding), or_null(&options)));
  const Buffer plain(20000, 5);
  for (std::size_t i = input_.below(4); i != 0; --i) {
    check(phalanx_container_writer_write(or_null(writer), or_null(plain.data()), input_.below(plain.size())));
  }
  check(phalanx_container_writer_finish(or_null(writer)));
  phalanx_container_writer_free(writer);
  kept_.push_back(std::move(sealed));
}

int read_kept(void* user_data, std::uint64_t offset, std::uint8_t* out, std::size_t size) {
  if (user_data == nullptr) return 1;  // the library passes on what it was given
  const auto& kept = *static_cast<const Buffer*>(user_data);
  if (offset > kept.size() || size > kept.size() - offset) return 1;
  std::copy_n(kept.begin() + static_cast<std::ptrdiff_t>(offset), size, out);
  return 0;
}

std::vector<phalanx_identity> Calls::take_identities() {
  std::vector<phalanx_identity> identities;
  for (const phalanx_recipient& r : take_recipients())
    identities.push_back({sizeof(phalanx_identity), r.kind, r.secret, r.secret_bytes});
  spoil_one(identities);
  return identities;
}

void Calls::open_container() {
  phalanx_container_reader*& reader = one_reader();
  phalanx_container_reader_free(reader);
  reader = nullptr;
  if (kept_.empty() || input_.below(4) == 3) {  // any bytes
    const Bytes bytes = input_.take(input_.below(512));
    kept_.emplace_back(bytes.begin(), bytes.end());
  }
  Buffer& sealed = kept_[input_.below(kept_.size())];
  const std::vector<phalanx_identity> identities = take_identities();
  const phalanx_identity* first = identities.empty() ? nullptr : or_null(identities.data());
  const phalanx_engine_options options = take_options();
  const phalanx_binding binding = take_binding();
  const phalanx_binding* bound = input_.flag() ? nullptr : &binding;
  const std::size_t more = input_.below(8) == 7 ? 1 : 0;
  phalanx_cost_limits limits = PHALANX_COST_LIMITS_INIT;
  limits.all_passphrases = std::uint64_t{input_.below(4)} << 20;  // 0: the usual one
  if (input_.flag()) {
    check(phalanx_container_reader_of_memory(or_null(&reader), or_null(sealed.data()), sealed.size(), first,
                                             identities.size(), &limits, bound, or_null(&options)));
  } else {
    check(phalanx_container_reader_new(or_null(&reader), or_null(read_kept), or_null(&sealed), sealed.size() + more, first,
                                       identities.size(), &limits, bound, or_null(&options)));
  }
}

void Calls::read_container() {
  const phalanx_container_reader* reader = or_null(one_reader());
  std::uint64_t size = 0;
  check(phalanx_container_reader_size(reader, &size));
  const char* suite = nullptr;
  check(phalanx_container_reader_suite(reader, or_null(&suite)));
  const std::uint64_t offset = input_.flag() ? input_.below(20000) : ~std::uint64_t{0} - input_.below(100);
  Buffer out(input_.below(20000));
  const int code = phalanx_container_reader_read(reader, offset, or_null(out.data()), out.size());
  check(code);
  if (code != PHALANX_OK) return;
  require(offset <= size && out.size() <= size - offset, "what is read is within the container");
}

void Calls::make_one() {
  using Call = void (Calls::*)();
  constexpr Call calls[] = {&Calls::make_cipher,    &Calls::ask_cipher,     &Calls::crypt,          &Calls::crypt_part,
                            &Calls::crypt_sectors,  &Calls::crypt_batch,    &Calls::seal_and_open,  &Calls::ask_engines,
                            &Calls::seal_container, &Calls::open_container, &Calls::read_container, &Calls::make_other,
                            &Calls::seal_batch,     &Calls::write_container};
  passed_.clear();
  (this->*calls[input_.below(std::size(calls))])();
}

}  // namespace
}  // namespace phalanx::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace phalanx::fuzz;
  FuzzedInput input(data, size);
  Calls calls(input);
  for (int i = 0; i < 40 && !input.is_empty(); ++i) calls.make_one();
  return 0;
}
