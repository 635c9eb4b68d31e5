package bmc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/stmcginnis/gofish"
	"github.com/stmcginnis/gofish/schemas"

	"ironworks/models"
	"ironworks/wire"
)

const (
	// silence is how long a controller may say nothing: slow ones need many seconds for
	// one answer.
	silence = 30 * time.Second
	// largest bounds an answer.
	largest = 16 << 20
	// goodbye bounds the end of a session: one that is left open blocks others, for
	// controllers have few.
	goodbye = 5 * time.Second
)

const loggingIn = "log in to the BMC"

// session is a connection to a controller, for one use.
type session struct {
	client *gofish.APIClient
	http   *http.Client
	target *Target
	url    string
}

// open logs in. close has to be called.
func open(ctx context.Context, t *Target) (*session, error) {
	url, err := t.endpoint()
	if err != nil {
		return nil, &models.Fault{Kind: models.FaultConfig, Op: "ask the BMC", Message: err.Error(), Err: err}
	}
	client, err := wire.NewClient(wire.Options{
		TLS: t.TLS, Fingerprint: t.Fingerprint, Timeout: silence, Largest: largest, Connections: 1,
	})
	if err != nil {
		return nil, err
	}
	s := &session{http: client, target: t, url: url}
	s.client, err = gofish.ConnectContext(ctx, gofish.ClientConfig{
		Endpoint: url, Username: t.Username, Password: t.Password.Reveal(), BasicAuth: t.Basic,
		HTTPClient: client, NoModifyTransport: true, ReuseConnections: true, MaxConcurrentRequests: 1,
	})
	if err != nil {
		client.CloseIdleConnections()
		return nil, s.fault(loggingIn, err)
	}
	return s, nil
}

// close logs out, also where the caller does not want to wait any more.
func (s *session) close(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), goodbye)
	defer cancel()
	s.client.WithContext(ctx).Logout()
	s.http.CloseIdleConnections()
}

// fault names what went wrong; nothing of the credentials is in it.
func (s *session) fault(op string, err error) *models.Fault {
	f := &models.Fault{Op: op, URL: s.url, Err: err}
	var answer *schemas.Error
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	var several *schemas.CollectionError
	if errors.As(err, &several) {
		for _, one := range several.Failures {
			return s.fault(op, one)
		}
	}
	if !errors.As(err, &answer) {
		if errors.As(err, &syntax) || errors.As(err, &kind) || errors.Is(err, io.EOF) {
			f.Kind, f.Message = models.FaultNotRedfish, "the answer is not Redfish"
			f.Hint = "is this the BMC's address, and is Redfish switched on there?"
			return f
		}
		wire.Describe(f, err, s.url, "the BMC")
		return f
	}
	f.Err = nil // what a controller writes may repeat what it was sent
	f.Status = answer.HTTPReturnedStatusCode
	f.Message = s.safe(messageOf(answer))
	switch {
	case f.Status == http.StatusUnauthorized && s.target.Username == "":
		f.Kind, f.Hint = models.FaultUnauthorized, "it wants a user and a password"
	case f.Status == http.StatusUnauthorized, f.Status == http.StatusBadRequest && op == loggingIn:
		f.Kind, f.Hint = models.FaultUnauthorized, "check the user and the password; some BMCs lock an account after a few wrong ones"
	case f.Status == http.StatusForbidden:
		f.Kind, f.Hint = models.FaultForbidden, "the user may log in, but not do this"
	case f.Status == http.StatusNotFound && op == loggingIn:
		f.Kind, f.Hint = models.FaultNotRedfish, "is this the BMC's address, and is Redfish switched on there?"
	case f.Status == http.StatusNotFound:
		f.Kind = models.FaultNotFound
	case f.Status == http.StatusServiceUnavailable:
		f.Kind, f.Hint = models.FaultUnavailable, "the BMC is starting or busy, or has no session left: try again in a minute"
	case f.Status >= http.StatusInternalServerError:
		f.Kind = models.FaultServer
	default:
		f.Kind = models.FaultBadRequest
	}
	return f
}

// safe is a text of the controller as it may be shown: without the password, should it
// repeat that, and no longer than anybody reads.
func (s *session) safe(text string) string {
	const most = 300
	if p := s.target.Password.Reveal(); len(p) > 2 {
		text = strings.ReplaceAll(text, p, models.Mask)
	}
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "…"
	}
	return models.Printable(text)
}

// messageOf is what a controller says itself, without the JSON around it.
func messageOf(e *schemas.Error) string {
	for _, info := range e.ExtendedInfos {
		if info.Message != "" {
			return info.Message
		}
	}
	if e.Message != "" {
		return e.Message
	}
	return fmt.Sprintf("it answered %d", e.HTTPReturnedStatusCode)
}
