// This checks the modification detection code of a message (RFC 9580, section 5.13.1).
#pragma once

#include "files/foreign/openpgp/packets/all_but_tail.hpp"
#include "files/libcrypto/named_digest.hpp"
#include "files/pipeline/scheduler.hpp"

namespace phalanx {

/// Hashes the decrypted pieces as they come. The last bytes are a packet with the SHA-1 of all before it.
class ModificationDetection : public PipelineStage {
 public:
  static constexpr std::size_t header_bytes = 2, digest_bytes = 20, packet_bytes = header_bytes + digest_bytes;

  ModificationDetection() : hash_("sha1"), before_code_(hash_, packet_bytes) { hash_.digest.begin(); }

  [[nodiscard]] bool in_order() const override { return true; }
  [[nodiscard]] bool only_reads() const override { return true; }
  void process(Piece& piece) override { before_code_.write(piece.content()); }

  /// Returns whether the code is right, once all pieces were hashed.
  [[nodiscard]] bool is_right();

 private:
  struct Hash : ByteSink {
    explicit Hash(const char* name) : digest(name) {}
    void write(Bytes in) override { digest.update(in); }
    NamedDigest digest;
  };

  Hash hash_;
  AllButTail before_code_;
};

}  // namespace phalanx
