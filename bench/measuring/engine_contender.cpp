// Our own engines as contenders, through the public interface: what a user's call costs.
#include <memory>

#include "bench/measuring/contender.hpp"

namespace phalanx::bench {
namespace {

void crypt_one(const Cipher& cipher, Direction direction, const TaskMessage& message) {
  if (direction == Direction::encrypt) {
    cipher.encrypt(message.iv, message.in, message.out);
  } else {
    cipher.decrypt(message.iv, message.in, message.out);
  }
}

void crypt_batch(const Cipher& cipher, Direction direction, std::span<const Message> batch) {
  if (direction == Direction::encrypt) {
    cipher.encrypt_batch(batch);
  } else {
    cipher.decrypt_batch(batch);
  }
}

PlaintextRelease release_of(const Task& task) {
  return task.one_pass ? PlaintextRelease::wiped_on_failure : PlaintextRelease::when_verified;
}

void crypt_sealed(const Aead& cipher, const Task& task) {
  const TaskMessage& message = task.messages.front();
  if (task.direction == Direction::encrypt) {
    cipher.seal(message.iv, message.associated_data, message.in, message.out, message.tag);
  } else {
    cipher.open(message.iv, message.associated_data, message.in, message.out, message.tag, release_of(task));
  }
}

// As MessageToSeal or MessageToOpen.
template <class AeadMessage>
std::vector<AeadMessage> as_aead_batch(const Task& task) {
  std::vector<AeadMessage> batch;
  batch.reserve(task.messages.size());
  for (const TaskMessage& m : task.messages)
    batch.push_back(
        {.nonce = m.iv, .associated_data = m.associated_data, .in = m.in, .out = m.out, .tag = m.tag, .key = {}});
  return batch;
}

Run prepare_aead(std::shared_ptr<const Aead> cipher, const Task& task) {
  if (task.messages.size() == 1) return [cipher = std::move(cipher), &task] { crypt_sealed(*cipher, task); };
  if (task.direction == Direction::encrypt)
    return [cipher = std::move(cipher), batch = as_aead_batch<MessageToSeal>(task)] { cipher->seal_batch(batch); };
  return [cipher = std::move(cipher), release = release_of(task), batch = as_aead_batch<MessageToOpen>(task)]() mutable {
    if (!cipher->open_batch(batch, release)) throw Error(ErrorCode::authentication, "a tag does not verify");
  };
}

std::vector<Message> as_batch(const Task& task) {
  std::vector<Message> batch;
  batch.reserve(task.messages.size());
  for (const TaskMessage& m : task.messages) {
    batch.push_back({.iv = m.iv, .in = m.in, .out = m.out, .key = task.key_each ? m.key : Bytes{}});
  }
  return batch;
}

class EngineContender final : public Contender {
 public:
  EngineContender(std::string engine, int num_threads) : engine_(std::move(engine)), num_threads_(num_threads) {}

  [[nodiscard]] std::string name() const override { return engine_; }
  [[nodiscard]] std::string version() const override { return ""; }

  [[nodiscard]] Run prepare(const Task& task) const override {
    const bool sealed = task.cipher.mode == Mode::gcm;
    if (sealed && task.key_each) return {};
    if (task.key_each && task.key_setting == KeySetting::ready) return prepare_keys(task);
    const EngineOptions options{.engine = engine_, .num_threads = num_threads_};
    const CipherPolicy policy{.allow_legacy = true};
    if (sealed) {
      return prepare_aead(std::make_shared<const Aead>(full_name(task.cipher), task.messages.front().key, options), task);
    }
    const auto cipher = std::make_shared<const Cipher>(full_name(task.cipher), task.messages.front().key, options, policy);
    if (task.messages.size() == 1) {
      return
          [cipher, direction = task.direction, message = task.messages.front()] { crypt_one(*cipher, direction, message); };
    }
    return [cipher, direction = task.direction, batch = as_batch(task)] { crypt_batch(*cipher, direction, batch); };
  }

  [[nodiscard]] bool sets_keys_in_time() const override { return true; }

 private:
  // A Cipher for each message; all in one batch where blocks wait for one another, else one after another.
  [[nodiscard]] Run prepare_keys(const Task& task) const {
    const EngineOptions options{.engine = engine_, .num_threads = num_threads_};
    const CipherPolicy policy{.allow_legacy = true};
    auto ciphers = std::make_shared<std::vector<Cipher>>();
    for (const TaskMessage& message : task.messages)
      ciphers->emplace_back(full_name(task.cipher), message.key, options, policy);
    const CipherFacts& facts = ciphers->front().facts();
    if (task.direction == Direction::encrypt ? facts.encrypts_parts : facts.decrypts_parts) {
      return [ciphers, &task] {
        for (std::size_t i = 0; i < ciphers->size(); ++i) crypt_one((*ciphers)[i], task.direction, task.messages[i]);
      };
    }
    std::vector<Message> batch;
    batch.reserve(task.messages.size());
    for (std::size_t i = 0; i < ciphers->size(); ++i) {
      const TaskMessage& m = task.messages[i];
      batch.push_back({.iv = m.iv, .in = m.in, .out = m.out, .key = {}, .cipher = &(*ciphers)[i]});
    }
    return
        [ciphers, direction = task.direction, batch = std::move(batch)] { crypt_batch(ciphers->front(), direction, batch); };
  }

  std::string engine_;
  int num_threads_;
};

}  // namespace

std::unique_ptr<const Contender> make_engine_contender(const std::string& engine, int num_threads) {
  return std::make_unique<EngineContender>(engine, num_threads);
}

}  // namespace phalanx::bench
