package agentlog

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ironworks/models"
)

func openedImages(t *testing.T) *Images {
	t.Helper()
	images, err := OpenImages(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return images
}

func madeIdentity(t *testing.T, images *Images, order IdentityOrder) Identity {
	t.Helper()
	id, err := images.Make(order)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// TestTokens checks that only the complete token of a stored image is accepted.
func TestTokens(t *testing.T) {
	t.Parallel()
	images := openedImages(t)
	pushing := madeIdentity(t, images, IdentityOrder{Push: true})
	noPush := madeIdentity(t, images, IdentityOrder{HostKey: true})
	broken := madeIdentity(t, images, IdentityOrder{Push: true})
	putText(t, images.path(broken.Image), "{")
	draft, err := images.Draft(IdentityOrder{Push: true})
	if err != nil {
		t.Fatal(err)
	}
	random := pushing.Token.Reveal()[16:]
	for name, tt := range map[string]struct {
		token string
		want  string // the image, or the error
	}{
		"its own":              {pushing.Token.Reveal(), pushing.Image},
		"none":                 {"", ErrUnknownToken.Error()},
		"in upper case":        {strings.ToUpper(pushing.Token.Reveal()), ErrUnknownToken.Error()},
		"too short":            {strings.TrimSuffix(pushing.Token.Reveal(), random[60:]), ErrUnknownToken.Error()},
		"with zeros":           {pushing.Image + "." + strings.Repeat("0", 64), ErrUnknownToken.Error()},
		"of another image":     {broken.Image[:15] + "g" + random, ErrUnknownToken.Error()},
		"image without token":  {noPush.Image + random, ErrUnknownToken.Error()},
		"image not stored":     {draft.Token.Reveal(), ErrUnknownToken.Error()},
		"image of broken file": {broken.Token.Reveal(), "reading image " + broken.Image + ": unexpected end of JSON input"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := images.byToken(tt.token)
			if shown := got.ID; err != nil && (err.Error() != tt.want || shown != "") || err == nil && shown != tt.want {
				t.Errorf("image %q, error %v; want %q", shown, err, tt.want)
			}
		})
	}
}

// TestKeep checks that an identity is stored once, that old ones are removed then, and that errors say what failed.
func TestKeep(t *testing.T) {
	t.Parallel()
	images := openedImages(t)
	aged := func(age time.Duration) string {
		id := madeIdentity(t, images, IdentityOrder{HostKey: true})
		at := time.Now().Add(-age)
		if err := os.Chtimes(images.path(id.Image), at, at); err != nil {
			t.Fatal(err)
		}
		return id.Image
	}
	young, old := aged(imageLife-time.Hour), aged(imageLife+time.Hour)
	foreign := filepath.Join(images.dir, "images", "notes.json")
	putText(t, foreign, "{}")
	id := madeIdentity(t, images, IdentityOrder{Push: true})
	want := []string{id.Image, young}
	slices.Sort(want)
	if got := images.all(); !slices.Equal(got, want) {
		t.Errorf("images %q, want %q without %q", got, want, old)
	}
	if err := images.Keep(id); !errors.Is(err, fs.ErrExist) || !strings.HasPrefix(err.Error(), "store the image: ") {
		t.Errorf("stored twice: %v", err)
	}
	entries, err := os.ReadDir(filepath.Join(images.dir, "images"))
	if err != nil || len(entries) != 3 {
		t.Errorf("files %v, error %v", entries, err)
	}
	if err := os.RemoveAll(filepath.Join(images.dir, "images")); err != nil {
		t.Fatal(err)
	}
	if _, err := images.Make(IdentityOrder{Push: true}); !errors.Is(err, fs.ErrNotExist) || !strings.HasPrefix(err.Error(), "store the image: ") {
		t.Errorf("without a folder: %v", err)
	}
	if got := images.all(); got != nil {
		t.Errorf("images of no folder: %q", got)
	}
	putText(t, filepath.Join(images.dir, "receiver.pem"), "no certificate")
	if id, err := images.Draft(IdentityOrder{Push: true}); err == nil || !strings.HasPrefix(err.Error(), "the receiver's certificate: reading ") || id.Token.IsSet() {
		t.Errorf("with a broken certificate: %v", err)
	}
}

// TestHostKeysOfBrokenImages checks that unreadable files are skipped, and that canceled calls end early.
func TestHostKeysOfBrokenImages(t *testing.T) {
	t.Parallel()
	images := openedImages(t)
	id := madeIdentity(t, images, IdentityOrder{HostKey: true, Node: "n"})
	putText(t, images.path(strings.Repeat("0", 16)), "{")
	node := models.NodeRef{UUID: testUUID, Name: "n"}
	if keys, only := images.HostKeys(t.Context(), node); !slices.Equal(keys, []string{id.HostKeyPublic}) || !only {
		t.Errorf("keys %q, only: %t", keys, only)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if keys, only := images.HostKeys(ended, node); len(keys) != 0 || only {
		t.Errorf("canceled: keys %q, only: %t", keys, only)
	}
}

// TestCertificateIsCreatedOnce checks that consoles that start at the same time use the same certificate. It tries this
// several times, because they rarely create the file at exactly the same time.
func TestCertificateIsCreatedOnce(t *testing.T) {
	t.Parallel()
	for range 5 {
		images := openedImages(t)
		found, start := make(chan string), make(chan struct{})
		for range 8 {
			go func() {
				<-start
				certificate, err := images.certificate()
				if err != nil {
					t.Error(err)
				}
				found <- string(bytes.Join(certificate.Certificate, nil))
			}()
		}
		close(start)
		first := <-found
		for range 7 {
			if other := <-found; other != first || first == "" {
				t.Errorf("certificates %q and %q", first, other)
			}
		}
	}
}
