package bmc

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/stmcginnis/gofish/schemas"

	"ironworks/models"
	"ironworks/printable"
	"ironworks/wire"
)

const isItRedfish = "check the BMC's address and that Redfish is enabled"

// fault converts an error to a classified fault without credentials.
func (s *session) fault(op string, err error) *models.Fault {
	if known, ok := errors.AsType[*models.Fault](err); ok {
		if known.Op == "" {
			known.Op = op
		}
		return known
	}
	f := &models.Fault{Op: op, URL: s.url, Err: err}
	_, f.Sent = errors.AsType[*unconfirmedError](err)
	var answer *schemas.Error
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	var away *redirected
	switch {
	case errors.As(err, &answer):
		s.answerFault(f, answer)
	case errors.As(err, &syntax), errors.As(err, &kind), err == io.EOF: //nolint:errorlint // a decoder's own; a broken connection wraps it
		f.Kind, f.Message, f.Hint = models.FaultNotRedfish, "not a Redfish response", isItRedfish
		f.Err = nil // the error may contain parts of the response
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

// answerFault completes a fault with the data from a controller's error response.
func (s *session) answerFault(f *models.Fault, answer *schemas.Error) {
	f.Err = nil // the response may repeat secrets that were sent
	f.Status = answer.HTTPReturnedStatusCode
	f.Message = s.safe(messageOf(answer))
	signingIn := f.Op == loggingIn
	began := signingIn || f.Op == asking
	full := hasMessage(answer, "SessionLimitExceeded", "RAC0218", "TooManySessions")
	switch {
	case f.Status == http.StatusBadRequest && strings.HasPrefix(s.url, "http://") && strings.Contains(strings.ToUpper(f.Message), "HTTPS"):
		// If a port expects TLS, the server answers a plain HTTP request in plain text.
		f.Kind, f.Message, f.Hint = models.FaultTLS, wire.Host(s.url)+" speaks TLS only on this port", "use https://"
	case full:
		f.Kind, f.Hint = models.FaultUnavailable, "the BMC has no free session; retry in a minute, or close sessions on the BMC"
	case f.Status == http.StatusUnauthorized && s.target.Username == "":
		f.Kind, f.Hint = models.FaultUnauthorized, "the BMC requires a user name and a password"
	case f.Status == http.StatusUnauthorized, f.Status == http.StatusBadRequest && signingIn:
		f.Kind, f.Hint = models.FaultUnauthorized, "check user name and password; some BMCs lock an account after a few failures"
	case f.Status == http.StatusForbidden:
		f.Kind, f.Hint = models.FaultForbidden, "the BMC user lacks the required privilege"
	case f.Status == http.StatusNotFound && began:
		f.Kind, f.Hint = models.FaultNotRedfish, isItRedfish
	case f.Status == http.StatusNotFound:
		f.Kind = models.FaultNotFound
	case f.Status == http.StatusConflict:
		f.Kind = models.FaultConflict
	case f.Status == http.StatusServiceUnavailable:
		f.Kind, f.Hint = models.FaultUnavailable, "the BMC is starting, busy or has no free session; retry in a minute"
		s.guard.mu.Lock()
		f.RetryAfter = s.guard.wait
		s.guard.mu.Unlock()
	case f.Status >= http.StatusInternalServerError:
		f.Kind = models.FaultServer
	default:
		f.Kind = models.FaultBadRequest
	}
}

// hasMessage reports whether an error response contains a message whose ID ends with one of the given words.
func hasMessage(answer *schemas.Error, ids ...string) bool {
	all := []string{answer.Code}
	for _, info := range answer.ExtendedInfos {
		all = append(all, info.MessageID)
	}
	return anyEnds(all, ids)
}

// anyEnds reports whether one of the IDs ends with one of the given words.
func anyEnds(ids, words []string) bool {
	return slices.ContainsFunc(ids, func(id string) bool {
		return slices.ContainsFunc(words, func(word string) bool { return strings.HasSuffix(id, word) })
	})
}

// messageOf returns a controller's message without the JSON around it.
func messageOf(e *schemas.Error) string {
	for _, info := range e.ExtendedInfos {
		if info.Message != "" {
			return info.Message
		}
	}
	return cmp.Or(e.Message, "no error message")
}

// addSecret stores a secret that must not be shown, in all forms in which a controller might repeat it.
func (s *session) addSecret(user, secret string) {
	if len(secret) < 3 {
		return // such a short text may occur anywhere
	}
	quoted, _ := json.Marshal(secret)
	all := []string{
		secret, strings.Trim(string(quoted), `"`), url.QueryEscape(secret), url.PathEscape(secret), printable.Line(secret),
		base64.StdEncoding.EncodeToString([]byte(secret)), base64.StdEncoding.EncodeToString([]byte(user + ":" + secret)),
	}
	for _, text := range all {
		if !slices.Contains(s.secrets, text) {
			s.secrets = append(s.secrets, text)
		}
	}
	// Mask the longest secrets first, because one may be a part of another.
	slices.SortFunc(s.secrets, func(a, b string) int { return len(b) - len(a) })
}

// mask replaces the stored secrets in text with [models.Mask].
func (s *session) mask(text string) string {
	for _, secret := range s.secrets {
		text = strings.ReplaceAll(text, secret, models.Mask)
	}
	return text
}

// safe prepares a text from the controller for an error message. It removes the stored secrets and shortens it.
func (s *session) safe(text string) string {
	return printable.Line(cut(s.mask(strings.TrimSpace(text)), 300))
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
