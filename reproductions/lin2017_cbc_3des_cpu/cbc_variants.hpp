// Every variant of CBC that the paper describes, by name.
#pragma once

#include "reproductions/lin2017_cbc_3des_cpu/cbc_3des.hpp"
#include "reproductions/lin2017_cbc_3des_cpu/failed_optimizations.hpp"
#include "reproductions/lin2017_cbc_3des_cpu/merged_sptrans.hpp"

namespace papers::lin2017 {

struct Variant {
  const char* name;    ///< of its row
  const char* method;  ///< baseline or method
  void (*encrypt)(const TripleSchedule&, Bytes iv, Bytes in, MutableBytes out);
  void (*decrypt)(const TripleSchedule&, Bytes iv, Bytes in, MutableBytes out);
};

template <class Permutation, class Tables>
constexpr Variant make_variant(const char* name, const char* method) {
  return {name, method,
          [](const TripleSchedule& schedule, Bytes iv, Bytes in, MutableBytes out) {
            cbc_encrypt<Permutation, Tables>(schedule, iv, in, out);
          },
          cbc_decrypt<Permutation, Tables>};
}

inline constexpr Variant variants[] = {
    make_variant<PermOps, SPtrans>("OpenSSL", "baseline"),
    make_variant<PermOps, MergedSPtrans<4>>("Optimized", "method"),
    make_variant<MergedPermOps, SPtrans>("V.A merged single", "method"),
    make_variant<DoublePermOps, SPtrans>("V.B merged double", "method"),
    make_variant<PermOps, SplitSPtrans>("V.C split reduce", "method"),
};

/// From none to all four merged tables: 2, 17.5, 33, 48.5 and 64 KiB.
inline constexpr Variant by_num_merged[] = {
    make_variant<PermOps, MergedSPtrans<0>>("0", "method"), make_variant<PermOps, MergedSPtrans<1>>("1", "method"),
    make_variant<PermOps, MergedSPtrans<2>>("2", "method"), make_variant<PermOps, MergedSPtrans<3>>("3", "method"),
    make_variant<PermOps, MergedSPtrans<4>>("4", "method"),
};

}  // namespace papers::lin2017
