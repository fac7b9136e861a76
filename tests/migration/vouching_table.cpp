// What `migrate --delete-source` vouches for: files of every kind, written in one way and described in another, are read as
// migrate reads them. Ends with 1 where too many of one cell are vouched for and wrong, or doubtful and right.
//
// usage: vouching_table [--files N] [--json FILE] [--only TEXT]
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "files/foreign/foreign_cipher.hpp"
#include "files/foreign/openssl_enc.hpp"
#include "files/migration/file_migration.hpp"
#include "made_plaintexts.hpp"
#include "vouching_rows.hpp"

namespace phalanx::test {
namespace {

constexpr std::size_t all_files = 10'000;
constexpr std::size_t most_passing = 20;  // of all_files
const EngineOptions engine{.engine = "cpu", .num_threads = 1};
const CipherPolicy with_legacy{.allow_legacy = true};

// What is drawn for each file.
struct Secrets {
  Buffer key, iv, passphrase;
  OpensslSalt salt{};
};

Secrets draw_secrets(Random& random) {
  Secrets drawn{.key = random_bytes(64, random), .iv = random_bytes(16, random), .passphrase = random_bytes(12, random)};
  std::ranges::copy(random_bytes(drawn.salt.size(), random), drawn.salt.begin());
  return drawn;
}

bool is_from_passphrase(const ForeignWay& way) {
  return way.iv == IvSource::derived || way.iv == IvSource::beside_passphrase;
}

ForeignFormat format_of(const ForeignWay& way, const std::string& cipher, const Secrets& secrets) {
  const CipherFacts& facts = cipher_facts(is_from_passphrase(way) ? full_name(parse_openssl_cipher_name(cipher)) : cipher);
  static const Buffer zeros(16);
  ForeignFormat format{.cipher = cipher, .padding = way.padding, .sectors = way.sectors};
  if (is_from_passphrase(way)) {
    format.passphrase = secrets.passphrase;
    format.derivation = way.derivation;
    format.find_digest = way.find_digest;
    if (way.iv == IvSource::beside_passphrase) format.iv = Bytes(secrets.iv).first(facts.iv_bytes);
    return format;
  }
  format.key = Bytes(secrets.key).first(facts.key_bytes);
  if (way.iv == IvSource::given) format.iv = Bytes(secrets.iv).first(facts.iv_bytes);
  if (way.iv == IvSource::zeros) format.iv = Bytes(zeros).first(facts.iv_bytes);
  format.begins_with_iv = way.iv == IvSource::read;
  return format;
}

Buffer padded(const ForeignFormat& format, const CipherFacts& facts, Bytes plain) {
  Buffer message(plain.begin(), plain.end());
  if (facts.mode != "ecb" && facts.mode != "cbc") return message;
  const std::size_t used = message.size() % facts.block_bytes;
  message.resize(message.size() - used + facts.block_bytes);
  const std::size_t kept = pad_last_block(format.padding, MutableBytes(message).last(facts.block_bytes), used);
  message.resize(message.size() - facts.block_bytes + kept);
  return message;
}

Buffer seal(const ForeignWay& way, const Secrets& secrets, Bytes plain) {
  const ForeignFormat format = format_of(way, way.ciphers.front(), secrets);
  const bool derived = is_from_passphrase(way);
  const std::string name = derived ? full_name(parse_openssl_cipher_name(format.cipher)) : format.cipher;
  const CipherFacts& facts = cipher_facts(name);
  Buffer old, key(format.key.begin(), format.key.end()), iv(format.iv.begin(), format.iv.end());
  if (derived) {
    const OpensslHeader header = make_openssl_header(secrets.salt);
    old.assign(header.begin(), header.end());
    key.resize(facts.key_bytes);
    Buffer derived_iv(facts.iv_bytes);
    derive_key_and_iv(format.derivation, format.passphrase, secrets.salt, key, derived_iv);
    if (iv.empty()) iv = derived_iv;
  } else if (format.begins_with_iv) {
    iv.assign(secrets.iv.begin(), secrets.iv.begin() + static_cast<std::ptrdiff_t>(facts.iv_bytes));
    old = iv;
  }
  Buffer message = padded(format, facts, plain);
  const SectorLayout& sectors = format.sectors;
  if (sectors.sector_bytes != 0) {
    SectorCipher(name, key, engine, with_legacy)
        .encrypt(sectors.first_tweak, sectors.tweak_step, sectors.sector_bytes, message, message);
  } else {
    Cipher(name, key, engine, with_legacy).encrypt(iv, message, message);
  }
  old.insert(old.end(), message.begin(), message.end());
  return old;
}

// The file that is read, in memory; each thread has one.
class MemoryFile {
 public:
  MemoryFile() : file_(memfd_create("old", 0)) {}
  ~MemoryFile() { close(file_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  [[nodiscard]] Input input(Bytes content) const {
    const bool written = ftruncate(file_, 0) == 0 && pwrite(file_, content.data(), content.size(), 0) == std::ssize(content);
    if (!written || lseek(file_, 0, SEEK_SET) != 0) throw Error(ErrorCode::runtime, "no memory for a file");
    return {FileDescriptor(fcntl(file_, F_DUPFD_CLOEXEC, 0)), "old"};
  }

 private:
  int file_;
};

Candidates describe(const ForeignWay& way, const Secrets& secrets) {
  Candidates candidates;
  for (const std::string& cipher : way.ciphers) {
    const ForeignFormat format = format_of(way, cipher, secrets);
    Candidates one =
        make_candidates(plan_foreign(format, engine), SecretBytes(format.key.empty() ? format.passphrase : format.key));
    for (Candidate& candidate : one.list) {
      candidate.secret = 0;
      if (way.ciphers.size() > 1) candidate.name = cipher;
      candidates.list.push_back(std::move(candidate));
    }
    candidates.secrets = std::move(one.secrets);
  }
  return candidates;
}

struct Reading {
  bool opened = false, vouched = false, right = false;
};

Reading read_as(const VouchingRow& row, const Secrets& secrets, Bytes plain, Input input) {
  Migration migration;
  migration.candidates = describe(row.described, secrets);
  Progress unseen;
  Reading reading;
  try {
    const MigratedFile read = read_old_file(migration, input, unseen);
    PlaintextMac mac(migration.mac_key);
    mac.add(0, plain);
    reading = {.opened = true, .vouched = !migration.trials.doubt(read.evidence), .right = read.mac == mac.finish()};
  } catch (const Error& error) {
    if (error.code() == ErrorCode::runtime) throw;
  }
  return reading;
}

struct Cell {
  const VouchingRow* row;
  const PlaintextKind* kind;
  bool is_wrong;         // the description
  bool may_be_doubtful;  // though it is right
  std::size_t num_files = 0, num_opened = 0;
  std::size_t num_faults = 0;  // wrong and vouched for
  std::size_t num_doubtful = 0;

  [[nodiscard]] bool is_known_fault() const {
    return is_wrong && std::ranges::find(row->known_faults, kind->name) != row->known_faults.end();
  }
  [[nodiscard]] bool fails() const {
    const std::size_t most = std::max<std::size_t>(1, most_passing * num_files / all_files);
    return num_faults > most || (!is_wrong && !may_be_doubtful && num_doubtful > most);
  }
};

// What the row's way of writing takes.
std::size_t fitting_length(const VouchingRow& row, const PlaintextKind& kind, Random& random) {
  const bool is_slow = row.written.ciphers.front().starts_with("des");
  std::size_t length = std::max(kind.least_bytes, random_length(is_slow ? 5000 : 3'000'000, random));
  std::size_t unit = kind.unit_bytes;
  if (row.written.padding == Padding::none) unit = std::max<std::size_t>(unit, 16);
  length = (length + unit - 1) / unit * unit;
  const std::size_t sector = row.written.sectors.sector_bytes;
  if (sector != 0 && length % sector != 0 && length % sector < 16) length += 16;
  return length;
}

// FNV-1a: the same on every machine.
std::uint64_t seed_of(std::string_view text) {
  std::uint64_t seed = 0xcbf29ce484222325U;
  for (const char character : text) seed = (seed ^ static_cast<std::uint8_t>(character)) * 0x100000001b3U;
  return seed;
}

void try_file(Cell& cell, std::size_t number, const MemoryFile& file) {
  const VouchingRow& row = *cell.row;
  Random random(seed_of(row.name + std::string(cell.kind->name) + std::to_string(number)));
  Secrets secrets = draw_secrets(random);
  const Secrets others = draw_secrets(random);
  const Buffer plain = cell.kind->make(fitting_length(row, *cell.kind, random), random);
  Input input = file.input(seal(row.written, secrets, plain));
  if (row.wrong_key) {
    secrets.key = others.key;
    secrets.passphrase = others.passphrase;
  }
  if (row.wrong_iv) secrets.iv = others.iv;
  const Reading reading = read_as(row, secrets, plain, std::move(input));
  ++cell.num_files;
  cell.num_opened += reading.opened ? 1 : 0;
  const bool is_fault = reading.vouched && !reading.right;
  cell.num_faults += is_fault ? 1 : 0;
  cell.num_doubtful += reading.opened && !reading.vouched ? 1 : 0;
}

void fill(std::vector<Cell>& cells, std::size_t num_files) {
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    const MemoryFile file;
    for (std::size_t i; (i = next++) < cells.size();) {
      const std::size_t wanted = cells[i].is_known_fault() ? all_files : num_files;
      for (std::size_t number = 0; number < wanted; ++number) try_file(cells[i], number, file);
    }
  };
  std::vector<std::jthread> threads;
  for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i) threads.emplace_back(work);
}

struct Table {
  std::vector<VouchingRow> wrong = wrong_rows();
  std::vector<RightRow> right = right_rows();
  std::vector<Cell> cells;

  explicit Table(const std::string& only) {
    const auto has = [&](const VouchingRow& row) { return row.name.find(only) != std::string::npos; };
    for (const PlaintextKind& kind : all_plaintext_kinds()) {
      for (const VouchingRow& row : wrong) {
        if (has(row)) cells.push_back({&row, &kind, true, true});
      }
      for (const auto& [row, must] : right) {
        const bool may = std::ranges::find(must, kind.name) == must.end();
        if (has(row)) cells.push_back({&row, &kind, false, may});
      }
    }
  }

  [[nodiscard]] std::string json(std::size_t num_files) const {
    std::string text = "{\n \"files\": " + std::to_string(num_files) + ",\n \"cells\": [";
    for (const Cell& cell : cells) {
      text += std::string(&cell == &cells.front() ? "" : ",") + "\n  {\"row\": \"" + cell.row->name + "\", \"kind\": \"" +
              std::string(cell.kind->name) + "\", \"description\": \"" + (cell.is_wrong ? "wrong" : "right") +
              "\", \"must\": " + (cell.is_wrong || !cell.may_be_doubtful ? "true" : "false") +
              ", \"files\": " + std::to_string(cell.num_files) + ", \"opened\": " + std::to_string(cell.num_opened) +
              ", \"faults\": " + std::to_string(cell.num_faults) + ", \"doubtful\": " + std::to_string(cell.num_doubtful) +
              '}';
    }
    return text + "\n ]\n}\n";
  }
};

int run(const std::vector<std::string>& arguments) {
  std::size_t num_files = 100;
  std::string json, only;
  for (std::size_t i = 0; i + 1 < arguments.size(); i += 2) {
    if (arguments[i] == "--files") num_files = std::stoul(arguments[i + 1]);
    if (arguments[i] == "--json") json = arguments[i + 1];
    if (arguments[i] == "--only") only = arguments[i + 1];
  }
  Table table(only);
  fill(table.cells, num_files);
  if (!json.empty()) std::ofstream(json) << table.json(num_files);
  std::size_t num_failed = 0;
  for (const Cell& cell : table.cells) {
    if (!cell.fails()) continue;
    ++num_failed;
    std::cout << cell.row->name << ", " << cell.kind->name << ": " << cell.num_faults << " wrong and vouched for, "
              << cell.num_doubtful << " doubtful, of " << cell.num_files << '\n';
  }
  std::cout << table.cells.size() << " cells, " << num_failed << " failed\n";
  return num_failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace phalanx::test

int main(int argc, char** argv) { return phalanx::test::run({argv + 1, argv + argc}); }
