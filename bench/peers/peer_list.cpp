#include "bench/peers/peer_list.hpp"

namespace phalanx::bench {
namespace {

ContenderList make_peers() {
  ContenderList peers;
  peers.push_back(make_openssl_peer());
#ifdef PHALANX_HAS_LIBGCRYPT
  peers.push_back(make_libgcrypt_peer());
#endif
#ifdef PHALANX_HAS_NETTLE
  peers.push_back(make_nettle_peer());
#endif
#ifdef PHALANX_HAS_CRYPTOPP
  peers.push_back(make_cryptopp_peer());
#endif
#ifdef PHALANX_HAS_BOTAN
  peers.push_back(make_botan_peer());
#endif
#ifdef PHALANX_HAS_IPSEC_MB
  peers.push_back(make_ipsec_mb_peer());
#endif
  return peers;
}

}  // namespace

const ContenderList& all_peers() {
  static const ContenderList peers = make_peers();
  return peers;
}

}  // namespace phalanx::bench
