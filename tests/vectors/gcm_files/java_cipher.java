// Writes the records of Java's AES/GCM/NoPadding: java java_cipher.java
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

class JavaCipher {
  static byte[] bytes(int count, int first, int step) {
    byte[] made = new byte[count];
    for (int i = 0; i < count; ++i) made[i] = (byte) (first + step * i);
    return made;
  }

  static byte[] seal(byte[] nonce, byte[] associated) throws Exception {
    Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
    cipher.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(bytes(32, 0, 1), "AES"), new GCMParameterSpec(128, nonce));
    if (associated != null) cipher.updateAAD(associated);
    return cipher.doFinal(bytes(100, 1, 7));
  }

  static void print(String layout, String fields, byte[] file) {
    HexFormat hex = HexFormat.of();
    System.out.println("layout = " + layout);
    System.out.println("program = java " + System.getProperty("java.version"));
    System.out.println("cipher = aes-256-gcm");
    System.out.println("key = " + hex.formatHex(bytes(32, 0, 1)));
    System.out.print(fields);
    System.out.println("file = " + hex.formatHex(file));
    System.out.println("plaintext = " + hex.formatHex(bytes(100, 1, 7)) + "\n");
  }

  public static void main(String[] arguments) throws Exception {
    HexFormat hex = HexFormat.of();
    byte[] associated = "page 7".getBytes(StandardCharsets.US_ASCII), nonce = bytes(12, 0x80, 1);
    String fields = "nonce = " + hex.formatHex(nonce) + "\naad = " + hex.formatHex(associated) + "\n";
    print("Java, iv apart", fields, seal(nonce, associated));
    byte[] sealed = seal(nonce, null), file = new byte[nonce.length + sealed.length];
    System.arraycopy(nonce, 0, file, 0, nonce.length);
    System.arraycopy(sealed, 0, file, nonce.length, sealed.length);
    print("Java, iv in front", "", file);
  }
}
