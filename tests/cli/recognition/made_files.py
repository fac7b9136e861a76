#!/usr/bin/env python3
"""Files of many kinds, each made by the program that has the format, or by hand where Debian's packages for our tests lack it.

usage: made_files.py PROGRAM --write PAGE      puts what `phalanx inspect` says of each into the table of docs/what_is_this_file.md
"""

import base64
import bz2
import dataclasses
import gzip
import io
import json
import lzma
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable

ROOT = pathlib.Path(__file__).resolve().parents[3]
VECTORS = ROOT / "tests/vectors/recognition"
RELEASE = ROOT / "tests/vectors/releases/0.1.0_c23ce47b"
LETTER = b"A letter that nobody else should read, and of some length at that.\n"
PASSPHRASE = "correct horse"
BEGIN_MARK, END_MARK = "<!-- the kinds: by tests/cli/recognition/made_files.py -->", "<!-- end of the kinds -->"


def noise(size, seed=1):
    import random

    return random.Random(seed).randbytes(size)


@dataclasses.dataclass(frozen=True)
class MadeFile:
    name: str
    how: str  # for the page
    kind: str
    make: Callable[[pathlib.Path], bytes]  # in a folder of its own, which has what PREPARED makes
    form: str = ""
    protection: str = "encrypted"
    is_certain: bool = True


def run(folder, *words, stdin=LETTER):
    done = subprocess.run([str(word) for word in words], input=stdin, cwd=folder, capture_output=True, timeout=120)
    assert done.returncode == 0, (words, done.stderr)
    return done.stdout


def openssl(*words, stdin=LETTER):
    return lambda folder: run(folder, "openssl", *" ".join(words).split(), stdin=stdin)


def enc(options, stdin=LETTER):
    return openssl(f"enc {options} -pass pass:horse", stdin=stdin)


def kept(name):
    return lambda folder: (VECTORS / name).read_bytes()


def released(name):
    return lambda folder: (RELEASE / name).read_bytes()


def by_hand(content):
    return lambda folder: content


def changed(make, change):
    return lambda folder: change(make(folder))


def age(*words):
    return lambda folder: run(folder, "age", *words)


def in_lines(text, end):
    return end.join(text.split()) + end


IN_BASE64 = enc("-aes-256-cbc -pbkdf2 -a", stdin=LETTER * 4)
OLD_CBC = "enc -des-ede3-cbc -K 00112233445566778899aabbccddeeff0011223344556677 -iv 0123456789abcdef"
IV_AND_CIPHERTEXT = changed(openssl(OLD_CBC), lambda text: bytes.fromhex("0123456789abcdef") + text)


def prepare(folder):
    """Keys that several of the files need."""
    run(folder, "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-out", "cert.pem", "-subj", "/CN=reader", "-days", "9")
    run(folder, "age-keygen", "-o", "identity")
    public = re.search(r"age1\w+", (folder / "identity").read_text())[0]
    (folder / "recipient").write_text(public + "\n")


def fernet_token(folder):
    from cryptography.fernet import Fernet

    return Fernet(base64.urlsafe_b64encode(noise(32))).encrypt(LETTER)


def without_padding(content):
    return base64.urlsafe_b64encode(content).rstrip(b"=")


def jwe_compact(folder):
    header = without_padding(b'{"alg":"dir","enc":"A256GCM"}')
    return b".".join([header, b"", without_padding(noise(12)), without_padding(noise(70)), without_padding(noise(16))])


def jwe_json(folder):
    parts = {"protected": without_padding(b'{"enc":"A256GCM"}'), "iv": without_padding(noise(12)), "ciphertext": without_padding(noise(70)), "tag": without_padding(noise(16))}
    return json.dumps({name: part.decode() for name, part in parts.items()}).encode()


def jws_compact(folder):
    return b".".join([without_padding(b'{"alg":"HS256","typ":"JWT"}'), without_padding(b'{"sub":"reader"}'), without_padding(noise(32))])


def ansible_vault(folder):
    body = noise(300).hex().encode().hex()
    return "\n".join(["$ANSIBLE_VAULT;1.1;AES256", *re.findall(".{1,80}", body), ""]).encode()


def zip_of(folder):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("letter", LETTER)
    return out.getvalue()


def aes_zip(folder):
    """As WinZip's AE-2 has it: flag 1, method 99, and the extra field 0x9901, in the entry and in the list at the end."""
    body, name = noise(18 + len(LETTER) + 10), b"letter"
    extra = struct.pack("<HHH2sBH", 0x9901, 7, 2, b"AE", 3, 8)
    shared = struct.pack("<HHHHHIIIHH", 51, 1, 99, 0, 0x5B21, 0, len(body), len(LETTER), len(name), len(extra))
    entry = b"PK\3\4" + shared + name + extra + body
    listed = b"PK\1\2" + struct.pack("<H", 51) + shared + struct.pack("<HHHII", 0, 0, 0, 0, 0) + name + extra
    return entry + listed + b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(listed), len(entry), 0)


def seven_zip(header):
    """The signature's header, packed bytes, and a last header that leads to them."""
    packed = noise(200)
    return b"7z\xbc\xaf\x27\x1c\0\4" + struct.pack("<IQQI", 1, len(packed), len(header), 2) + packed + header


def varied(number):
    out = b""
    while number >= 0x80:
        out += bytes([number & 0x7F | 0x80])
        number >>= 7
    return out + bytes([number])


def rar_5(*blocks):
    out = b"Rar!\x1a\7\1\0"
    for block in blocks:
        out += b"\1\2\3\4" + varied(len(block)) + block
    return out + noise(100)


def luks_by_hand(version):
    return lambda folder: kept(f"luks{version}_header")(folder) + noise(60_000)


def office(folder):
    return b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504) + "EncryptedPackage".encode("utf-16-le") + noise(3000)


def pdf(trailer):
    return b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\n" + noise(500) + b"\ntrailer\n<< /Root 1 0 R " + trailer + b">>\n%%EOF\n"


CMS = "cms -encrypt -binary -aes-256-cbc"
FILES = [
    # ours
    MadeFile("container", "`phalanx encrypt --key-file`", "container", released("containers/aes-256.phalanx")),
    MadeFile("container_passphrase", "`phalanx encrypt`, passphrase", "container", released("containers/passphrase.phalanx")),
    MadeFile("container_age", "`phalanx encrypt -r`", "container", released("containers/public_key.phalanx")),
    MadeFile("phalanx_tree", "`phalanx encrypt --each`: `.phalanx-tree`", "tree-record", released("tree/DIR/.phalanx-tree"), protection="none"),
    MadeFile("index", "`phalanx encrypt --each --index`", "tree-index", released("tree/index"), protection="none"),
    MadeFile("manifest", "`phalanx migrate --manifest`", "manifest", released("migrated/manifest"), protection="none"),
    MadeFile("journal", "`phalanx raw --in-place`, stopped", "in-place-journal", released("stopped_in_place_encrypt/FILE.phalanx-journal"), protection="unknown"),
    MadeFile("record", "`phalanx encrypt`, stopped", "resume-record", released("stopped_encrypt/OUT.phalanx-record"), protection="none"),
    MadeFile("header", "`phalanx recipients`, stopped", "header-record", released("stopped_recipients/BOX.phalanx-header"), protection="none"),
    # openssl enc
    MadeFile("enc_des3", "`openssl enc -des3`", "openssl-enc", enc("-des3")),
    MadeFile("enc_ctr", "`openssl enc -aes-256-ctr -pbkdf2`", "openssl-enc", enc("-aes-256-ctr -pbkdf2")),
    MadeFile("enc_base64", "`openssl enc -a`", "openssl-enc", IN_BASE64, "base64"),
    MadeFile("enc_one_line", "`openssl enc -a -A`", "openssl-enc", enc("-aes-256-cbc -pbkdf2 -a -A", stdin=LETTER * 4), "base64"),
    MadeFile("enc_crlf", "the same with CRLF", "openssl-enc", changed(IN_BASE64, lambda text: in_lines(text, b"\r\n")), "base64"),
    MadeFile("enc_blanks", "the same with a space behind each line", "openssl-enc", changed(IN_BASE64, lambda text: in_lines(text, b" \n")), "base64"),
    MadeFile("enc_tabs", "the same with a tab before each line", "openssl-enc", changed(IN_BASE64, lambda text: b"\t" + in_lines(text, b"\n\t")), "base64"),
    MadeFile("enc_spaces", "the same with spaces for line ends", "openssl-enc", changed(IN_BASE64, lambda text: b" ".join(text.split())), "base64"),
    MadeFile("enc_76", "the same in lines of 76", "openssl-enc", changed(IN_BASE64, lambda text: base64.encodebytes(base64.b64decode(text))), "base64"),
    MadeFile("enc_url_safe", "the same in the url-safe alphabet", "openssl-enc", by_hand(base64.urlsafe_b64encode(b"Salted__" + 6 * b"\xff" + noise(88))), "url-safe base64"),
    MadeFile("enc_hex", "the same in hex", "openssl-enc", changed(enc("-des3"), lambda text: text.hex().encode() + b"\n"), "hex"),
    MadeFile("enc_utf16", "`openssl enc -a >FILE` in PowerShell", "openssl-enc", changed(IN_BASE64, lambda text: text.decode().encode("utf-16")), "UTF-16, base64"),
    # ciphertext without a header
    MadeFile("enc_nosalt", "`openssl enc -nosalt`", "unknown", enc("-des3 -nosalt"), protection="unknown", is_certain=False),
    MadeFile("enc_key", "`openssl enc -K -iv`", "unknown", openssl(OLD_CBC, stdin=LETTER * 3), protection="unknown", is_certain=False),
    MadeFile("bare", "`phalanx encrypt --bare`", "unknown", released("containers/aes-256.bare"), protection="unknown", is_certain=False),
    MadeFile("veracrypt", "a volume of VeraCrypt: random bytes", "unknown", by_hand(noise(300_000)), protection="unknown", is_certain=False),
    MadeFile("iv_base64", "base64(iv, ciphertext) under a key", "base64", changed(IV_AND_CIPHERTEXT, base64.encodebytes), "base64", "unknown"),
    MadeFile("iv_hex", "hex(iv, ciphertext) under a key", "hex", changed(IV_AND_CIPHERTEXT, lambda text: text.hex().encode()), "hex", "unknown"),
    # age
    MadeFile("age", "`age -r`", "age", age("-R", "recipient")),
    MadeFile("age_armored", "`age -a -r`", "age", age("-a", "-R", "recipient"), "armor"),
    MadeFile("age_base64", "`age -r`, `base64`", "age", changed(age("-R", "recipient"), base64.encodebytes), "base64"),
    MadeFile("age_passphrase", "`age -p`, by hand", "age", by_hand(b"age-encryption.org/v1\n-> scrypt " + base64.b64encode(noise(16)).rstrip(b"=") + b" 18\n" + base64.b64encode(noise(32)).rstrip(b"=") + b"\n--- " + base64.b64encode(noise(32)).rstrip(b"=") + b"\n" + noise(99))),
    MadeFile("age_identity", "`age-keygen`", "age-key", lambda folder: (folder / "identity").read_bytes(), protection="none"),
    MadeFile("age_recipient", "`age-keygen -y`", "age-key", lambda folder: (folder / "recipient").read_bytes(), protection="none"),
    # OpenPGP
    MadeFile("gpg_passphrase", "`gpg -c`", "openpgp", kept("passphrase.gpg")),
    MadeFile("gpg_passphrase_armored", "`gpg -a -c`", "openpgp", kept("passphrase.asc"), "armor"),
    MadeFile("gpg_public_key", "`gpg -e`", "openpgp", kept("public_key.gpg")),
    MadeFile("gpg_two_keys_armored", "`gpg -a -e -r ... -r ...`", "openpgp", kept("two_public_keys.asc"), "armor"),
    MadeFile("gpg_signed", "`gpg -s`", "openpgp", kept("signed.gpg"), protection="signed"),
    MadeFile("gpg_signed_zlib", "`gpg -s --compress-algo zlib`", "openpgp", kept("signed_zlib.gpg"), protection="signed"),
    MadeFile("gpg_clear_signed", "`gpg --clearsign`", "openpgp", kept("clear_signed.asc"), "armor", "signed"),
    MadeFile("gpg_detached", "`gpg -b`", "openpgp", kept("detached.sig"), protection="signed"),
    MadeFile("gpg_stored", "`gpg --store`", "openpgp", kept("stored_compressed.gpg"), protection="none"),
    MadeFile("gpg_stored_plain", "`gpg --store --compress-algo none`", "openpgp", kept("stored.gpg"), protection="none", is_certain=False),
    MadeFile("gpg_keys", "`gpg --export`", "openpgp-key", kept("public_keys.gpg"), protection="none"),
    MadeFile("gpg_secret_key", "`gpg -a --export-secret-keys`", "openpgp-key", kept("secret_key.asc"), "armor"),
    # CMS and S/MIME
    MadeFile("cms_der", "`openssl cms -encrypt -outform DER`", "cms", openssl(CMS, "-outform DER cert.pem")),
    MadeFile("cms_stream", "the same with `-stream`", "cms", openssl(CMS, "-stream -outform DER cert.pem")),
    MadeFile("cms_pem", "the same in PEM", "cms", openssl(CMS, "-outform PEM cert.pem"), "PEM"),
    MadeFile("cms_mail", "the same as a mail", "cms", openssl(CMS, "cert.pem"), "mail"),
    MadeFile("cms_passphrase", "`openssl cms -encrypt -pwri_password`", "cms", openssl(CMS, "-outform DER -pwri_password horse")),
    MadeFile("cms_gcm", "`openssl cms -encrypt -aes-256-gcm`", "cms", openssl("cms -encrypt -binary -aes-256-gcm -outform DER cert.pem")),
    MadeFile("cms_key", "`openssl cms -EncryptedData_encrypt`", "cms", openssl("cms -EncryptedData_encrypt -binary -aes-128-cbc -secretkey 00112233445566778899aabbccddeeff -outform DER")),
    MadeFile("cms_signed", "`openssl cms -sign`", "cms", openssl("cms -sign -binary -nodetach -outform DER -signer cert.pem -inkey key.pem"), protection="signed"),
    MadeFile("smime_signed", "`openssl cms -sign`, as a mail", "cms", openssl("cms -sign -signer cert.pem -inkey key.pem"), "mail", "signed"),
    # keys and certificates
    MadeFile("key_pem", "`openssl genrsa`", "private-key", lambda folder: (folder / "key.pem").read_bytes(), "PEM", "none"),
    MadeFile("key_pem_encrypted", "`openssl pkcs8 -topk8`", "private-key", openssl("pkcs8 -topk8 -in key.pem -passout pass:horse"), "PEM"),
    MadeFile("key_der_encrypted", "the same in DER", "private-key", openssl("pkcs8 -topk8 -in key.pem -passout pass:horse -outform DER")),
    MadeFile("key_traditional", "`openssl rsa -traditional -aes128`", "private-key", openssl("rsa -traditional -aes128 -in key.pem -passout pass:horse"), "PEM"),
    MadeFile("certificate", "`openssl req -x509`", "certificate", lambda folder: (folder / "cert.pem").read_bytes(), "PEM", "none"),
    MadeFile("certificate_der", "the same in DER", "certificate", openssl("x509 -in cert.pem -outform DER"), protection="none"),
    MadeFile("pkcs12", "`openssl pkcs12 -export`", "pkcs12", openssl("pkcs12 -export -in cert.pem -inkey key.pem -passout pass:horse")),
    MadeFile("java_keystore", "`keytool`, by hand", "java-keystore", by_hand(b"\xfe\xed\xfe\xed\0\0\0\2\0\0\0\1" + noise(900))),
    # volumes
    MadeFile("luks1", "`cryptsetup luksFormat --type luks1`", "luks", luks_by_hand(1)),
    MadeFile("luks2", "`cryptsetup luksFormat`", "luks", luks_by_hand(2)),
    MadeFile("bitlocker", "BitLocker, by hand", "bitlocker", by_hand(b"\xeb\x58\x90-FVE-FS-" + noise(5000))),
    # archives and compressed files
    MadeFile("zip", "`zip`, by Python", "zip", zip_of, protection="none"),
    MadeFile("zip_crypto", "`zip -e`", "zip", kept("zip_crypto.zip")),
    MadeFile("zip_aes", "WinZip's AES, by hand", "zip", aes_zip),
    MadeFile("seven_zip", "`7z`, by hand", "7z", by_hand(seven_zip(b"\1\4\6\0\1\x09\x80\xc8\0\7\x0b\1\0\1\1\0\x0c\x80\xc8\0\0\0")), protection="none"),
    MadeFile("seven_zip_aes", "`7z -p`, by hand", "7z", by_hand(seven_zip(b"\1\4\6\0\1\x09\x80\xd0\0\7\x0b\1\0\2\x24\6\xf1\7\1\x12\x53\x0f" + noise(16) + b"\0\0"))),
    MadeFile("rar", "`rar`, by hand", "rar", by_hand(rar_5(b"\1\0\0", b"\2\2\x64\0" + noise(20))), protection="none"),
    MadeFile("rar_encrypted", "`rar -hp`, by hand", "rar", by_hand(rar_5(b"\4\0\0\0\x0f" + noise(16)))),
    MadeFile("gzip", "`gzip`, by Python", "gzip", by_hand(gzip.compress(LETTER * 9)), protection="none"),
    MadeFile("xz", "`xz`, by Python", "xz", by_hand(lzma.compress(LETTER * 9)), protection="none"),
    MadeFile("bzip2", "`bzip2`, by Python", "bzip2", by_hand(bz2.compress(LETTER * 9)), protection="none"),
    MadeFile("zstd", "`zstd`, by hand", "zstd", by_hand(b"\x28\xb5\x2f\xfd\x24\x42\x11\2\0" + noise(70)), protection="none"),
    # tokens, vaults and other programs
    MadeFile("ansible_vault", "`ansible-vault encrypt`, by hand", "ansible-vault", ansible_vault),
    MadeFile("fernet", "Fernet of Python's cryptography", "fernet", fernet_token),
    MadeFile("jwe", "a JWE, by hand", "jwe", jwe_compact),
    MadeFile("jwe_json", "a JWE in JSON, by hand", "jwe", jwe_json),
    MadeFile("jws", "a signed JWT, by hand", "jws", jws_compact, protection="signed"),
    MadeFile("keepass", "KeePass, by hand", "keepass", by_hand(b"\x03\xd9\xa2\x9a\x67\xfb\x4b\xb5\0\0\4\0" + noise(500))),
    MadeFile("vim", "`vim -x`, by hand", "vimcrypt", by_hand(b"VimCrypt~03!" + noise(100))),
    MadeFile("git_crypt", "`git-crypt`, by hand", "git-crypt", by_hand(b"\0GITCRYPT\0" + noise(90))),
    MadeFile("aescrypt", "AES Crypt, by hand", "aescrypt", by_hand(b"AES\2\0\0\x1bCREATED_BY\0aescrypt 3.0" + noise(300))),
    MadeFile("mcrypt", "`mcrypt`, by hand", "mcrypt", by_hand(b"\0m\3@rijndael-128\0\x20\0cbc\0mcrypt-sha1\0\x15" + noise(100))),
    # text and documents
    MadeFile("text", "text", "text", by_hand(LETTER), protection="none"),
    MadeFile("text_utf8", "text in UTF-8", "text", by_hand("Grüße aus Köln, und sonst nichts.\n".encode()), protection="none"),
    MadeFile("text_utf16", "text in UTF-16", "text", by_hand("Grüße aus Köln, und sonst nichts.\r\n".encode("utf-16")), protection="none"),
    MadeFile("text_latin1", "text in ISO 8859-1", "text", by_hand(("Grüße aus Köln. " * 9).encode("latin-1")), protection="none"),
    MadeFile("pdf", "a PDF document, by hand", "pdf", by_hand(pdf(b"")), protection="none"),
    MadeFile("pdf_encrypted", "an encrypted one, by hand", "pdf", by_hand(pdf(b"/Encrypt 2 0 R "))),
    MadeFile("office", "an encrypted .docx, by hand", "office", office),
]  # fmt: skip


def inspected(program, folder, made):
    """What the program says of a file: the exit code, and the JSON."""
    (folder / made.name).write_bytes(made.make(folder))
    done = subprocess.run([program, "inspect", "--json", made.name], cwd=folder, capture_output=True, timeout=120)
    return done.returncode, json.loads(done.stdout)


def cell(text):
    return text.replace("|", "\\|").rstrip(",")


def table_of(program):
    lines = ["| the file | kind | form | what `inspect` says of it | what opens or reads it |", "|---|---|---|---|---|"]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        prepare(folder)
        for made in FILES:
            found = inspected(program, folder, made)[1]
            words = ("" if found["certain"] or found["kind"] == "unknown" else "perhaps ") + found["description"]
            command = cell(found["opened_by"])
            if "FILE" in command or command.startswith("phalanx "):
                command = f"`{command}`"
            lines.append(f"| {made.how} | {found['kind']} | {found['form']} | {cell(words)} | {command} |")
    return "\n".join(lines) + "\n"


def kept_table(page):
    return page.partition(BEGIN_MARK + "\n")[2].partition(END_MARK)[0]


def main():
    program, page = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[3])
    text = page.read_text(encoding="utf-8")
    page.write_text(text.replace(BEGIN_MARK + "\n" + kept_table(text), BEGIN_MARK + "\n" + table_of(program)), encoding="utf-8")


if __name__ == "__main__":
    main()
