package wire

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"ironworks/models"
	"ironworks/printable"
)

// TestDescribe checks the descriptions of all kinds of connection errors.
func TestDescribe(t *testing.T) {
	t.Parallel()
	certificate := func(err error) error { return &tls.CertificateVerificationError{Err: err} }
	for _, test := range []struct {
		name   string
		err    error
		target string
		kind   models.FaultKind
		says   string
		hint   string
	}{
		{"canceled", context.Canceled, "http://h:1", models.FaultCanceled, "interrupted", ""},
		{"too large", errTooLarge, "http://h:1", models.FaultBadAnswer, errTooLarge.Error(), ""},
		{"no such host", &net.DNSError{Name: "nowhere"}, "http://nowhere", models.FaultDNS, `"nowhere" does not resolve`, "resolver"},
		{"refused", syscall.ECONNREFUSED, "http://h:1", models.FaultRefused, "connection refused by h:1", "the API is running"},
		{"refused by the proxy", &net.OpError{Op: proxyConnect, Err: proxyStatusError("407 odd\x1b[2J")}, "https://h:1", models.FaultBadAnswer, "in front of h:1 refused the connection: 407", "NO_PROXY"},
		{"no route", syscall.ENETUNREACH, "http://h:1", models.FaultUnreachable, "no route", "VPN"},
		{"stalled", errStalled, "http://h:1", models.FaultTimeout, "no answer from h:1 in time", "firewall"},
		{"deadline", context.DeadlineExceeded, "", models.FaultTimeout, "no answer from the server in time", "the API hangs"},
		{"cut short", io.ErrUnexpectedEOF, "http://h:1", models.FaultBadAnswer, "incomplete", "in the middle"},
		{"reset over HTTP", syscall.ECONNRESET, "http://h:1", models.FaultReset, "closed the connection", "use https://"},
		{"closed over HTTPS", io.EOF, "https://h:1", models.FaultReset, "closed the connection", ""},
		{"TLS on the port", errors.New(`malformed HTTP response "\x15\x03\x01"`), "http://h:1", models.FaultTLS, "speaks TLS only", "use https://"},
		{"another protocol", errors.New("malformed HTTP status code"), "http://h:1", models.FaultNotIronic, "does not speak HTTP", "https://"},
		{"no TLS on the port", errors.New("http: server gave HTTP response to HTTPS client"), "https://h:1", models.FaultTLS, "h:1 does not speak TLS", "use http://"},
		{"a handshake refused", errors.New("remote error: tls: certificate required"), "https://h:1", models.FaultTLS, "certificate required", "client certificate"},
		{"another name", certificate(x509.HostnameError{Certificate: &x509.Certificate{}, Host: "h"}), "https://h:1", models.FaultTLS, `not valid for "h"`, "name from the certificate"},
		{"expired", certificate(x509.CertificateInvalidError{Reason: x509.Expired}), "https://h:1", models.FaultTLS, "expired", "clocks"},
		{"unknown issuer", certificate(x509.UnknownAuthorityError{}), "https://h:1", models.FaultTLS, "issuer is not trusted", "cacert"},
		{"anything else", &url.Error{Op: "Get", URL: "http://h:1/secret", Err: errors.New("odd\x1b[2J")}, "http://h:1", models.FaultBadAnswer, "odd", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var f models.Fault
			Describe(&f, fmt.Errorf("wrapped: %w", test.err), test.target, "the API")
			if f.Kind != test.kind || !strings.Contains(f.Message, test.says) || !strings.Contains(f.Hint, test.hint) || (f.Hint == "") != (test.hint == "") && test.kind != models.FaultReset {
				t.Errorf("%s %q, hint %q", f.Kind, f.Message, f.Hint)
			}
			if printable.Line(f.Message) != f.Message {
				t.Errorf("not safe to show: %q", f.Message)
			}
		})
	}
}

// part is a part of a response that a server sends after a pause.
type part struct {
	after time.Duration
	text  string
}

// sending returns a transport to a server that answers with the given parts and then closes the connection.
func sending(parts ...part) *http.Transport {
	return &http.Transport{DisableKeepAlives: true, DialContext: func(context.Context, string, string) (net.Conn, error) {
		here, there := net.Pipe()
		go func() {
			defer func() { _ = there.Close() }()
			if _, err := http.ReadRequest(bufio.NewReader(there)); err != nil {
				return
			}
			for _, p := range parts {
				<-time.After(p.after)
				_, _ = io.WriteString(there, p.text)
			}
		}()
		return here, nil
	}}
}

// TestWithLimit checks that a request can get more time than the default, but never less.
func TestWithLimit(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		limit time.Duration
		late  bool
	}{{0, true}, {time.Second, true}, {time.Minute, false}} {
		synctest.Test(t, func(t *testing.T) {
			ctx := t.Context()
			if test.limit > 0 {
				ctx = WithLimit(ctx, test.limit)
			}
			request := httptest.NewRequestWithContext(ctx, http.MethodGet, "http://h/", nil)
			response, err := (&watchdog{next: sending(part{20 * time.Second, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone"}), limit: 10 * time.Second, largest: 100}).RoundTrip(request)
			if errors.Is(err, errStalled) != test.late {
				t.Errorf("limit %v: error %v", test.limit, err)
			}
			if response != nil {
				_ = response.Body.Close()
			}
			<-time.After(time.Minute) // the server has ended by then
		})
	}
}

// TestBodies checks that a body may take any time as long as bytes arrive, and that its size is limited.
func TestBodies(t *testing.T) {
	t.Parallel()
	const head = "HTTP/1.1 200 OK\r\nContent-Length: "
	for name, tt := range map[string]struct {
		parts []part
		err   error
		kind  models.FaultKind
	}{
		"longer than the limit": {parts: []part{{0, head + "3\r\n\r\n"}, {9 * time.Second, "a"}, {9 * time.Second, "b"}, {9 * time.Second, "c"}}},
		"silent in the middle":  {[]part{{0, head + "2\r\n\r\na"}, {11 * time.Second, "b"}}, errStalled, models.FaultTimeout},
		"cut off":               {[]part{{0, head + "2\r\n\r\na"}}, io.ErrUnexpectedEOF, models.FaultBadAnswer},
		"as large as allowed":   {parts: []part{{0, head + "100\r\n\r\n" + strings.Repeat("x", 100)}}},
		"too large":             {[]part{{0, head + "101\r\n\r\n" + strings.Repeat("x", 101)}}, errTooLarge, models.FaultBadAnswer},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				client := &http.Client{Transport: &watchdog{next: sending(tt.parts...), limit: 10 * time.Second, largest: 100}}
				request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://h/", http.NoBody)
				if err != nil {
					t.Fatal(err)
				}
				response, err := client.Do(request)
				if err != nil {
					t.Fatal(err)
				}
				_, err = io.ReadAll(response.Body)
				if !errors.Is(err, tt.err) {
					t.Errorf("error %v, want %v", err, tt.err)
				}
				if tt.kind == models.FaultTimeout && !strings.HasSuffix(err.Error(), "timed out (10s)") {
					t.Errorf("no time limit in %v", err)
				}
				if err != nil {
					var f models.Fault
					if Describe(&f, err, "http://h/", "the API"); f.Kind != tt.kind {
						t.Errorf("described as %s: %q", f.Kind, f.Message)
					}
				}
				_ = response.Body.Close()
				<-time.After(time.Minute) // the server has ended by then
			})
		})
	}
}

// TestTLSFiles checks that files without a certificate are rejected with an error that names them.
func TestTLSFiles(t *testing.T) {
	t.Parallel()
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, files := range []models.TLS{{CACert: empty}, {CACert: empty + ".none"}, {Cert: empty}, {Cert: empty, Key: empty + ".none"}} {
		var fault *models.Fault
		if _, err := tlsConfig(files, ""); !errors.As(err, &fault) || fault.Kind != models.FaultConfig || !strings.Contains(fault.Message, empty) {
			t.Errorf("%+v: error %v", files, err)
		}
	}
}
