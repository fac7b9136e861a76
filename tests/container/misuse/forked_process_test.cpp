// A process that was forked while something was under way: what counts nonces, or keeps a stream's state, refuses there, and goes on in
// the parent as if nothing had been; what draws at random for each call goes on in both. docs/processes.md names a test of each class.
// Run once more where the kernel is said to clear no page in a child.
#include "tests/container/misuse/forked_process.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <phalanx/chunked.h>
#include <phalanx/files/container_file.h>
#include <phalanx/files/foreign.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <phalanx/chunked.hpp>
#include <phalanx/files/cancellation.hpp>
#include <phalanx/files/cms.hpp>
#include <phalanx/files/container_file.hpp>
#include <phalanx/files/foreign.hpp>
#include <phalanx/files/openpgp.hpp>
#include <phalanx/parquet/modular_encryption.hpp>
#include <phalanx/phalanx.hpp>
#include <phalanx/secret.hpp>

#include "parquet/file_keys.hpp"
#include "tests/foreign/openpgp/kept_messages.hpp"
#include "tests/vector_file.hpp"

namespace {

bool clears_no_page() { return std::getenv("PHALANX_TEST_CLEARS_NO_PAGE") != nullptr; }

}  // namespace

extern "C" int madvise(void* memory, std::size_t size, int advice) noexcept {
  static const auto real = reinterpret_cast<decltype(&madvise)>(dlsym(RTLD_NEXT, "madvise"));
  if (advice == MADV_WIPEONFORK && clears_no_page()) {
    errno = EINVAL;
    return -1;
  }
  return real(memory, size, advice);
}

namespace phalanx::test {
namespace {

namespace fs = std::filesystem;
using Buffer = std::vector<std::uint8_t>;

const Buffer key(32, 9);
const Buffer text(40000, 7);
const Recipient holder{KeyKind::key, key, {}};
const Identity opener{KeyKind::key, key};

std::string text_of(Bytes bytes) { return {bytes.begin(), bytes.end()}; }

Append to(Buffer& out) {
  return [&out](Bytes bytes) { out.insert(out.end(), bytes.begin(), bytes.end()); };
}

int append_in_c(void* out, const std::uint8_t* bytes, std::size_t size) {
  to (*static_cast<Buffer*>(out))({bytes, size});
  return 0;
}

void require_ok(int result) {
  if (result != PHALANX_OK) throw std::runtime_error(std::to_string(result) + ": " + phalanx_last_error());
}

Buffer two_halves() {
  Buffer halves(64, 1);
  halves.back() = 2;
  return halves;
}

ChunkedAead chunked() { return {"cobblestone-256", key}; }

Buffer opened(const Buffer& message) {
  Buffer out(ChunkedAead::plain_bytes(message.size()));
  chunked().open(message, out);
  return out;
}

Buffer unsealed(const Buffer& container) {
  const ContainerReader reader(container, {&opener, 1});
  Buffer out(reader.size());
  reader.read(0, out);
  return out;
}

// The text, half of which the parent wrote before and half after.
Buffer twice_the_text() {
  Buffer both = text;
  both.insert(both.end(), text.begin(), text.end());
  return both;
}

constexpr Forked both_ways[] = {Forked::by_fork, Forked::by_clone};

void expect_refused(const std::string& told) {
  EXPECT_TRUE(told.find("begun before this process was forked") != told.npos) << told;
}

// Each of the calls, in a child of its own.
void expect_refusals(const std::vector<std::function<void()>>& calls) {
  for (const Forked how : both_ways) {
    for (std::size_t i = 0; i < calls.size(); ++i) {
      SCOPED_TRACE(i);
      expect_refused(in_child(how, [&] {
        calls[i]();
        return std::string("went on");
      }));
    }
  }
}

TEST_F(ForkedProcess, GoesOnWithNoChunkedSealer) {
  Buffer out;
  ChunkedSealer sealer(chunked(), to(out));
  sealer.write(text);
  const std::size_t before = out.size();
  expect_refusals({[&] { sealer.write(text); }, [&] { sealer.write({}); }, [&] { sealer.finish(); }});
  EXPECT_EQ(out.size(), before);
  sealer.write(text);
  sealer.finish();
  EXPECT_EQ(opened(out), twice_the_text());
}

TEST_F(ForkedProcess, GoesOnWithNoChunkedOpener) {
  Buffer message(ChunkedAead::sealed_bytes(text.size())), out;
  chunked().seal(text, message);
  ChunkedOpener by_parts(chunked(), to(out));
  by_parts.write(Bytes(message).first(20000));
  expect_refusals({[&] { by_parts.write(Bytes(message).subspan(20000)); }, [&] { by_parts.finish(); }});
  by_parts.write(Bytes(message).subspan(20000));
  by_parts.finish();
  EXPECT_EQ(out, text);
}

TEST_F(ForkedProcess, GoesOnWithNoContainerWriter) {
  Buffer out;
  ContainerWriter writer(to(out), "aes-256", {&holder, 1});
  writer.write(text);
  expect_refusals({[&] { writer.write(text); }, [&] { writer.finish(); },
                   [&] { writer.write_from_device(text.data(), 16384, nullptr); }});
  writer.write(text);
  writer.finish();
  EXPECT_EQ(unsealed(out), twice_the_text());
}

// The first bytes go out while the writer is made: whoever comes back from there has its keys.
TEST_F(ForkedProcess, GoesOnWithNoWriterThatWasBeingMade) {
  for (const Forked how : both_ways) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    pid_t child = -1;
    Buffer out;
    bool is_first = true;
    const auto append = [&](Bytes bytes) {
      out.insert(out.end(), bytes.begin(), bytes.end());
      if (std::exchange(is_first, false)) child = fork_as(how);
    };
    std::string told = "went on";
    try {
      ContainerWriter writer(append, "aes-256", {&holder, 1});
      writer.write(text);
      writer.finish();
    } catch (const Error& error) {
      told = error.what();
    }
    if (child == 0) _exit(told.find("begun before") != told.npos ? 0 : 1);
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << "the child sealed under its parent's keys";
    EXPECT_EQ(unsealed(out), text);
  }
}

class ForkedFiles : public ForkedProcess {
 protected:
  ForkedFiles() { fs::create_directory(folder_); }
  ~ForkedFiles() override { fs::remove_all(folder_); }
  [[nodiscard]] std::string path(const char* name) const { return (folder_ / name).string(); }
  [[nodiscard]] Buffer content(const std::string& path) const {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  [[nodiscard]] long num_names() const { return std::distance(fs::directory_iterator(folder_), {}); }

 private:
  fs::path folder_ = fs::temp_directory_path() / ("forked_process_test_" + std::to_string(getpid()));
};

TEST_F(ForkedFiles, AreTheirParents) {
  std::optional<NewContainerFile> file;
  file.emplace(path("new"), "aes-256", std::span(&holder, 1));
  file->write(text);
  expect_refusals({[&] { file->write(text); }, [&] { file->finish(); }});
  for (const Forked how : both_ways) {
    EXPECT_EQ(in_child(how,
                       [&] {
                         file.reset();
                         return std::string("gone");
                       }),
              "gone");
  }
  file->write(text);
  file->finish();
  EXPECT_EQ(unsealed(content(path("new"))), twice_the_text());
  EXPECT_EQ(num_names(), 1);
}

TEST_F(ForkedFiles, MessagesAreReadByTheirParents) {
  const Record example = load_records(vectors_folder() / "cms" / "rfc4134.txt").front();
  const Buffer message = example.bytes("message"), private_key = example.bytes("key"), plain = example.bytes("content");
  std::ofstream(path("message"), std::ios::binary)
      .write(reinterpret_cast<const char*>(message.data()), static_cast<std::streamsize>(message.size()));
  CmsReader reader(path("message"), {.private_key = private_key});
  Buffer first(10), second(18);
  EXPECT_EQ(reader.read(first), 10U);
  expect_refusals({[&] { static_cast<void>(reader.read(second)); }});
  EXPECT_EQ(reader.read(second), 18U);
  EXPECT_TRUE(std::ranges::equal(second, Bytes(plain).subspan(10)));

  const KeptMessage kept = kept_messages("gnupg_2.2.40").at(0);
  OpenPgpReader other(
      [left = Bytes(kept.file)](MutableBytes out) mutable {
        const std::size_t size = std::min(out.size(), left.size());
        std::ranges::copy(left.first(size), out.begin());
        left = left.subspan(size);
        return size;
      },
      kept.by_passphrase());
  EXPECT_EQ(other.read(first), 10U);
  expect_refusals({[&] { static_cast<void>(other.read(second)); }});
  EXPECT_EQ(other.read(second), 18U);
  EXPECT_TRUE(std::ranges::equal(second, Bytes(kept.plaintext).subspan(10, 18)));
}

TEST_F(ForkedFiles, AreReadByTheirParents) {
  std::ofstream(path("old"), std::ios::binary).write(reinterpret_cast<const char*>(text.data()), 40000);
  const Buffer iv(16, 1);
  ForeignReader reader(path("old"), {.cipher = "aes-256-ctr", .key = key, .iv = iv});
  Buffer first(20000), second(20000), expected(40000);
  EXPECT_EQ(reader.read(first), 20000U);
  expect_refusals({[&] { static_cast<void>(reader.read(second)); }});
  EXPECT_EQ(reader.read(second), 20000U);
  static_cast<void>(Cipher("aes-256-ctr", key).decrypt(iv, text, expected));
  EXPECT_TRUE(std::ranges::equal(second, Bytes(expected).subspan(20000)));
}

// Whoever reads any part asks for its place, and goes on.
TEST_F(ForkedFiles, AreReadAtAnyPlaceByAll) {
  std::ofstream out(path("box"), std::ios::binary);
  ContainerWriter writer([&](Bytes b) { out.write(reinterpret_cast<const char*>(b.data()), static_cast<long>(b.size())); },
                         "aes-256", {&holder, 1});
  writer.write(text);
  writer.finish();
  out.close();
  Buffer message(ChunkedAead::sealed_bytes(text.size()));
  chunked().seal(text, message);
  const ContainerReader reader(path("box"), {&opener, 1});
  const ChunkedReader of_message(chunked(), message);
  for (const Forked how : both_ways) {
    EXPECT_EQ(in_child(how,
                       [&] {
                         Buffer part(30000), same(30000);
                         reader.read(10000, part);
                         of_message.read(10000, same);
                         return text_of(part) + text_of(same);
                       }),
              std::string(60000, 7));
  }
}

TEST_F(ForkedFiles, AreTheirParentsInC) {
  const phalanx_recipient recipient{sizeof(phalanx_recipient), PHALANX_KEY, key.data(), key.size(), 0, 0, 0};
  phalanx_new_container_file* file = nullptr;
  require_ok(phalanx_new_container_file_new(&file, path("new").c_str(), 0, "aes-256", &recipient, 1, nullptr, nullptr));
  require_ok(phalanx_new_container_file_write(file, text.data(), text.size()));
  expect_refusals({[&] { require_ok(phalanx_new_container_file_write(file, text.data(), text.size())); },
                   [&] { require_ok(phalanx_new_container_file_finish(file)); }});
  EXPECT_EQ(in_child(Forked::by_fork,
                     [&] {
                       phalanx_new_container_file_free(file);
                       return std::string("gone");
                     }),
            "gone");
  require_ok(phalanx_new_container_file_finish(file));
  phalanx_new_container_file_free(file);
  EXPECT_EQ(unsealed(content(path("new"))), text);
}

TEST_F(ForkedFiles, AreReadByTheirParentsInC) {
  std::ofstream(path("old"), std::ios::binary).write(reinterpret_cast<const char*>(text.data()), 40000);
  const Buffer iv(16, 1);
  phalanx_foreign_format format = PHALANX_FOREIGN_FORMAT_INIT;
  format.cipher = "aes-256-ctr";
  format.key = key.data();
  format.key_bytes = key.size();
  format.iv = iv.data();
  format.iv_bytes = iv.size();
  phalanx_foreign_reader* reader = nullptr;
  require_ok(phalanx_foreign_reader_of_file(&reader, path("old").c_str(), &format, nullptr));
  Buffer out(100);
  std::size_t got = 0;
  expect_refusals({[&] { require_ok(phalanx_foreign_reader_read(reader, out.data(), out.size(), &got)); }});
  require_ok(phalanx_foreign_reader_read(reader, out.data(), out.size(), &got));
  phalanx_foreign_reader_free(reader);
}

TEST_F(ForkedProcess, GoesOnWithNoStreamInC) {
  phalanx_chunked* of_key = nullptr;
  phalanx_chunked_sealer* sealer = nullptr;
  phalanx_chunked_opener* by_parts = nullptr;
  phalanx_container_writer* writer = nullptr;
  Buffer message, plain, container;
  const phalanx_recipient recipient{sizeof(phalanx_recipient), PHALANX_KEY, key.data(), key.size(), 0, 0, 0};
  require_ok(phalanx_chunked_new(&of_key, "cobblestone-256", key.data(), key.size(), nullptr, 0, nullptr));
  require_ok(phalanx_chunked_sealer_new(&sealer, of_key, append_in_c, &message));
  require_ok(phalanx_chunked_opener_new(&by_parts, of_key, append_in_c, &plain));
  require_ok(phalanx_container_writer_new(&writer, append_in_c, &container, "aes-256", &recipient, 1, nullptr, nullptr));
  expect_refusals({[&] { require_ok(phalanx_chunked_sealer_write(sealer, text.data(), text.size())); },
                   [&] { require_ok(phalanx_chunked_sealer_finish(sealer)); },
                   [&] { require_ok(phalanx_chunked_opener_write(by_parts, text.data(), text.size())); },
                   [&] { require_ok(phalanx_chunked_opener_finish(by_parts)); },
                   [&] { require_ok(phalanx_container_writer_write(writer, text.data(), text.size())); },
                   [&] { require_ok(phalanx_container_writer_write_from_device(writer, text.data(), 16384, nullptr)); },
                   [&] { require_ok(phalanx_container_writer_finish(writer)); }});
  require_ok(phalanx_chunked_sealer_write(sealer, text.data(), text.size()));
  require_ok(phalanx_chunked_sealer_finish(sealer));
  require_ok(phalanx_chunked_opener_write(by_parts, message.data(), message.size()));
  require_ok(phalanx_chunked_opener_finish(by_parts));
  require_ok(phalanx_container_writer_write(writer, text.data(), text.size()));
  require_ok(phalanx_container_writer_finish(writer));
  EXPECT_EQ(plain, text);
  EXPECT_EQ(unsealed(container), text);
  phalanx_chunked_sealer_free(sealer);
  phalanx_chunked_opener_free(by_parts);
  phalanx_container_writer_free(writer);
  phalanx_chunked_free(of_key);
}

// What is new in each call: no two processes draw the same.
TEST_F(ForkedProcess, DrawsItsOwnNoncesAndSalts) {
  const ChunkedAead aead = chunked();
  const Aead of_messages("xaes-256-gcm", key);
  const auto draw = [&] {
    Buffer message(ChunkedAead::sealed_bytes(3)), sealed(Aead::nonce_and_tag_bytes),
        container(container_bytes("aes-256", {&holder, 1}, 0));
    aead.seal(Bytes(text).first(3), message);
    of_messages.seal_with_new_nonce({}, {}, sealed);
    seal_container("aes-256", {&holder, 1}, {}, container);
    if (opened(message).size() != 3 || !unsealed(container).empty()) throw std::runtime_error("it does not open");
    return text_of(message) + text_of(sealed) + text_of(container);
  };
  static_cast<void>(draw());
  for (const Forked how : both_ways) {
    const std::string theirs = in_child(how, draw), ours = draw();
    ASSERT_EQ(theirs.size(), ours.size());
    EXPECT_NE(theirs.substr(0, 24), ours.substr(0, 24));
    EXPECT_NE(theirs.substr(75, 24), ours.substr(75, 24));
    EXPECT_NE(theirs.substr(115), ours.substr(115));
  }
}

// In a namespace of its own each child is process 1: libcrypto takes it for its parent.
TEST_F(ForkedProcess, DrawsItsOwnBytesUnderItsParentsNumber) {
  if (clears_no_page()) GTEST_SKIP() << "only the kernel's page tells such a child from its parent";
  const auto draw = [] { return text_of(random_secret(32)); };
  const std::string told = in_child(Forked::by_fork, [&]() -> std::string {
    if (unshare(CLONE_NEWPID) != 0) return "none";
    return in_child(Forked::by_fork, [&]() -> std::string {
      if (getpid() != 1) return "another number";
      static_cast<void>(draw());
      if (unshare(CLONE_NEWPID) != 0) return "none";
      const std::string theirs = in_child(Forked::by_fork, [&] { return std::to_string(getpid()) + draw(); });
      return theirs == "1" + draw() ? "the same" : theirs.substr(0, 1) + " of its own";
    });
  });
  if (told == "none") GTEST_SKIP() << "no namespace of processes can be made here";
  EXPECT_EQ(told, "1 of its own");
}

TEST_F(ForkedProcess, ComputesUnderItsParentsKeys) {
  const Buffer iv(16, 3), in(std::size_t{2} << 20, 5), xts_key = two_halves();
  const Cipher cipher("aes-256-ctr", key);
  const SectorCipher sectors("aes-256-xts", xts_key);
  const Secret secret{Bytes(key)};
  Cancellation cancellation;
  const auto work = [&] {
    Buffer out(in.size());
    static_cast<void>(cipher.encrypt(iv, in, out));
    std::string told = text_of(Bytes(out).last(32));
    sectors.encrypt(0, 1, 512, in, out);
    return told + text_of(Bytes(out).last(32)) + text_of(secret) + (cancellation.is_cancelled() ? "1" : "0");
  };
  for (const Forked how : both_ways) EXPECT_EQ(in_child(how, work), work());
  EXPECT_EQ(in_child(Forked::by_fork,
                     [&] {
                       cancellation.cancel();
                       return std::string(cancellation.is_cancelled() ? "1" : "0");
                     }),
            "1");
  EXPECT_FALSE(cancellation.is_cancelled());
}

// Modules have a nonce of their own each; the limit is the key's, whoever has a copy of it.
TEST_F(ForkedProcess, SealsParquetModulesAndCountsThemWithItsParent) {
  const ParquetModules modules(ParquetAlgorithm::aes_gcm_v1, key, {}, {});
  const ParquetKey counted(key);
  const auto sealed = [&] {
    const ParquetPlace place{.module = ParquetModule::footer};
    Buffer module(modules.sealed_bytes(place.module, 3));
    const ParquetModuleToSeal one{.place = place, .plain = Bytes(text).first(3), .module = module};
    modules.seal_batch({&one, 1});
    counted.state().count(1);
    return text_of(module);
  };
  for (const Forked how : both_ways) EXPECT_NE(in_child(how, sealed), sealed());
  EXPECT_EQ(counted.num_invocations(), 4U);
}

TEST_F(ForkedProcess, HasChildrenThatRefuseToo) {
  Buffer out;
  ChunkedSealer parents(chunked(), to(out));
  const std::string told = in_child(Forked::by_fork, [&] {
    ChunkedSealer own(chunked(), to(out));
    std::string refusals = in_child(Forked::by_clone, [&]() -> std::string {
      try {
        own.write(text);
      } catch (const Error& error) {
        parents.write(text);
      }
      return "went on";
    });
    own.write(text);
    own.finish();
    return refusals;
  });
  expect_refused(told);
}

}  // namespace
}  // namespace phalanx::test
