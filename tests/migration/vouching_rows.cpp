#include "vouching_rows.hpp"

namespace phalanx::test {
namespace {

const std::string cbc = "aes-256-cbc", ecb = "aes-256-ecb", ctr = "aes-256-ctr", cfb = "aes-256-cfb", ofb = "aes-256-ofb",
                  xts = "aes-256-xts", des_cbc = "des-ede3-cbc", des_cfb = "des-ede3-cfb", des_ecb = "des-ede3-ecb";

ForeignWay way(const std::string& cipher, IvSource iv = IvSource::given, Padding padding = Padding::pkcs7) {
  return {.ciphers = {cipher}, .iv = iv, .padding = padding};
}

ForeignWay volume(std::size_t sector_bytes, std::uint64_t tweak_step, std::uint64_t first_tweak = 0) {
  return {.ciphers = {xts}, .iv = IvSource::none, .sectors = {sector_bytes, first_tweak, tweak_step}};
}

ForeignWay openssl(const std::string& cipher, const std::string& digest = "sha256", bool find_digest = false) {
  return {.ciphers = {cipher}, .iv = IvSource::derived, .derivation = {.digest = digest}, .find_digest = find_digest};
}

// Whoever gives -iv beside a passphrase gets the same header, and nothing in the file says so.
ForeignWay openssl_with_iv(const std::string& cipher) {
  ForeignWay way = openssl(cipher);
  way.iv = IvSource::beside_passphrase;
  return way;
}

using Rows = std::vector<VouchingRow>;
using Names = std::vector<std::string>;

void add_sectors(Rows& rows) {
  const auto one_unit = way(xts, IvSource::zeros);
  rows.push_back(
      {"XTS, sectors of 4096 as 512", volume(4096, 8), volume(512, 1), false, false, {"PDF", "zip", "PNG", "JPEG"}});
  rows.push_back({"XTS, sectors of 512 as 4096", volume(512, 1), volume(4096, 8)});
  rows.push_back({"XTS, sectors of 512 as 1024", volume(512, 1), volume(1024, 2)});
  rows.push_back({"XTS, sectors of 4096 as 2048", volume(4096, 8), volume(2048, 4)});
  rows.push_back({"XTS, sectors of 4096 as 131072", volume(4096, 8), volume(131072, 256)});
  rows.push_back({"XTS, sectors of 131072 as 512", volume(131072, 256), volume(512, 1)});
  rows.push_back({"XTS, sectors of 4096, tweaks count sectors: as bytes", volume(4096, 1), volume(4096, 8)});
  rows.push_back({"XTS, sectors of 4096, tweaks count bytes: as sectors", volume(4096, 8), volume(4096, 1)});
  rows.push_back({"XTS, one data unit as sectors of 512", one_unit, volume(512, 1)});
  rows.push_back({"XTS, sectors of 512 as one data unit", volume(512, 1), one_unit});
  rows.push_back({"XTS, offset of 8 sectors left out", volume(512, 1, 8), volume(512, 1)});
  rows.push_back({"XTS, offset of 1 sector too much", volume(512, 1), volume(512, 1, 1)});
  rows.push_back({"XTS, sectors of 512, wrong key", volume(512, 1), volume(512, 1), true});
}

void add_streams(Rows& rows) {
  for (const auto& [written, described] : {std::pair(ctr, cfb), {ctr, ofb}, {cfb, ctr}, {cfb, ofb}, {ofb, ctr}, {ofb, cfb}})
    rows.push_back({written + " as " + described, way(written), way(described)});
  rows.push_back({"aes-256-cfb, aes-256-ctr and aes-256-ofb are tried", way(cfb), {.ciphers = {ctr, ofb}}});
  rows.push_back({"aes-256-ctr, wrong key", way(ctr), way(ctr), true});
  for (const std::string& cipher : {ctr, cfb, ofb, des_cfb}) {
    rows.push_back({cipher + ", wrong iv", way(cipher), way(cipher), false, true});
    const std::vector<std::string> known = cipher == cfb ? Names{"text"} : Names{};
    rows.push_back(
        {cipher + ", iv read from the file, none there", way(cipher), way(cipher, IvSource::read), false, false, known});
    rows.push_back({cipher + ", iv in front of the file, given", way(cipher, IvSource::read), way(cipher)});
  }
}

void add_ivs_of_blocks(Rows& rows) {
  for (const std::string& cipher : {cbc, des_cbc}) {
    for (const Padding padding : {Padding::pkcs7, Padding::none}) {
      const std::string name = cipher + ", padding " + padding_name(padding);
      const ForeignWay given = way(cipher, IvSource::given, padding), read = way(cipher, IvSource::read, padding);
      rows.push_back({name + ", wrong iv", given, given, false, true});
      rows.push_back({name + ", iv read from the file, none there", given, read, false, false,
                      cipher == cbc && padding == Padding::pkcs7 ? Names{"text"} : Names{}});
      rows.push_back({name + ", iv in front of the file, given", read, given});
      rows.push_back({name + ", wrong key", given, given, true});
    }
  }
}

void add_modes_of_blocks(Rows& rows) {
  for (const Padding padding : {Padding::pkcs7, Padding::none}) {
    const std::string name = std::string(", padding ") + padding_name(padding);
    rows.push_back({"ECB as CBC, iv zeros" + name, way(ecb, IvSource::none, padding), way(cbc, IvSource::zeros, padding)});
    rows.push_back({"CBC, iv zeros, as ECB" + name, way(cbc, IvSource::zeros, padding), way(ecb, IvSource::none, padding)});
    rows.push_back({"triple DES, CBC, iv zeros, as ECB" + name, way(des_cbc, IvSource::zeros, padding),
                    way(des_ecb, IvSource::none, padding)});
    rows.push_back({"CBC as ECB" + name, way(cbc, IvSource::given, padding), way(ecb, IvSource::none, padding)});
  }
}

void add_paddings(Rows& rows) {
  constexpr Padding all[] = {Padding::pkcs7, Padding::x923, Padding::iso7816, Padding::zero, Padding::none};
  for (const Padding written : all) {
    for (const Padding described : all) {
      if (written == described) continue;
      const bool known = written == Padding::pkcs7 && described == Padding::none;
      rows.push_back({"CBC, padding " + std::string(padding_name(written)) + " as " + padding_name(described),
                      way(cbc, IvSource::given, written), way(cbc, IvSource::given, described), false, false,
                      known ? Names{"text", "PDF"} : Names{}});
    }
  }
  rows.push_back({"ECB, padding pkcs7 as none", way(ecb, IvSource::none), way(ecb, IvSource::none, Padding::none)});
}

void add_openssl(Rows& rows) {
  rows.push_back({"openssl enc -aes-256-cbc, wrong passphrase", openssl(cbc), openssl(cbc), true});
  rows.push_back({"openssl enc -des3, wrong passphrase", openssl(des_cbc), openssl(des_cbc), true});
  rows.push_back({"openssl enc -aes-256-cbc, wrong digest", openssl(cbc, "md5"), openssl(cbc)});
  rows.push_back(
      {"openssl enc -aes-256-cbc, wrong passphrase, digest looked for", openssl(cbc), openssl(cbc, "sha256", true), true});
  rows.push_back({"openssl enc -aes-256-cbc as -aes-128-cbc", openssl(cbc), openssl("aes-128-cbc")});
  rows.push_back({"openssl enc -aes-256-cbc as -aes-256-ecb", openssl(cbc), openssl(ecb)});
  rows.push_back({"openssl enc -aes-256-ctr as -aes-256-cfb", openssl(ctr), openssl(cfb)});
  for (const std::string& cipher : {cbc, des_cbc, cfb, ctr}) {
    const std::string name = "openssl enc -" + cipher + " -pass";
    const std::vector<std::string> known = cipher == cbc ? Names{"JPEG", "noise"} : Names{};
    rows.push_back({name + " -iv, iv left out", openssl_with_iv(cipher), openssl(cipher), false, false, known});
    rows.push_back({name + ", iv given", openssl(cipher), openssl_with_iv(cipher)});
  }
  rows.push_back(
      {"openssl enc -des-ede3-cbc -pass -iv, wrong iv", openssl_with_iv(des_cbc), openssl_with_iv(des_cbc), false, true});
}

}  // namespace

std::vector<VouchingRow> wrong_rows() {
  Rows rows;
  add_sectors(rows);
  add_streams(rows);
  add_ivs_of_blocks(rows);
  add_modes_of_blocks(rows);
  add_paddings(rows);
  add_openssl(rows);
  return rows;
}

std::vector<RightRow> right_rows() {
  const std::vector<std::string> formats = {"text", "UTF-8", "PDF", "zip", "gzip", "PNG", "JPEG", "tar"};
  const std::vector<std::string> text = {"text", "UTF-8", "PNG"}, no_text = {"PDF", "zip", "gzip", "PNG", "JPEG", "tar"};
  const std::vector<std::string> but_utf8 = {"text", "PDF", "zip", "gzip", "PNG", "JPEG", "tar"};
  std::vector<RightRow> rows;
  const auto add = [&](const std::string& name, const ForeignWay& both, const std::vector<std::string>& must) {
    rows.push_back({{name, both, both}, must});
  };
  add("openssl enc -aes-256-cbc", openssl(cbc), formats);
  add("openssl enc -des3 -md md5", openssl(des_cbc, "md5"), but_utf8);
  add("openssl enc -aes-256-cbc -md md5, digest looked for", openssl(cbc, "md5", true), {});
  rows.back().row.written.find_digest = false;
  rows.back().must_be_vouched = formats;
  add("openssl enc -aes-256-cbc -pass -iv", openssl_with_iv(cbc), formats);
  add("openssl enc -aes-256-cbc -K -iv", way(cbc), formats);
  add("openssl enc -des3 -K -iv", way(des_cbc), but_utf8);
  add("CBC, iv read from the file", way(cbc, IvSource::read), no_text);
  add("CBC, padding none", way(cbc, IvSource::given, Padding::none), text);
  add("ECB", way(ecb, IvSource::none), text);
  for (const std::string& cipher : {ctr, cfb, ofb}) add(cipher, way(cipher), text);
  add("CTR, iv read from the file", way(ctr, IvSource::read), {"PNG"});
  add("XTS, sectors of 512", volume(512, 1), text);
  add("XTS, sectors of 4096", volume(4096, 8), text);
  add("XTS, one data unit", way(xts, IvSource::zeros), text);
  return rows;
}

}  // namespace phalanx::test
