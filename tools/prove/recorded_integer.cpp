#include "recorded_integer.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>

#include "outside_cores/polynomials.hpp"

namespace prove {
namespace {

constexpr Literal unknown = ~Literal{0};  // in place of a byte's first signal: the byte is what memory holds
constexpr std::size_t page_bytes = 4096;

using ByteSignals = std::array<Literal, 8>;
struct Page {
  std::array<ByteSignals, page_bytes> byte;
  Page() {
    for (ByteSignals& signals : byte) signals[0] = unknown;
  }
};

// The page of an address; nullptr where nothing has been written and `make` is false.
Page* page_of(std::uintptr_t address, bool make) {
  static std::unordered_map<std::uintptr_t, std::unique_ptr<Page>> pages;
  static std::uintptr_t last_number = 0;
  static Page* last = nullptr;
  const std::uintptr_t number = address / page_bytes;
  if (last != nullptr && number == last_number) return last;
  const auto found = pages.find(number);
  if (found == pages.end() && !make) return nullptr;
  last_number = number;
  last = found != pages.end() ? found->second.get() : (pages[number] = std::make_unique<Page>()).get();
  return last;
}

// The signals of the byte, or nullptr if it is what it holds.
ByteSignals* signals_of(std::uintptr_t address) {
  Page* const page = page_of(address, false);
  if (page == nullptr) return nullptr;
  ByteSignals& signals = page->byte[address % page_bytes];
  return signals[0] == unknown ? nullptr : &signals;
}

std::uintptr_t address_of(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }

// What a byte with unknown bits holds: if code reads it past the recording, it reads nonsense that no proof survives.
constexpr int nonsense = 0xa7;

ByteSignals read_byte(const std::uint8_t* p) {
  if (const ByteSignals* const signals = signals_of(address_of(p))) return *signals;
  ByteSignals constant;
  for (unsigned i = 0; i < 8; ++i) constant[i] = *p >> i & 1;
  return constant;
}

void write_byte(std::uint8_t* p, const ByteSignals& signals) {
  unsigned value = 0;
  bool constant = true;
  for (unsigned i = 0; i < 8; ++i) {
    constant = constant && signals[i] <= one;
    value |= (signals[i] & 1) << i;
  }
  *p = static_cast<std::uint8_t>(constant ? value : nonsense);
  if (constant) {
    forget_memory(p, 1);
  } else {
    page_of(address_of(p), true)->byte[address_of(p) % page_bytes] = signals;
  }
}

Fault planted = Fault::none;
std::size_t planted_number = 0;
std::map<Fault, std::size_t> counts;

}  // namespace

void plant_fault(Fault kind, std::size_t number) {
  planted = kind;
  planted_number = number;
  counts.clear();
}
std::size_t num_recorded(Fault kind) { return counts[kind]; }
bool goes_wrong(Fault kind) { return ++counts[kind] == planted_number && kind == planted; }

Signals read_memory(const void* from, std::size_t num_bytes) {
  Signals bits;
  bits.reserve(8 * num_bytes);
  for (std::size_t i = 0; i < num_bytes; ++i) {
    const ByteSignals byte = read_byte(static_cast<const std::uint8_t*>(from) + i);
    bits.insert(bits.end(), byte.begin(), byte.end());
  }
  return bits;
}

void write_memory(void* to, const Signals& bits) {
  for (std::size_t i = 0; i < bits.size() / 8; ++i) {
    ByteSignals byte;
    for (std::size_t bit = 0; bit < 8; ++bit) byte[bit] = bits[8 * i + bit];
    write_byte(static_cast<std::uint8_t*>(to) + i, byte);
  }
}

void forget_memory(const void* from, std::size_t num_bytes) {
  for (std::size_t i = 0; i < num_bytes; ++i) {
    if (ByteSignals* const signals = signals_of(address_of(from) + i)) (*signals)[0] = unknown;
  }
}

void copy_memory(void* to, const void* from, std::size_t num_bytes) {
  const Signals bits = read_memory(from, num_bytes);  // first all of it: the two may overlap
  write_memory(to, bits);
}

void fill_memory(void* to, int byte, std::size_t num_bytes) {
  std::memset(to, byte, num_bytes);
  forget_memory(to, num_bytes);
}

Literal look_up(std::uint8_t table, Literal a, Literal b, Literal c) {
  const auto of_c = [&](unsigned pair) { return graph().choose(c, table >> (2 * pair + 1) & 1, table >> (2 * pair) & 1); };
  return graph().choose(a, graph().choose(b, of_c(3), of_c(2)), graph().choose(b, of_c(1), of_c(0)));
}

Signals add(const Signals& a, const Signals& b, Literal carry) {
  AndGraph& g = graph();
  Signals sum;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Literal differ = g.xor_of(a[i], b[i]);
    sum.push_back(g.xor_of(differ, carry));
    carry = g.choose(differ, carry, a[i]);
  }
  return sum;
}

namespace {

// The bit f if b is 1 or -1 as f chooses: f everywhere but 1 in the lowest place.
bool is_sign(const Signals& b) {
  for (const Literal bit : b) {
    if (bit != b[1] && bit != b[0]) return false;
  }
  for (std::size_t i = 1; i < b.size(); ++i) {
    if (b[i] != b[1]) return false;
  }
  return b[0] == one;
}

Signals negated_where(Literal f, Signals x) {
  const Signals as_it_is = x;
  for (Literal& bit : x) bit = not_of(bit);
  x = add(x, Signals(x.size(), zero), one);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = graph().choose(f, x[i], as_it_is[i]);
  return x;
}

struct SignedProduct {
  Signals factor;
  Literal negative;
};
std::map<Signals, SignedProduct> signed_products;
std::map<long long, Signals> stood_in;
std::map<int, Signals> stood_in32;

// The number, of bits that are all constant.
std::optional<std::uint64_t> known_number(const Signals& bits) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < bits.size(); ++i) {
    if (bits[i] > one) return std::nullopt;
    number |= std::uint64_t{bits[i]} << i;
  }
  return number;
}

}  // namespace

long long stand_in(const Signals& bits) {
  if (const auto number = known_number(bits)) return static_cast<long long>(*number);
  constexpr std::uint64_t far_from_any_number = 0xa7e5b3c1d9f80000;
  const auto number = static_cast<long long>(far_from_any_number + stood_in.size());
  stood_in[number] = bits;
  return number;
}
Signals stood_for(long long number) {
  const auto found = stood_in.find(number);
  return found == stood_in.end() ? Signals() : found->second;
}

int stand_in32(const Signals& bits) {
  constexpr std::uint32_t first = 0xa7e50000;
  constexpr std::uint32_t past_last = 0xa7f50000;
  if (const auto number = known_number(bits)) {
    if (*number >= first && *number < past_last)
      throw std::logic_error("a known number is one that stands for unknown bits");
    return static_cast<int>(*number);
  }
  const auto number = static_cast<std::uint32_t>(first + stood_in32.size());
  if (number >= past_last) throw std::logic_error("too many unknown numbers of 32 bits");
  stood_in32[static_cast<int>(number)] = bits;
  return static_cast<int>(number);
}
Signals stood_for(int number) {
  const auto found = stood_in32.find(number);
  return found == stood_in32.end() ? Signals() : found->second;
}

namespace {

// The branches of a path: how the first ones go, and the conditions of all. Those behind go as if their conditions were 0.
struct Path {
  std::vector<bool> taken;
  Signals conditions;
};
Path* path = nullptr;

// On all paths whose first branches go so.
Signals on_paths_from(std::vector<bool> taken, const std::function<Signals()>& record) {
  Path here{taken, {}};
  path = &here;
  Signals result = record();
  path = nullptr;
  taken.resize(here.conditions.size(), false);
  for (std::size_t i = taken.size(); i-- > here.taken.size();) {  // from the last branch on: what if it went the other way
    taken.resize(i);
    taken.push_back(true);
    const Signals if_one = on_paths_from(taken, record);
    taken.back() = false;
    for (std::size_t k = 0; k < result.size(); ++k) {
      result[k] = graph().choose(here.conditions[i], if_one[k], result[k]);
    }
  }
  return result;
}

}  // namespace

bool decide_branch(Literal condition) {
  if (path == nullptr) throw std::logic_error("a branch depends on an unknown bit");
  // A condition that this path has met before goes as it went there, and its complement the other way.
  const auto same = std::find_if(path->conditions.begin(), path->conditions.end(),
                                 [&](Literal earlier) { return (earlier ^ condition) <= 1; });
  const auto number = static_cast<std::size_t>(same - path->conditions.begin());
  if (same == path->conditions.end()) path->conditions.push_back(condition);
  const bool goes = number < path->taken.size() && path->taken[number];
  return goes != (path->conditions[number] != condition);
}
Signals on_every_path(const std::function<Signals()>& record) { return on_paths_from({}, record); }

Signals multiply(const Signals& a, const Signals& b) {
  if (is_sign(b) && b[1] > one) {
    const Signals product = negated_where(b[1], a);
    signed_products[product] = {a, b[1]};
    return product;
  }
  const auto is_known = [](const Signals& bits) {
    return std::all_of(bits.begin(), bits.end(), [](Literal bit) { return bit <= one; });
  };
  if (is_known(a) && !is_known(b)) return multiply(b, a);
  Signals sum(a.size(), zero);
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (b[i] > one) return multiply_where_carries_stay(a, b);
    if (b[i] == one) sum = add(sum, shift_by_constant(a, static_cast<unsigned>(i), true, zero), zero);
  }
  return sum;
}

Signals add_to_product(const Signals& a, const Signals& b) {
  const auto found = signed_products.find(a);
  if (found == signed_products.end()) return add(a, b, zero);
  for (const Literal bit : b) {
    if (bit != found->second.negative) return add(a, b, zero);
  }
  Signals flipped = found->second.factor;
  for (Literal& bit : flipped) bit = graph().xor_of(bit, found->second.negative);
  return flipped;
}

Literal is_less(Signals a, Signals b, bool is_signed) {
  if (is_signed) {  // half the range further up
    a.back() = not_of(a.back());
    b.back() = not_of(b.back());
  }
  AndGraph& g = graph();
  Literal less = zero;
  for (std::size_t i = 0; i < a.size(); ++i) less = g.choose(g.xor_of(a[i], b[i]), b[i], less);
  return less;
}

Signals shift_by_constant(const Signals& a, unsigned count, bool left, Literal fill) {
  const std::size_t size = a.size();
  Signals shifted(size, fill);
  for (std::size_t i = count; i < size; ++i) {
    if (left) {
      shifted[i] = a[i - count];
    } else {
      shifted[i - count] = a[i];
    }
  }
  return shifted;
}

Signals shift_by_signals(const Signals& a, const Signals& count, bool left, Literal fill) {
  Signals shifted = a;
  for (std::size_t bit = 0; bit < count.size(); ++bit) {
    if (count[bit] == zero) continue;
    if (std::size_t{1} << bit >= a.size()) throw std::logic_error("a shift may be by more bits than there are");
    const Signals further = shift_by_constant(shifted, 1U << bit, left, fill);
    for (std::size_t i = 0; i < a.size(); ++i) shifted[i] = graph().choose(count[bit], further[i], shifted[i]);
  }
  return shifted;
}

}  // namespace prove
