package access

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"
)

// maxFile bounds the size of a key file, in bytes.
const maxFile = 1 << 20

// authorized is a line of authorized_keys.
type authorized struct {
	key ssh.PublicKey
	// name and role are the words of the comment.
	name    string
	role    Role
	sources string
	until   time.Time
	// authority is true for a certificate authority. If it has principals, its certificates must contain one of them.
	authority  bool
	principals []string
}

// files holds the contents of all files.
type files struct {
	keys []authorized
	cas  []authorized
	// Revoked marshaled keys, SHA-256 fingerprints, and key IDs of certificates.
	revokedKeys, revokedPrints, revokedIDs map[string]bool
	// revokedSerials lists ranges of serial numbers, each with its first and last number.
	revokedSerials [][2]uint64
	// unsure is true if a file of revoked keys could not be read completely.
	unsure bool
	stamp  string
}

func (f *files) authority(key ssh.PublicKey) *authorized {
	for i := range f.cas {
		if bytes.Equal(f.cas[i].key.Marshal(), key.Marshal()) {
			return &f.cas[i]
		}
	}
	return nil
}

// revoked reports whether key or its certificate is revoked. If there is no certificate, cert is nil.
func (f *files) revoked(key ssh.PublicKey, cert *ssh.Certificate) bool {
	if f.revokedKeys[string(key.Marshal())] || f.revokedPrints[ssh.FingerprintSHA256(key)] {
		return true
	}
	return cert != nil && (f.revokedIDs[cert.KeyId] || slices.ContainsFunc(f.revokedSerials, func(r [2]uint64) bool {
		return r[0] <= cert.Serial && cert.Serial <= r[1]
	}))
}

// expired reports whether the line is no longer valid.
func (k *authorized) expired(now time.Time) bool { return !k.until.IsZero() && now.After(k.until) }

// stampOf returns a string that changes when any of the files changes.
func stampOf(s Settings) string {
	var b strings.Builder
	for _, list := range [][]string{s.AuthorizedKeys, s.UserCA, s.RevokedKeys} {
		for _, path := range list {
			names, err := expand(path)
			fmt.Fprintln(&b, path, err)
			for _, name := range names {
				info, err := os.Stat(name)
				if err != nil {
					fmt.Fprintln(&b, name, err)
					continue
				}
				fmt.Fprintln(&b, name, info.Size(), info.ModTime().UnixNano(), info.Mode())
			}
		}
	}
	return b.String()
}

// readFiles reads all files. Entries with problems are omitted.
func readFiles(s Settings) (*files, []error) {
	f := &files{
		revokedKeys: map[string]bool{}, revokedPrints: map[string]bool{}, revokedIDs: map[string]bool{},
		stamp: stampOf(s),
	}
	var problems []error
	each := func(paths []string, line func(text string) error) {
		for _, path := range paths {
			problems = append(problems, eachLine(path, line)...)
		}
	}
	each(s.AuthorizedKeys, func(text string) error {
		k, err := parseLine(text)
		if err == nil && k.authority {
			f.cas = append(f.cas, k)
		} else if err == nil {
			f.keys = append(f.keys, k)
		}
		return err
	})
	each(s.UserCA, func(text string) error {
		k, err := parseLine(text)
		if err == nil {
			f.cas = append(f.cas, k)
		}
		return err
	})
	sure := len(problems)
	each(s.RevokedKeys, f.revoke)
	f.unsure = len(problems) > sure
	return f, problems
}

// expand returns the files in the folder at path, except hidden ones. For another path, it returns the path itself.
func expand(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return []string{path}, err
	}
	entries, err := os.ReadDir(path)
	var names []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") && !e.IsDir() {
			names = append(names, filepath.Join(path, e.Name()))
		}
	}
	return names, err
}

// eachLine calls line for each line that is neither empty nor a comment. path is a file or a folder with files.
func eachLine(path string, line func(text string) error) (problems []error) {
	names, err := expand(path)
	if err != nil {
		return []error{err}
	}
	for _, name := range names {
		data, err := readPrivate(name)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		lines := bufio.NewScanner(bytes.NewReader(data))
		lines.Buffer(nil, maxFile+2)
		for n := 1; lines.Scan(); n++ {
			text := strings.TrimSpace(lines.Text())
			if text == "" || text[0] == '#' {
				continue
			}
			if err := line(text); err != nil {
				problems = append(problems, fmt.Errorf("%s:%d: %w", name, n, err))
			}
		}
	}
	return problems
}

// readPrivate reads a file. It rejects files that other users may write, as sshd does with StrictModes.
func readPrivate(name string) ([]byte, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a file", name)
	case info.Mode().Perm()&0o022 != 0:
		return nil, fmt.Errorf("%s: writable by other users (mode %#o); run chmod go-w %s", name, info.Mode().Perm(), name)
	case info.Size() > maxFile:
		return nil, fmt.Errorf("%s: %d bytes; the limit is %d", name, info.Size(), maxFile)
	}
	return os.ReadFile(name) //nolint:gosec // named by the configuration
}

// parseLine reads a line of authorized_keys. The comment is NAME or NAME ROLE.
func parseLine(text string) (authorized, error) {
	key, comment, options, rest, err := ssh.ParseAuthorizedKey([]byte(text))
	if err != nil || len(bytes.TrimSpace(rest)) > 0 {
		return authorized{}, errors.New("not a public key; expected [OPTIONS] TYPE KEY [NAME [ROLE]]")
	}
	if _, is := key.(*ssh.Certificate); is {
		return authorized{}, errors.New("a certificate; expected a public key")
	}
	k := authorized{key: key}
	words := strings.Fields(comment)
	if len(words) > 0 {
		k.name = words[0]
	}
	if len(words) > 1 && slices.Contains(Roles(), Role(words[1])) {
		k.role = Role(words[1])
	}
	given := map[string]bool{}
	for _, option := range options {
		name, _, _ := strings.Cut(strings.ToLower(option), "=")
		if given[name] {
			return authorized{}, fmt.Errorf("option %s is repeated", name)
		}
		given[name] = true
		if err := k.option(option); err != nil {
			return authorized{}, err
		}
	}
	if k.name == "" && !k.authority {
		k.name = ssh.FingerprintSHA256(key)
	}
	return k, nil
}

// option reads an option of sshd's authorized_keys. It accepts, without effect, options that only restrict features
// that this server never offers.
func (k *authorized) option(text string) error {
	name, value, has := strings.Cut(text, "=")
	if has {
		unquoted, err := strconv.Unquote(value)
		if err != nil {
			return fmt.Errorf("option %s: the value must be in quotes", name)
		}
		value = unquoted
	}
	switch strings.ToLower(name) {
	case "restrict", "no-agent-forwarding", "no-port-forwarding", "no-x11-forwarding", "no-user-rc", "pty":
	case "cert-authority":
		k.authority = true
	case "principals":
		k.principals = strings.Split(value, ",")
	case "from":
		for _, s := range strings.Split(value, ",") {
			if _, _, err := net.ParseCIDR(s); err != nil && net.ParseIP(s) == nil {
				return fmt.Errorf("option from: %q is neither an IP address nor a network; names and patterns are not supported", s)
			}
		}
		k.sources = value
	case "expiry-time":
		until, err := expiryTime(value)
		if err != nil {
			return err
		}
		k.until = until
	default:
		return fmt.Errorf("option %s is not supported; remove it or the line", name)
	}
	return nil
}

// expiryTime parses YYYYMMDD[HHMM[SS]][Z], in local time without a Z, as sshd(8) describes.
func expiryTime(value string) (time.Time, error) {
	zone := time.Local
	digits := strings.TrimSuffix(value, "Z")
	if digits != value {
		zone = time.UTC
	}
	for _, layout := range []string{"20060102", "200601021504", "20060102150405"} {
		if len(layout) == len(digits) {
			if t, err := time.ParseInLocation(layout, digits, zone); err == nil {
				return t, nil
			}
		}
	}
	return time.Time{}, fmt.Errorf("option expiry-time: %q; must be YYYYMMDD, YYYYMMDDHHMM or YYYYMMDDHHMMSS", value)
}

// revoke reads a line from a file of revoked keys. The line contains a public key, a SHA-256 fingerprint, or the
// "serial: N", "serial: N-M" or "id: TEXT" of certificates, as in the specifications of ssh-keygen -k.
func (f *files) revoke(text string) error {
	if value, is := strings.CutPrefix(text, "serial:"); is {
		from, to, ranged := strings.Cut(strings.TrimSpace(value), "-")
		first, err := strconv.ParseUint(from, 0, 64)
		last := first
		if ranged && err == nil {
			last, err = strconv.ParseUint(to, 0, 64)
		}
		if err != nil || last < first {
			return fmt.Errorf("serial %q is not a number or a range", value)
		}
		f.revokedSerials = append(f.revokedSerials, [2]uint64{first, last})
		return nil
	}
	if value, is := strings.CutPrefix(text, "id:"); is {
		f.revokedIDs[strings.TrimSpace(value)] = true
		return nil
	}
	if strings.HasPrefix(text, "SHA256:") {
		f.revokedPrints[strings.Fields(text)[0]] = true
		return nil
	}
	key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(text))
	if err != nil {
		return errors.New("not a public key, SHA256:FINGERPRINT, serial: N or id: TEXT (a binary KRL is not supported)")
	}
	if cert, is := key.(*ssh.Certificate); is {
		key = cert.Key
	}
	f.revokedKeys[string(key.Marshal())] = true
	return nil
}
