package agentlog

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"ironworks/models"
)

// Identity holds the secrets by which the console recognizes the machines that boot an image: the token that they use
// to push their journal, and the host key of their SSH server. Either may be empty.
type Identity struct {
	// Image names the image; it is not secret.
	Image string
	// Node is the UUID or name of the only node whose machines may use the image, or empty for all nodes.
	Node  string
	Token models.Secret
	// Certificate is the receiver's certificate, in PEM.
	Certificate string
	// HostKey is a private key in OpenSSH's format. Only HostKeyPublic, in known_hosts' form, is stored.
	HostKey       models.Secret
	HostKeyPublic string
}

// IdentityOrder describes an identity to create. Node is the node that the image is for, or "" for all nodes. Push
// and HostKey select the secrets that the identity contains.
type IdentityOrder struct {
	Node          string
	Push, HostKey bool
}

// Images stores the identities of images in a folder that only its owner can read. Several consoles may share it.
type Images struct {
	dir string
}

// image is the stored part of an identity. It contains only a hash of the token, so it cannot be used to push.
type image struct {
	ID      string    `json:"id"`
	Made    time.Time `json:"made"`
	Node    string    `json:"node,omitempty"`
	Token   string    `json:"token_sha256,omitempty"`
	HostKey string    `json:"host_key,omitempty"`
}

const (
	imageIDBytes = 8
	tokenBytes   = 32
	// imageLife is the age at which an image's identity is removed. Images are usually rebuilt earlier.
	imageLife = 2 * 365 * 24 * time.Hour
)

var (
	imageID   = regexp.MustCompile(`^[0-9a-f]{16}$`)
	tokenForm = regexp.MustCompile(`^([0-9a-f]{16})\.([0-9a-f]{64})$`)
)

// ErrUnknownToken reports that a token belongs to no image of this console.
var ErrUnknownToken = errors.New("unknown image token")

// OpenImages opens the folder, and creates it if necessary.
func OpenImages(dir string) (*Images, error) {
	if dir == "" {
		return nil, errors.New("images: no directory; set HOME or XDG_STATE_HOME")
	}
	if err := os.MkdirAll(filepath.Join(dir, "images"), 0o700); err != nil {
		return nil, fmt.Errorf("images: %w", err)
	}
	return &Images{dir: dir}, nil
}

// Draft returns a new identity without storing it. Until it is stored, machines with this identity are refused.
func (s *Images) Draft(order IdentityOrder) (Identity, error) {
	id := Identity{Node: order.Node}
	random := make([]byte, imageIDBytes+tokenBytes)
	_, _ = rand.Read(random) // never fails
	id.Image = hex.EncodeToString(random[:imageIDBytes])
	if order.Push {
		certificate, err := s.certificate()
		if err != nil {
			return id, err
		}
		id.Token = models.Secret(id.Image + "." + hex.EncodeToString(random[imageIDBytes:]))
		id.Certificate = string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Certificate[0]}))
	}
	if order.HostKey {
		if err := id.makeHostKey(); err != nil {
			return id, fmt.Errorf("create an SSH host key: %w", err)
		}
	}
	return id, nil
}

// Make combines Draft and Keep: it creates an identity and stores it.
func (s *Images) Make(order IdentityOrder) (Identity, error) {
	id, err := s.Draft(order)
	if err == nil {
		err = s.Keep(id)
	}
	return id, err
}

// Keep stores the parts of an identity that are needed to recognize its machines. It returns an error if they are
// stored already.
func (s *Images) Keep(id Identity) error {
	kept := image{ID: id.Image, Made: time.Now().UTC(), Node: id.Node, HostKey: id.HostKeyPublic}
	if id.Token.IsSet() {
		kept.Token = tokenSum(id.Token.Reveal())
	}
	content, err := json.Marshal(kept)
	if err != nil {
		return fmt.Errorf("store the image: %w", err)
	}
	if err := writeWhole(s.path(id.Image), append(content, '\n')); err != nil {
		return fmt.Errorf("store the image: %w", err)
	}
	s.forgetOld()
	return nil
}

func (id *Identity) makeHostKey() error {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	block, err := ssh.MarshalPrivateKey(private, "ironworks image "+id.Image)
	if err != nil {
		return err
	}
	key, err := ssh.NewPublicKey(public)
	if err != nil {
		return err
	}
	id.HostKey = models.Secret(pem.EncodeToMemory(block))
	id.HostKeyPublic = strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key)))
	return nil
}

func (s *Images) path(id string) string { return filepath.Join(s.dir, "images", id+".json") }

func tokenSum(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// byToken finds the image of a token. It reads the file each time, as another console may have just created it.
func (s *Images) byToken(token string) (image, error) {
	parts := tokenForm.FindStringSubmatch(token)
	if parts == nil {
		return image{}, ErrUnknownToken
	}
	kept, err := s.read(parts[1])
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return image{}, ErrUnknownToken
	case err != nil:
		return image{}, err
	case kept.Token == "" || subtle.ConstantTimeCompare([]byte(kept.Token), []byte(tokenSum(token))) != 1:
		return image{}, ErrUnknownToken
	}
	return kept, nil
}

func (s *Images) read(id string) (image, error) {
	content, err := os.ReadFile(s.path(id))
	if err != nil {
		return image{}, err
	}
	var kept image
	if err := json.Unmarshal(content, &kept); err != nil {
		return image{}, fmt.Errorf("reading image %s: %w", id, err)
	}
	return kept, nil
}

func (s *Images) all() []string {
	entries, err := os.ReadDir(filepath.Join(s.dir, "images"))
	if err != nil {
		return nil
	}
	var ids []string
	for _, e := range entries {
		if id, ok := strings.CutSuffix(e.Name(), ".json"); ok && imageID.MatchString(id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// HostKeys returns the host keys that the node's ramdisk may have: those in the images for this node and in the
// images for all nodes. Each key has the form used in known_hosts, without the host. If only is true, all other keys
// are invalid. That is the case if the newest of these images was built for this node alone and contains a host key.
// Unreadable files are skipped.
func (s *Images) HostKeys(ctx context.Context, node models.NodeRef) (keys []string, only bool) {
	var last time.Time
	for _, id := range s.all() {
		if ctx.Err() != nil {
			return keys, only
		}
		kept, err := s.read(id)
		if err != nil || !kept.isFor(node) {
			continue
		}
		if kept.HostKey != "" {
			keys = append(keys, kept.HostKey)
		}
		if kept.Made.After(last) {
			last, only = kept.Made, kept.Node != "" && kept.HostKey != ""
		}
	}
	return keys, only
}

func (i image) isFor(node models.NodeRef) bool {
	return i.Node == "" || i.Node == node.UUID || i.Node == node.Name
}

// forgetOld removes images that are older than imageLife.
func (s *Images) forgetOld() {
	for _, id := range s.all() {
		info, err := os.Stat(s.path(id))
		if err == nil && time.Since(info.ModTime()) > imageLife {
			_ = os.Remove(s.path(id))
		}
	}
}

// writeWhole atomically creates a file with mode 0600; it fails if the file exists.
func writeWhole(path string, content []byte) error {
	file, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(file.Name()) }()
	_, err = file.Write(content)
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	return os.Link(file.Name(), path)
}

// pushName is the name in the receiver's certificate. Senders expect it regardless of the receiver's address, so an
// image stays valid when the address changes. The name is never resolved.
const pushName = "journal.ironworks.invalid"

// certificate reads the receiver's certificate, or creates it. The certificate is self-signed, and the images pin it.
// It is valid at any time, so that a machine's wrong clock does not matter.
func (s *Images) certificate() (tls.Certificate, error) {
	path := filepath.Join(s.dir, "receiver.pem")
	content, err := os.ReadFile(path) //nolint:gosec // our own folder
	if errors.Is(err, fs.ErrNotExist) {
		if content, err = newPushCertificate(); err == nil {
			err = writeWhole(path, content)
		}
		if errors.Is(err, fs.ErrExist) {
			err = nil // another console has just created it: use that certificate
		}
		if err == nil {
			content, err = os.ReadFile(path) //nolint:gosec // our own folder
		}
	}
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("the receiver's certificate: %w", err)
	}
	pair, err := tls.X509KeyPair(content, content)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("the receiver's certificate: reading %s: %w", path, err)
	}
	return pair, nil
}

func newPushCertificate() ([]byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: pushName}, DNSNames: []string{pushName},
		NotBefore: time.Unix(0, 0), NotAfter: time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC),
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		IsCA: true, BasicConstraintsValid: true, MaxPathLenZero: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	content := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return append(content, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})...), nil
}
