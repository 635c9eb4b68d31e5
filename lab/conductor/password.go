package conductor

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"strings"
)

// crypt64 contains the digits with which crypt(3) encodes binary data, in the order of their values.
const crypt64 = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// hashPassword hashes a rescue password for /etc/shadow with sha256, the default of
// [conductor]rescue_password_hash_algorithm.
func hashPassword(password string) string {
	salt := rand.Text()[:16]
	return "$5$" + salt + "$" + sha256Crypt([]byte(password), []byte(salt))
}

// sha256Crypt implements Ulrich Drepper's SHA-256 crypt with 5000 rounds (https://akkadia.org/drepper/SHA-crypt.txt).
func sha256Crypt(key, salt []byte) string {
	const rounds = 5000
	sum := func(parts ...[]byte) []byte {
		digest := sha256.Sum256(bytes.Join(parts, nil))
		return digest[:]
	}
	stretch := func(block []byte, size int) []byte { return bytes.Repeat(block, size/len(block)+1)[:size] }
	b := sum(key, salt, key)
	a := [][]byte{key, salt, stretch(b, len(key))}
	for n := len(key); n > 0; n >>= 1 {
		if n&1 != 0 {
			a = append(a, b)
		} else {
			a = append(a, key)
		}
	}
	digest := sum(a...)
	p := stretch(sum(bytes.Repeat(key, len(key))), len(key))
	s := stretch(sum(bytes.Repeat(salt, 16+int(digest[0]))), len(salt))
	for i := range rounds {
		first, last := digest, p
		if i&1 != 0 {
			first, last = p, digest
		}
		parts := [][]byte{first}
		if i%3 != 0 {
			parts = append(parts, s)
		}
		if i%7 != 0 {
			parts = append(parts, p)
		}
		digest = sum(append(parts, last)...)
	}
	return cryptText(digest)
}

// cryptText encodes a SHA-256 digest in the digits and the order of SHA-256 crypt.
func cryptText(d []byte) string {
	var text strings.Builder
	put := func(x, y, z byte, digits int) {
		n := uint(x)<<16 | uint(y)<<8 | uint(z)
		for range digits {
			text.WriteByte(crypt64[n&0x3f])
			n >>= 6
		}
	}
	for i := range 10 {
		order := [3]int{0, 10, 20}
		// Each group takes its offsets in the order of the previous group, rotated by one.
		x, y, z := order[(3-i%3)%3]+0, order[(4-i%3)%3], order[(5-i%3)%3]
		put(d[x+i], d[y+i], d[z+i], 4)
	}
	put(0, d[31], d[30], 3)
	return text.String()
}
