package agent

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"ironworks/python"
)

// download downloads the image and calls the use function with a reader of its content. It retries failed downloads
// up to the configured number of attempts, each of which tries the image's URLs in order. See _download_image and
// _stream_raw_image_onto_device in ironic_python_agent/extensions/standby.py.
func (a *agent) download(ctx context.Context, info imageInfo, location string, use func(io.Reader) error) error {
	var err error
	var limit time.Time // zero means that there is no limit
	if most := a.options.Images.MaxDuration; most > 0 {
		limit = time.Now().Add(a.scale(most))
	}
	tries := a.options.Images.Tries
	for try := range tries {
		var final bool
		if final, err = a.downloadOnce(ctx, info, location, limit, use); err == nil || final || ctx.Err() != nil {
			return err
		}
		a.log.standby.warning("Image download failed, %d of %d: %v", try, tries-1, err)
		if try < tries-1 && !a.sleep(ctx, a.options.Images.Pause) {
			return ctx.Err()
		}
	}
	return err
}

func (a *agent) downloadOnce(ctx context.Context, info imageInfo, location string, limit time.Time, use func(io.Reader) error) (final bool, err error) {
	want, newHash, final, err := a.expected(ctx, info)
	if err != nil {
		return final, err
	}
	body, final, err := a.openAny(ctx, info)
	if err != nil {
		return final, err
	}
	defer func() { _ = body.Close() }()
	body.id, body.limit = info.id, limit
	content := &verified{from: body, sum: newHash(), want: want, mismatch: func(got string) *fault {
		const format = "Image failed to verify against checksum. location: %s; image ID: %s; image checksum: %s; verification checksum: %s"
		a.log.standby.error(format, location, info.id, want, got)
		// The location and the ID of the image are swapped here, as in the real agent.
		return newFault(imageChecksum, format, info.id, location, want, got)
	}}
	err = use(content)
	if err == nil && !content.ended {
		_, err = io.Copy(io.Discard, content)
	}
	f, isFault := errors.AsType[*fault](err)
	switch {
	case content.wrong != nil:
		return false, content.wrong
	case err == nil:
		return false, nil
	case isFault && f.Type != imageTooSlow:
		return true, f
	case content.ended: // the download is complete; something else failed
		return true, err
	}
	where := location
	if info.streams {
		where = "device " + location
	}
	if content.broken != nil {
		err = content.broken
	}
	return false, newFault(imageDownload, "Download of image %s failed: Unable to write image to %s. Error: %v", info.id, where, err)
}

// verified reads an image and computes its checksum. If the checksum is wrong, the last Read returns an error instead
// of io.EOF, so that the code that consumes the image fails.
type verified struct {
	from     io.Reader
	sum      hash.Hash
	want     string
	mismatch func(got string) *fault

	ended  bool
	wrong  *fault
	broken error // error of the connection, if any
}

func (v *verified) Read(p []byte) (int, error) {
	if v.wrong != nil {
		return 0, v.wrong
	}
	n, err := v.from.Read(p)
	v.sum.Write(p[:n])
	if !errors.Is(err, io.EOF) {
		v.broken = err
		return n, err
	}
	v.ended = true
	if got := hex.EncodeToString(v.sum.Sum(nil)); got != v.want {
		v.wrong = v.mismatch(got)
		return n, v.wrong
	}
	return n, io.EOF
}

// openAny starts the download from the first URL that works. final reports that another attempt would be useless.
func (a *agent) openAny(ctx context.Context, info imageInfo) (body *imageBody, final bool, err error) {
	begin := time.Now()
	var problems []string
	for _, address := range info.urls {
		a.log.standby.info("Attempting to download image from %s", address)
		if body, err = a.open(ctx, info, address); err == nil {
			return body, false, nil
		}
		refused, ok := errors.AsType[*refusal](err)
		switch {
		case !ok:
			return nil, true, newFault(commandExecution, "%v", err)
		case refused.permanent() && a.options.generation() == currentAgent:
			return nil, true, newFault(imageFatal, "Download of image %s failed: %v", info.id, refused)
		}
		taken := time.Since(begin).Seconds()
		problem := fmt.Sprintf("URL: %s; time: %v seconds. Error: %v", address, taken, refused)
		a.log.standby.warning("%s", problem)
		problems = append(problems, problem)
	}
	return nil, false, newFault(imageDownload, "Download of image %s failed: %s", info.id, strings.Join(problems, "\n "))
}

// refusal is the error for a response whose status is not 200, or 0 if missing credentials prevented the request.
type refusal struct {
	status int
	text   string
}

func (r *refusal) Error() string { return r.text }

func (r *refusal) permanent() bool {
	return r.status != 0 && r.status < http.StatusInternalServerError
}

// open starts the download from address and returns the body of the response. It retries after errors, with two
// exceptions: a successful response without an image, such as status 204, and a redirect without an address. The real
// agent is also meant to give up immediately after some unsuccessful responses, such as 404. However, its code tests
// the truth value of the response, and Python treats an unsuccessful response as false. The real agent therefore
// never gives up early.
func (a *agent) open(ctx context.Context, info imageInfo, address string) (*imageBody, error) {
	authorization, err := a.authorization(info)
	if err != nil {
		return nil, err
	}
	source := imageSource{client: a.imageClient(info, authorization), address: address, authorization: authorization, silence: a.options.Images.Silence}
	for try := 1; ; try++ {
		body, err := a.ask(ctx, source)
		refused, ok := errors.AsType[*refusal](err)
		final := ok && refused.status != 0 && refused.status < http.StatusBadRequest
		if err == nil || final || try >= a.options.Images.Tries {
			return body, err
		}
		a.log.standby.warning("Unable to connect to %s, retrying. Error: %v", address, err)
		if !a.sleep(ctx, a.options.Images.Pause) {
			return nil, ctx.Err()
		}
	}
}

func (a *agent) ask(ctx context.Context, source imageSource) (*imageBody, error) {
	// Like the real agent, this agent cannot fetch oci:// addresses. Ironic replaces such an address with the address
	// of a blob; see get_image_service in ironic/common/image_service.py.
	if u, err := url.Parse(source.address); err == nil && u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("No connection adapters were found for %s", python.Repr(source.address)) //nolint:staticcheck // the message of Python's requests
	}
	body, err := source.request(ctx, 0, "")
	if err != nil {
		return nil, err
	}
	if body.response.StatusCode == http.StatusOK {
		body.agent = a
		body.decode()
		return body, nil
	}
	defer func() { _ = body.Close() }()
	const some = 64 << 10
	text, _ := io.ReadAll(io.LimitReader(body.response.Body, some))
	headers := newDict()
	for _, name := range slices.Sorted(maps.Keys(body.response.Header)) {
		headers.Set(name, body.response.Header.Get(name))
	}
	return nil, &refusal{body.response.StatusCode, fmt.Sprintf("Received status code %d from %s, expected 200. Response body: %s Response headers: %s",
		body.response.StatusCode, source.address, text, python.Repr(headers))}
}
