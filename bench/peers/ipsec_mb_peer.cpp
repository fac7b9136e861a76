// intel-ipsec-mb: made for many packets at once, each a job with a key of its own. Jobs go in and come out in any order.
#include <intel-ipsec-mb.h>

#include <cstring>

#include "bench/peers/peer_list.hpp"

namespace phalanx::bench {
namespace {

constexpr std::size_t longest_lane = 65520;  // its lanes count bytes in 16 bits, and we give whole blocks

using Manager = std::shared_ptr<IMB_MGR>;

// One key, expanded: for AES both ways, for DES up to three schedules, for GCM the powers of the hash key.
struct ExpandedKey {
  alignas(64) std::uint8_t encrypt[16 * 15];
  alignas(64) std::uint8_t decrypt[16 * 15];
  alignas(64) std::uint64_t des[3][IMB_DES_KEY_SCHED_SIZE / 8];
  alignas(64) gcm_key_data gcm;
  const void* schedules[3];
};

void expand_aes(IMB_MGR* manager, Bytes key, bool gcm, ExpandedKey& expanded) {
  if (key.size() == 16) {
    IMB_AES_KEYEXP_128(manager, key.data(), expanded.encrypt, expanded.decrypt);
    if (gcm) IMB_AES128_GCM_PRE(manager, key.data(), &expanded.gcm);
  } else if (key.size() == 24) {
    IMB_AES_KEYEXP_192(manager, key.data(), expanded.encrypt, expanded.decrypt);
    if (gcm) IMB_AES192_GCM_PRE(manager, key.data(), &expanded.gcm);
  } else {
    IMB_AES_KEYEXP_256(manager, key.data(), expanded.encrypt, expanded.decrypt);
    if (gcm) IMB_AES256_GCM_PRE(manager, key.data(), &expanded.gcm);
  }
}

void expand_des(IMB_MGR* manager, Bytes key, ExpandedKey& expanded) {
  const auto three = triple_des_key(key);
  for (std::size_t i = 0; i < 3; ++i) {
    IMB_DES_KEYSCHED(manager, expanded.des[i], three.data() + 8 * i);
    expanded.schedules[i] = expanded.des[i];
  }
}

class Batch {
 public:
  Batch(Manager manager, const Task& task) : manager_(std::move(manager)), task_(task) {
    keys_.resize(task.key_each ? task.messages.size() : 1);
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      if (is_des()) {
        expand_des(manager_.get(), task.messages[i].key, keys_[i]);
      } else {
        expand_aes(manager_.get(), task.messages[i].key, task.cipher.mode == Mode::gcm, keys_[i]);
      }
    }
  }

  void crypt() {
    if (task_.cipher.mode == Mode::gcm) {
      for (std::size_t i = 0; i < task_.messages.size(); ++i) crypt_sealed(task_.messages[i], key(i).gcm);
      return;
    }
    std::size_t num_done = 0;
    for (std::size_t i = 0; i < task_.messages.size(); ++i) {
      fill(*IMB_GET_NEXT_JOB(manager_.get()), i);
      num_done += count(IMB_SUBMIT_JOB(manager_.get()));
    }
    while (IMB_JOB* job = IMB_FLUSH_JOB(manager_.get())) num_done += count(job);
    if (num_done != task_.messages.size()) refuse("ipsec-mb");
  }

 private:
  [[nodiscard]] bool is_des() const { return task_.cipher.cipher->family == CipherFamily::des; }
  [[nodiscard]] const ExpandedKey& key(std::size_t message) const { return keys_[keys_.size() == 1 ? 0 : message]; }
  static std::size_t count(const IMB_JOB* job) { return job != nullptr && job->status == IMB_STATUS_COMPLETED ? 1 : 0; }

  void fill(IMB_JOB& job, std::size_t i) const {
    const TaskMessage& m = task_.messages[i];
    const Mode mode = task_.cipher.mode;
    const bool triple = is_des() && task_.cipher.cipher->key_bytes != 8;
    job.enc_keys = triple     ? static_cast<const void*>(key(i).schedules)
                   : is_des() ? key(i).des[0]
                              : static_cast<const void*>(key(i).encrypt);
    job.dec_keys = is_des() ? job.enc_keys : key(i).decrypt;
    job.key_len_in_bytes = triple ? 24 : task_.cipher.cipher->key_bytes;
    job.src = m.in.data();
    job.dst = m.out.data();
    job.cipher_start_src_offset_in_bytes = 0;
    job.msg_len_to_cipher_in_bytes = m.in.size();
    job.iv = m.iv.data();
    job.iv_len_in_bytes = m.iv.size();
    job.cipher_mode = triple              ? IMB_CIPHER_DES3
                      : is_des()          ? IMB_CIPHER_DES
                      : mode == Mode::cbc ? IMB_CIPHER_CBC
                      : mode == Mode::ctr ? IMB_CIPHER_CNTR
                                          : IMB_CIPHER_ECB;
    const bool encrypts = task_.direction == Direction::encrypt;
    job.cipher_direction = encrypts ? IMB_DIR_ENCRYPT : IMB_DIR_DECRYPT;
    job.chain_order = encrypts ? IMB_ORDER_CIPHER_HASH : IMB_ORDER_HASH_CIPHER;
    job.hash_alg = IMB_AUTH_NULL;
  }

  void crypt_sealed(const TaskMessage& m, const gcm_key_data& key) const {
    const bool encrypts = task_.direction == Direction::encrypt;
    const IMB_MGR& mb = *manager_;
    const auto run = task_.cipher.cipher->key_bytes == 16   ? (encrypts ? mb.gcm128_enc : mb.gcm128_dec)
                     : task_.cipher.cipher->key_bytes == 24 ? (encrypts ? mb.gcm192_enc : mb.gcm192_dec)
                                                            : (encrypts ? mb.gcm256_enc : mb.gcm256_dec);
    gcm_context_data context;
    std::uint8_t tag[16];
    run(&key, &context, m.out.data(), m.in.data(), m.in.size(), m.iv.data(), m.associated_data.data(),
        m.associated_data.size(), tag, sizeof tag);
    if (encrypts) {
      std::memcpy(m.tag.data(), tag, sizeof tag);
    } else if (std::memcmp(m.tag.data(), tag, sizeof tag) != 0) {
      refuse("ipsec-mb");
    }
  }

  Manager manager_;
  const Task& task_;
  std::vector<ExpandedKey> keys_;
};

class IpsecMb final : public Contender {
 public:
  IpsecMb() : manager_(alloc_mb_mgr(0), free_mb_mgr) {
    if (manager_) init_mb_mgr_auto(manager_.get(), nullptr);
  }

  [[nodiscard]] std::string name() const override { return "ipsec-mb"; }
  [[nodiscard]] std::string version() const override { return imb_get_version_str(); }

  [[nodiscard]] Run prepare(const Task& task) const override {
    if (!manager_ || !has(task)) return {};
    const auto batch = std::make_shared<Batch>(manager_, task);
    return [batch] { batch->crypt(); };
  }

 private:
  static bool has(const Task& task) {
    const CipherSpec& cipher = *task.cipher.cipher;
    const Mode mode = task.cipher.mode;
    const TaskMessage& first = task.messages.front();
    if (first.in.empty()) return false;
    if (cipher.family == CipherFamily::aes && mode == Mode::gcm) return first.iv.size() == 12;
    if (cipher.family == CipherFamily::aes && mode == Mode::ctr) return !carries_past_32_bits(task);
    if (first.in.size() > longest_lane) return false;
    if (cipher.family == CipherFamily::aes) return mode == Mode::ecb || mode == Mode::cbc;
    // Of version 2.0 (Debian 13) the DES that is called like this gives another output than every other library.
    if (IMB_VERSION_NUM >= IMB_VERSION(2, 0, 0)) return false;
    return cipher.family == CipherFamily::des && mode == Mode::cbc && std::string_view(cipher.name) != "2des";
  }

  // Its CTR counts in the last 32 bits only.
  static bool carries_past_32_bits(const Task& task) {
    for (const TaskMessage& m : task.messages) {
      std::uint64_t low = 0;
      for (std::size_t i = 12; i < 16; ++i) low = low << 8 | m.iv[i];
      if (low + m.in.size() / 16 > 0xffffffff) return true;
    }
    return false;
  }

  Manager manager_;
};

}  // namespace

std::unique_ptr<const Contender> make_ipsec_mb_peer() { return std::make_unique<IpsecMb>(); }

}  // namespace phalanx::bench
