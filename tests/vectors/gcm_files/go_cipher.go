// Writes the record of Go's crypto/cipher: go run go_cipher.go
package main

import (
	"crypto/aes"
	"crypto/cipher"
	"fmt"
	"runtime"
)

func made(count int, first int, step int) []byte {
	bytes := make([]byte, count)
	for i := range bytes {
		bytes[i] = byte(first + step*i)
	}
	return bytes
}

func main() {
	key, nonce, plaintext := made(32, 0, 1), made(12, 0x90, 1), made(100, 1, 7)
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err)
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		panic(err)
	}
	associated := []byte("page 7")
	file := gcm.Seal(nonce, nonce, plaintext, associated)
	fmt.Printf("layout = Go\nprogram = %s\ncipher = aes-256-gcm\nkey = %x\naad = %x\nfile = %x\nplaintext = %x\n\n",
		runtime.Version(), key, associated, file, plaintext)
}
