package bmc

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/stmcginnis/gofish/schemas"

	"ironworks/models"
	"ironworks/wire"
)

const isItRedfish = "is this the BMC's address, and is Redfish switched on there?"

// fault names what went wrong; nothing of the credentials is in it.
func (s *session) fault(op string, err error) *models.Fault {
	var known *models.Fault
	if errors.As(err, &known) {
		if known.Op == "" {
			known.Op = op
		}
		return known
	}
	f := &models.Fault{Op: op, URL: s.url, Err: err}
	var lost *unsure
	f.Sent = errors.As(err, &lost)
	var answer *schemas.Error
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	var away *redirected
	switch {
	case errors.As(err, &answer):
		s.answered(f, answer)
	case errors.As(err, &syntax), errors.As(err, &kind), err == io.EOF: //nolint:errorlint // a decoder's own; a broken connection wraps it
		f.Kind, f.Message, f.Hint = models.FaultNotRedfish, "the answer is not Redfish", isItRedfish
		f.Err = nil // it may quote the answer
	case errors.As(err, &away):
		f.Kind, f.Message = models.FaultNotRedfish, s.safe(away.Error())
		f.Hint = isItRedfish
		if away.to.Scheme == "https" && strings.HasPrefix(s.url, "http://") {
			f.Kind, f.Hint = models.FaultTLS, "use https://"
		}
	case errors.Is(err, errForeign), errors.Is(err, errTooMuch), errors.Is(err, errTooMany):
		f.Kind, f.Message = models.FaultBadAnswer, innermost(err).Error()
	default:
		wire.Describe(f, err, s.url, "the BMC")
		f.Message = s.safe(f.Message)
	}
	return f
}

func innermost(err error) error {
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return err
		}
		err = next
	}
}

// answered is a controller's own no.
func (s *session) answered(f *models.Fault, answer *schemas.Error) {
	f.Err = nil // what a controller writes may repeat what it was sent
	f.Status = answer.HTTPReturnedStatusCode
	f.Message = s.safe(messageOf(answer))
	signingIn := f.Op == loggingIn
	began := signingIn || f.Op == asking
	full := has(answer, "SessionLimitExceeded", "RAC0218", "TooManySessions")
	switch {
	case f.Status == http.StatusBadRequest && strings.HasPrefix(s.url, "http://") && strings.Contains(strings.ToUpper(f.Message), "HTTPS"):
		// What servers answer in plain text on a port that speaks TLS.
		f.Kind, f.Message, f.Hint = models.FaultTLS, wire.Host(s.url)+" speaks TLS only on this port", "use https://"
	case full:
		f.Kind, f.Hint = models.FaultUnavailable, "the BMC has no session left: try again in a minute, or end some there"
	case f.Status == http.StatusUnauthorized && s.target.Username == "":
		f.Kind, f.Hint = models.FaultUnauthorized, "it wants a user and a password"
	case f.Status == http.StatusUnauthorized, f.Status == http.StatusBadRequest && signingIn:
		f.Kind, f.Hint = models.FaultUnauthorized, "check the user and the password; some BMCs lock an account after a few wrong ones"
	case f.Status == http.StatusForbidden:
		f.Kind, f.Hint = models.FaultForbidden, "the user may log in, but not do this"
	case f.Status == http.StatusNotFound && began:
		f.Kind, f.Hint = models.FaultNotRedfish, isItRedfish
	case f.Status == http.StatusNotFound:
		f.Kind = models.FaultNotFound
	case f.Status == http.StatusConflict:
		f.Kind = models.FaultConflict
	case f.Status == http.StatusServiceUnavailable:
		f.Kind, f.Hint = models.FaultUnavailable, "the BMC is starting or busy, or has no session left: try again in a minute"
		s.guard.mu.Lock()
		f.RetryAfter = s.guard.wait
		s.guard.mu.Unlock()
	case f.Status >= http.StatusInternalServerError:
		f.Kind = models.FaultServer
	default:
		f.Kind = models.FaultBadRequest
	}
}

// has says whether an answer carries one of some messages, by the last words of their IDs.
func has(answer *schemas.Error, ids ...string) bool {
	all := []string{answer.Code}
	for _, info := range answer.ExtendedInfos {
		all = append(all, info.MessageID)
	}
	return slices.ContainsFunc(all, func(id string) bool {
		return slices.ContainsFunc(ids, func(want string) bool { return strings.HasSuffix(id, want) })
	})
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

// keepSecret remembers what may not be shown, in all forms in which a controller might
// repeat it.
func (s *session) keepSecret(user, secret string) {
	if len(secret) < 3 {
		return // it is in every other word
	}
	quoted, _ := json.Marshal(secret)
	all := []string{
		secret, strings.Trim(string(quoted), `"`), url.QueryEscape(secret), url.PathEscape(secret), models.Printable(secret),
		base64.StdEncoding.EncodeToString([]byte(secret)), base64.StdEncoding.EncodeToString([]byte(user + ":" + secret)),
	}
	for _, text := range all {
		if !slices.Contains(s.secrets, text) {
			s.secrets = append(s.secrets, text)
		}
	}
	// The longest first: one may be a part of another.
	slices.SortFunc(s.secrets, func(a, b string) int { return len(b) - len(a) })
}

// mask takes the credentials out of a text.
func (s *session) mask(text string) string {
	for _, secret := range s.secrets {
		text = strings.ReplaceAll(text, secret, models.Mask)
	}
	return text
}

// safe is a text of the controller as an error may show it: without the credentials,
// should it repeat them, and no longer than anybody reads.
func (s *session) safe(text string) string {
	return models.Printable(cut(s.mask(strings.TrimSpace(text)), 300))
}

func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}
