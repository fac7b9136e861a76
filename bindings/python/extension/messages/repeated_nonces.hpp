// Nonces of a batch under one key: two that are equal would give away the XOR of both plaintexts, and what GCM authenticates with.
#pragma once

#include <cstdint>
#include <functional>
#include <phalanx/catalog.hpp>
#include <span>
#include <vector>

namespace phalanx {

/// Sees in little time that nonces are all different where they rise, as those of a counter do that has its last byte last.
class RisingNonces {
 public:
  void add(Bytes nonce);
  /// Whether each was greater than the one before, and as long.
  [[nodiscard]] bool all_rise() const { return all_rise_; }

 private:
  Bytes last_;
  bool all_rise_ = true;
};

/// Finds equal nonces of any order. How long it takes may depend on the nonces, which are no secrets.
class NonceSums {
 public:
  /// Of 2^32 - 1 nonces at most, which would take more memory than machines have.
  explicit NonceSums(std::size_t most_nonces);

  /// `number` is the message's, and greater than those before.
  void add(Bytes nonce, std::size_t number);

  /// Throws Error (usage), which names two messages, if the nonces of two are equal. `nonce_of` gives that of a number.
  void refuse_repeated(const std::function<Bytes(std::size_t)>& nonce_of) const;

 private:
  struct Sum {
    std::uint32_t sum;
    std::uint32_t number;
  };

  [[nodiscard]] std::size_t group_of(const Sum& sum) const { return sum.sum & (num_of_group_.size() - 1); }
  static void refuse_repeated_in(std::span<const Sum> group, std::vector<std::uint32_t>& table,
                                 const std::function<Bytes(std::size_t)>& nonce_of);

  std::uint64_t multipliers_[2];  // drawn, so that nobody can choose nonces of equal sums
  std::vector<Sum> sums_;
  std::vector<std::size_t> num_of_group_;  // by the sums' low bits, so that each group fits into the nearest cache
};

}  // namespace phalanx
