package agentlog

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
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

// Identity is what an image carries so that the console knows the machines that boot it:
// the token with which they send their journal, and the host key of their SSH server.
// Either may be empty.
type Identity struct {
	// Image names the image; there is no secret in it.
	Image string
	// Node is the node's uuid or name where the image is for one node only; machines of
	// another one are refused then.
	Node  string
	Token models.Secret
	// Certificate is the receiver's, in PEM.
	Certificate string
	// HostKey is a private key in OpenSSH's format, HostKeyPublic its public half as it
	// stands in known_hosts. Only the public half is kept.
	HostKey       models.Secret
	HostKeyPublic string
}

// IdentityOrder says what an image shall carry.
type IdentityOrder struct {
	Node          string
	Push, HostKey bool
}

// Images are the identities that were given to images, in a folder that only its owner
// reads. Several consoles may use it at once.
type Images struct {
	dir string
	now func() time.Time
}

// image is one of them, as it is kept: nobody can send with what is in the file.
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
	// imageLife is how long an image is known. Nobody boots one for longer without
	// making it anew, and the folder does not grow for ever.
	imageLife = 2 * 365 * 24 * time.Hour
)

var (
	imageID   = regexp.MustCompile(`^[0-9a-f]{16}$`)
	tokenForm = regexp.MustCompile(`^([0-9a-f]{16})\.([0-9a-f]{64})$`)
)

// ErrUnknownToken is a token that no image of this console has.
var ErrUnknownToken = errors.New("no image of this console has that token")

// OpenImages opens the folder, and makes it where it is not there yet.
func OpenImages(dir string, now func() time.Time) (*Images, error) {
	if dir == "" {
		return nil, errors.New("images: there is neither XDG_STATE_HOME nor a home directory to keep them in")
	}
	if err := os.MkdirAll(filepath.Join(dir, "images"), 0o700); err != nil {
		return nil, fmt.Errorf("images: %w", err)
	}
	return &Images{dir: dir, now: now}, nil
}

// Draft makes an identity that is not kept: machines with it would be refused.
func (s *Images) Draft(order IdentityOrder) (Identity, error) {
	id := Identity{Node: order.Node}
	random := make([]byte, imageIDBytes+tokenBytes)
	if _, err := rand.Read(random); err != nil {
		return id, fmt.Errorf("making a token: %w", err)
	}
	id.Image = hex.EncodeToString(random[:imageIDBytes])
	if order.Push {
		certificate, err := s.certificate()
		if err != nil {
			return id, err
		}
		id.Token = models.Secret(id.Image + "." + hex.EncodeToString(random[imageIDBytes:]))
		id.Certificate = string(certificate.pem)
	}
	if order.HostKey {
		if err := id.makeHostKey(); err != nil {
			return id, fmt.Errorf("making an SSH host key: %w", err)
		}
	}
	return id, nil
}

// Make is Draft and Keep.
func (s *Images) Make(order IdentityOrder) (Identity, error) {
	id, err := s.Draft(order)
	if err == nil {
		err = s.Keep(id)
	}
	return id, err
}

// Keep keeps what has to be known of an identity, once.
func (s *Images) Keep(id Identity) error {
	kept := image{ID: id.Image, Made: s.now().UTC(), Node: id.Node, HostKey: id.HostKeyPublic}
	if id.Token.IsSet() {
		kept.Token = tokenSum(id.Token.Reveal())
	}
	content, err := json.Marshal(kept)
	if err != nil {
		return fmt.Errorf("keeping the image: %w", err)
	}
	if err := writeWhole(s.path(id.Image), append(content, '\n')); err != nil {
		return fmt.Errorf("keeping the image: %w", err)
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

// byToken finds the image with a token. It reads the file each time: another console may
// have made the image a moment ago.
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

// all are the ids of what is kept.
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

// HostKeys are the host keys that a node's ramdisk may have: those of the images that
// are for it alone, and those of the images for all. Each is as in known_hosts, without
// the host. Only says that no other one is right: the last image that was made for this
// node is for it alone. A file that cannot be read is left out.
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

// isFor says whether machines of a node may have booted the image.
func (i image) isFor(node models.NodeRef) bool {
	return i.Node == "" || i.Node == node.UUID || i.Node == node.Name
}

// forgetOld removes what nobody boots any more.
func (s *Images) forgetOld() {
	for _, id := range s.all() {
		info, err := os.Stat(s.path(id))
		if err == nil && s.now().Sub(info.ModTime()) > imageLife {
			_ = os.Remove(s.path(id))
		}
	}
}

// writeWhole writes a file of 0600 that appears when it is whole, and replaces none.
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
