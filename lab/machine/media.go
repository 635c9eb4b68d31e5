package machine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
)

// errMedia is returned if a medium cannot be inserted.
var errMedia = errors.New("this medium cannot be inserted")

// VirtualMedia describes the BMC's virtual CD drive.
type VirtualMedia struct {
	// URL is the address of the image. It is empty if the drive is empty.
	URL string
	// User and Password are the credentials for the URL.
	User, Password string
	// Inserted reports whether the machine can see the medium.
	Inserted bool
}

// Media describes the medium from which a machine has booted.
type Media struct {
	// URL is the URL of the image.
	URL string
	// Path is the path of a file that contains the image, and Size is the file's size in bytes. The file exists until
	// the medium is ejected or the machine is powered off. If it is open at that time, it remains readable.
	Path string
	Size int64
}

// VirtualMedia returns the state of the virtual CD drive.
func (m *Machine) VirtualMedia() VirtualMedia {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.media
}

// Insert replaces the image in the virtual CD drive. The image is downloaded when the machine boots from it.
//
// A guest does not see the new image before its next boot.
func (m *Machine) Insert(media VirtualMedia) error {
	if err := checkImageURL(media.URL); err != nil {
		return fmt.Errorf("%w: %w", errMedia, err)
	}
	m.mu.Lock()
	defer m.unlock()
	m.dropImage()
	m.media = media
	m.emit(MediaInserted, "%s", redacted(media.URL))
	return nil
}

// checkImageURL returns an error if the BMC cannot download an image from the given URL.
func checkImageURL(text string) error {
	address, err := url.Parse(text)
	if err != nil {
		return err
	}
	if (address.Scheme != "http" && address.Scheme != "https") || address.Host == "" {
		return fmt.Errorf("%q is not an address of HTTP or HTTPS", address.Redacted())
	}
	return nil
}

// Eject empties the virtual CD drive, even if a guest is running.
func (m *Machine) Eject() {
	if m.options.Guest != nil {
		m.options.Guest.Eject()
	}
	m.mu.Lock()
	defer m.unlock()
	m.dropImage()
	if m.media.URL != "" {
		m.emit(MediaEjected, "")
	}
	m.media = VirtualMedia{}
}

// redacted returns the URL with its password replaced, for use in logs.
func redacted(address string) string {
	parsed, err := url.Parse(address)
	if err != nil {
		return "an address that cannot be read"
	}
	return parsed.Redacted()
}

// dropImage deletes the downloaded image. Called with mu held.
func (m *Machine) dropImage() {
	if m.image != "" {
		_ = os.Remove(m.image)
		m.image = ""
	}
}

// loadCD downloads the image in the virtual CD drive. Like a real BMC, it does so at each boot, so the boot fails if
// the image is no longer available.
func (m *Machine) loadCD(ctx context.Context) (Media, error) {
	m.mu.Lock()
	drive, fails := m.media, m.faults.ImageFails
	m.mu.Unlock()
	if !drive.Inserted {
		return Media{}, errNoMedium
	}
	if fails != "" {
		return Media{}, fmt.Errorf("fetching %s: %s", redacted(drive.URL), fails)
	}
	path, size, err := m.fetch(ctx, drive)
	if err != nil {
		return Media{}, fmt.Errorf("fetching the image: %w", err)
	}
	m.mu.Lock()
	defer m.unlock()
	if ctx.Err() != nil || m.media != drive {
		_ = os.Remove(path)
		return Media{}, errors.New("the medium was ejected")
	}
	m.dropImage()
	m.image = path
	return Media{URL: drive.URL, Path: path, Size: size}, nil
}

// fetch downloads an image to a new file, and returns the file's path and size.
func (m *Machine) fetch(ctx context.Context, drive VirtualMedia) (_ string, _ int64, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, drive.URL, http.NoBody)
	if err != nil {
		return "", 0, fmt.Errorf("preparing the request: %w", err)
	}
	if drive.User != "" || drive.Password != "" {
		request.SetBasicAuth(drive.User, drive.Password)
	}
	response, err := m.options.Client.Do(request)
	if err != nil {
		return "", 0, err // already contains the method and the URL
	}
	defer func() { _ = response.Body.Close() }()
	name := request.URL.Redacted()
	if response.StatusCode != http.StatusOK {
		return "", 0, fmt.Errorf("%s: %s", name, response.Status)
	}
	if response.ContentLength > m.options.MaxImage {
		return "", 0, fmt.Errorf("%s: %d bytes are more than the %d that an image may have", name, response.ContentLength, m.options.MaxImage)
	}
	file, err := os.CreateTemp(m.options.Dir, "ironworks-"+m.spec.Name+"-*.iso")
	if err != nil {
		return "", 0, fmt.Errorf("making a file for %s: %w", name, err)
	}
	defer func() {
		err = errors.Join(err, file.Close())
		if err != nil {
			_ = os.Remove(file.Name()) //nolint:gosec // the temporary file made above
		}
	}()
	size, err := io.Copy(file, io.LimitReader(response.Body, m.options.MaxImage+1))
	if err != nil {
		return "", 0, fmt.Errorf("reading %s: %w", name, err)
	}
	if size > m.options.MaxImage {
		return "", 0, fmt.Errorf("%s has more than the %d bytes that an image may have", name, m.options.MaxImage)
	}
	return file.Name(), size, nil
}
