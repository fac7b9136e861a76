#include "messages/repeated_nonces.hpp"

#include <bit>
#include <cstring>
#include <string>

#include "engine/host/host.hpp"

namespace phalanx {
namespace {

constexpr std::size_t word_bytes = 8;
constexpr std::size_t nonces_of_group = 512;

std::uint64_t load_word(const std::uint8_t* bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

std::uint64_t load_big_endian(const std::uint8_t* bytes) { return __builtin_bswap64(load_word(bytes)); }

bool is_less(Bytes a, Bytes b) {
  if (a.size() >= word_bytes && a.size() <= 2 * word_bytes) {  // two words, which overlap, have all of it
    const std::uint64_t first = load_big_endian(a.data()), other = load_big_endian(b.data());
    if (first != other) return first < other;
    return load_big_endian(a.data() + a.size() - word_bytes) < load_big_endian(b.data() + b.size() - word_bytes);
  }
  return std::memcmp(a.data(), b.data(), a.size()) < 0;
}

bool is_equal(Bytes a, Bytes b) { return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size()) == 0; }

}  // namespace

void RisingNonces::add(Bytes nonce) {
  const bool rises = last_.data() == nullptr || (last_.size() == nonce.size() && is_less(last_, nonce));
  all_rise_ = all_rise_ && rises;
  last_ = nonce;
}

NonceSums::NonceSums(std::size_t most_nonces) : num_of_group_(std::bit_ceil(most_nonces / nonces_of_group + 1)) {
  fill_random({reinterpret_cast<std::uint8_t*>(multipliers_), sizeof multipliers_});
  for (std::uint64_t& multiplier : multipliers_) multiplier |= 1U;
  sums_.reserve(most_nonces);
}

void NonceSums::add(Bytes nonce, std::size_t number) {
  std::uint64_t sum = nonce.size();
  while (nonce.size() > word_bytes) {
    sum = (sum + load_word(nonce.data())) * multipliers_[0];
    sum ^= sum >> 32U;
    nonce = nonce.subspan(word_bytes);
  }
  std::uint64_t last = 0;
  if (!nonce.empty()) std::memcpy(&last, nonce.data(), nonce.size());
  sum = (sum + last) * multipliers_[1];
  sums_.push_back({static_cast<std::uint32_t>(sum >> 32U), static_cast<std::uint32_t>(number)});
  ++num_of_group_[group_of(sums_.back())];
}

void NonceSums::refuse_repeated_in(std::span<const Sum> group, std::vector<std::uint32_t>& table,
                                   const std::function<Bytes(std::size_t)>& nonce_of) {
  const std::size_t num_places = std::bit_ceil(2 * group.size() + 1);
  table.assign(num_places, 0);  // numbers in the group, from 1
  for (std::size_t i = 0; i < group.size(); ++i) {
    std::size_t place = (group[i].sum >> 16U) & (num_places - 1);
    for (; table[place] != 0; place = (place + 1) & (num_places - 1)) {
      const Sum& other = group[table[place] - 1];
      if (other.sum != group[i].sum || !is_equal(nonce_of(other.number), nonce_of(group[i].number))) continue;
      throw Error(ErrorCode::usage, "messages " + std::to_string(other.number) + " and " + std::to_string(group[i].number) +
                                        " have the same nonce under one key, which gives both away: use each nonce once");
    }
    table[place] = static_cast<std::uint32_t>(i + 1);
  }
}

void NonceSums::refuse_repeated(const std::function<Bytes(std::size_t)>& nonce_of) const {
  std::vector<std::size_t> ends(num_of_group_.size() + 1);  // of each group, once all are in it
  for (std::size_t i = 0; i < num_of_group_.size(); ++i) ends[i + 1] = ends[i] + num_of_group_[i];
  std::vector<Sum> grouped(sums_.size());
  for (const Sum& sum : sums_) grouped[ends[group_of(sum)]++] = sum;
  std::vector<std::uint32_t> table;
  std::size_t begin = 0;
  for (std::size_t group = 0; group < num_of_group_.size(); ++group) {
    refuse_repeated_in(std::span(grouped).subspan(begin, ends[group] - begin), table, nonce_of);
    begin = ends[group];
  }
}

}  // namespace phalanx
