package agentlog

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"ironworks/models"
	"ironworks/test/memnet"
)

// TestServeWithoutPush checks the responses to requests that are no pushes. They are not counted as refused senders.
func TestServeWithoutPush(t *testing.T) {
	t.Parallel()
	images := openedImages(t)
	token := "Bearer " + madeIdentity(t, images, IdentityOrder{Push: true}).Token.Reveal()
	for name, tt := range map[string]struct {
		method, path, token string
		closing             bool
		code, refusals      int
		body, allow         string
	}{
		"another path":   {method: http.MethodPost, path: "/", token: token, code: 404, body: "404 page not found"},
		"another method": {method: http.MethodGet, path: pushPath, token: token, code: 405, body: "POST only", allow: "POST"},
		"closing":        {method: http.MethodPost, path: pushPath, token: token, closing: true, code: 503, body: "the console is shutting down"},
		"no token":       {method: http.MethodPost, path: pushPath, code: 401, refusals: 1, body: "unknown image token"},
		"another scheme": {method: http.MethodPost, path: pushPath, token: strings.Replace(token, "Bearer", "Basic", 1), code: 401, refusals: 1, body: "unknown image token"},
		"no headers":     {method: http.MethodPost, path: pushPath, token: token, code: 400, refusals: 1, body: "the headers do not identify the sender: no boot id"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := &Receiver{images: images, open: !tt.closing}
			request := httptest.NewRequestWithContext(t.Context(), tt.method, tt.path, strings.NewReader("secret"))
			if tt.token != "" {
				request.Header.Set("Authorization", tt.token)
			}
			response := httptest.NewRecorder()
			r.serve(response, request)
			if body := strings.TrimSpace(response.Body.String()); response.Code != tt.code || body != tt.body || response.Header().Get("Allow") != tt.allow {
				t.Errorf("%d %q, allowed %q; want %d %q, %q", response.Code, body, response.Header().Get("Allow"), tt.code, tt.body, tt.allow)
			}
			if count, _ := r.Refusals(); count != tt.refusals {
				t.Errorf("%d refusals, want %d", count, tt.refusals)
			}
		})
	}
}

// TestSenderOf checks which headers identify a sender.
func TestSenderOf(t *testing.T) {
	t.Parallel()
	const boot, system = "0123456789abcdef0123456789abcdef", "aaaaaaaa-0000-4000-8000-000000000001"
	var many []string
	for i := range 65 {
		many = append(many, net.HardwareAddr{2, 0, 0, 0, 0, byte(i)}.String())
	}
	for name, tt := range map[string]struct {
		macs, system, boot string
		want               string // the MAC addresses, system UUID and boot ID; or the error
	}{
		"MAC addresses":        {macs: "52:54:00:00:00:02, 52-54-00-00-00-01,52:54:00:00:00:02", boot: boot, want: "52:54:00:00:00:01,52:54:00:00:00:02  " + boot},
		"other addresses":      {macs: "80:00:02:08:fe:80:00:00,x,,52:54:00:00:00:0A", boot: boot, want: "52:54:00:00:00:0a  " + boot},
		"a system UUID":        {system: strings.ToUpper(system), boot: boot, want: " " + system + " " + boot},
		"no system UUID":       {macs: "52:54:00:00:00:01", system: "Not Specified", boot: boot, want: "52:54:00:00:00:01  " + boot},
		"a boot ID with lines": {system: system, boot: "01234567-89AB-CDEF-0123-456789abcdef", want: " " + system + " " + boot},
		"nothing":              {boot: boot, want: errIntroduction.Error() + ": no MAC address and no system UUID"},
		"as many as allowed":   {macs: strings.Join(many[:64], ","), boot: boot, want: strings.Join(many[:64], ",") + "  " + boot},
		"too many":             {macs: strings.Join(many, ","), boot: boot, want: errIntroduction.Error() + ": too many MAC addresses"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, pushPath, http.NoBody)
			for header, value := range map[string]string{headerMACs: tt.macs, headerSystem: tt.system, headerBoot: tt.boot, headerAfter: noCursor} {
				request.Header.Set(header, value)
			}
			s, _, err := senderOf(request)
			got := strings.Join([]string{strings.Join(s.MACs, ","), s.System, s.Boot}, " ")
			if err != nil {
				got = err.Error()
			}
			if got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

// TestOwnerAmong checks which node a sender belongs to.
func TestOwnerAmong(t *testing.T) {
	t.Parallel()
	machines := []Machine{
		{Node: models.NodeRef{UUID: "1", Name: "n1"}, MACs: []string{"52:54:00:00:00:0A"}},
		{Node: models.NodeRef{UUID: "2", Name: "n2"}, MACs: []string{"52:54:00:00:00:02"}},
		{Node: models.NodeRef{UUID: "3", Name: "n3"}},
	}
	for name, tt := range map[string]struct {
		macs []string
		want string
	}{
		"by MAC address": {[]string{"52:54:00:00:00:0a"}, "n1"},
		"by one of two":  {[]string{"52:54:00:00:00:09", "52:54:00:00:00:02"}, "n2"},
		"of two nodes":   {[]string{"52:54:00:00:00:02", "52:54:00:00:00:0a"}, ErrNotOurs.Error() + ": it matches both n1 and n2"},
		"of no node":     {[]string{"52:54:00:00:00:09"}, ErrNotOurs.Error() + ": no node has a port with its MAC address"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			owner, err := OwnerAmong(machines, Sender{MACs: tt.macs})
			got := owner.Node.Name
			if err != nil {
				got += err.Error()
			}
			if got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// TestIdentifyNobody checks that a sender is refused if the lookup finds no node.
func TestIdentifyNobody(t *testing.T) {
	t.Parallel()
	r := &Receiver{options: PushOptions{Owner: func(context.Context, Sender) (Owner, error) { return Owner{}, nil }}}
	if _, err := r.identify(t.Context(), Sender{}, image{}); statusOf(err) != http.StatusForbidden {
		t.Errorf("error %v", err)
	}
}

// TestConnectionLimits checks that excess connections are closed at once, per address and in total, and that closed
// connections make room.
func TestConnectionLimits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := memnet.Listen()
		l := &boundedListener{Listener: network, maxTotal: 3, maxPerHost: 2}
		var accepted []net.Conn
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			for {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				accepted = append(accepted, conn)
			}
		}()
		dial := func(ip string, want int) {
			t.Helper()
			conn, err := network.From(ip)(t.Context(), "tcp", "")
			if err != nil {
				t.Fatal(err)
			}
			if synctest.Wait(); len(accepted) != want {
				t.Errorf("%d connections after one from %s, want %d", len(accepted), ip, want)
				return
			}
			go func() { _, _ = conn.Read(make([]byte, 1)) }() // ends when the other end is closed
		}
		dial("192.0.2.1", 1)
		dial("192.0.2.1", 2)
		dial("192.0.2.1", 2)
		dial("192.0.2.2", 3)
		dial("192.0.2.3", 3)
		_ = accepted[0].Close()
		_ = accepted[0].Close() // makes room only once
		dial("192.0.2.1", 4)
		dial("192.0.2.3", 4)
		for _, conn := range accepted {
			_ = conn.Close()
		}
		if l.total != 0 || len(l.perHost) != 0 {
			t.Errorf("%d connections remain: %v", l.total, l.perHost)
		}
		_ = network.Close()
		<-ended
	})
}

// TestPruneAfter checks that the files of all nodes are pruned after a part of their limit was written.
func TestPruneAfter(t *testing.T) {
	t.Parallel()
	r := &Receiver{options: PushOptions{Dir: t.TempDir(), Limits: PushLimits{AllDisk: 320}}}
	path := spoolPath(r.options.Dir, "n")
	putText(t, path, strings.Repeat("x", 321))
	for i, left := range []bool{true, true, false} {
		r.pruneAfter(5)
		if _, err := os.Stat(path); (err == nil) != left {
			t.Errorf("after %d bytes: %v", 5*(i+1), err)
		}
	}
	putText(t, path, strings.Repeat("x", 321))
	if r.pruneAfter(10); r.written != 10 {
		t.Errorf("%d bytes counted since the last pruning, want 10", r.written)
	}
}

// TestReceiverEndsEarly checks that the error names the address if the listener fails.
func TestReceiverEndsEarly(t *testing.T) {
	t.Parallel()
	r, err := NewReceiver(PushOptions{Dir: t.TempDir(), Owner: func(context.Context, Sender) (Owner, error) { return Owner{}, nil }})
	if err != nil {
		t.Fatal(err)
	}
	network := memnet.Listen()
	_ = network.Close()
	if err := r.Serve(t.Context(), network); err == nil || !strings.HasPrefix(err.Error(), "receiving journals at "+memnet.Address+": ") {
		t.Errorf("error %v", err)
	}
	if address := r.Address(); address != "" {
		t.Errorf("still listens at %s", address)
	}
}

// TestStreamOfAnUnreadableSpool checks that the status says why stored lines are missing, until storing works again.
func TestStreamOfAnUnreadableSpool(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := &Receiver{options: PushOptions{Dir: dir, Limits: PushLimits{}.withDefaults()}, streams: map[string]*stream{}}
	node := models.NodeRef{UUID: testUUID}
	path := spoolPath(dir, node.UUID)
	if err := os.MkdirAll(path, 0o700); err != nil {
		t.Fatal(err)
	}
	s := r.stream(node)
	if status := s.status(testNow(), 0, ""); !strings.HasPrefix(status.Reason, "reading "+path+": ") || !strings.HasPrefix(status.Remedy, "free some disk space") {
		t.Errorf("status %+v", status)
	}
	s.add(r.options.Limits, pushedLine(1))
	if s.store([]models.LogLine{pushedLine(2)}, journalPosition{cursor: "2"}); s.storeError == "" {
		t.Error("stored into a folder")
	}
	s.position = journalPosition{cursor: "1"}
	if grown := s.refresh(r.options.Limits, true, testNow()); grown != 0 || len(s.lines) != 1 || s.position.cursor != "1" {
		t.Errorf("refreshed: %d bytes, %d lines, position %+v", grown, len(s.lines), s.position)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if s.store([]models.LogLine{pushedLine(2)}, journalPosition{cursor: "2"}); s.storeError != "" {
		t.Errorf("not stored: %s", s.storeError)
	}
	if texts, at := spooled(t, &s.spool); !slices.Equal(texts, []string{"line 1", "line 2"}) || at.cursor != "2" {
		t.Errorf("stored %q up to %q", texts, at.cursor)
	}
	if err := os.MkdirAll(filepath.Join(path+spoolOld, "x"), 0o700); err != nil { // cannot be replaced by a file
		t.Fatal(err)
	}
	s.spool.most = 1
	if s.store([]models.LogLine{pushedLine(3)}, journalPosition{cursor: "3"}); !strings.HasPrefix(s.storeError, "store log lines: rename ") {
		t.Errorf("the old file is not replaced: %q", s.storeError)
	}
}
