package sshserver

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
)

func TestRefusalsAreCounted(t *testing.T) {
	t.Parallel()
	var lines []string
	r := newRefusals(func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) })
	at := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	for i := range 100 {
		r.add(at.Add(time.Duration(i)*time.Millisecond), "192.0.2.1", "refused connections", "refused %d", i)
	}
	r.add(at, "192.0.2.2", "refused connections", "refused another")
	r.report(at.Add(refusalsEvery-time.Millisecond), false)
	if want := []string{"refused 0", "refused 1", "refused 2", "refused another"}; !slices.Equal(lines, want) {
		t.Errorf("within the interval: %q, want %q", lines, want)
	}
	lines = nil
	r.report(at.Add(refusalsEvery), false)
	r.report(at.Add(refusalsEvery), true)
	if want := []string{"refused connections: 97 more from 192.0.2.1 within 1m0s"}; !slices.Equal(lines, want) {
		t.Errorf("after the interval: %q, want %q", lines, want)
	}
	lines = nil
	for i := range 50_000 {
		r.add(at.Add(time.Hour), fmt.Sprint("address ", i), "refused connections", "refused %d", i)
	}
	if len(lines) > refusalsKinds+refusalsShown || len(r.counted) > refusalsKinds+1 {
		t.Errorf("many addresses: %d lines, %d counted", len(lines), len(r.counted))
	}
	lines = nil
	r.report(at.Add(time.Hour), true)
	if want := []string{fmt.Sprintf("refused connections: %d more from other addresses within 1m0s", 50_000-refusalsKinds-refusalsShown)}; !slices.Equal(lines, want) {
		t.Errorf("at the end: %q, want %q", lines, want)
	}
}

// TestFloodOfConnectionsDoesNotFillTheLog checks that the log stays short when clients use unknown keys and open more
// connections than are allowed.
func TestFloodOfConnectionsDoesNotFillTheLog(t *testing.T) {
	t.Parallel()
	r := serve(t, Limits{Rate: 10})
	for range 10 {
		if _, err := r.try("anna", ssh.PublicKeys(newSigner(t))); err == nil {
			t.Fatal("an unknown key was accepted")
		}
	}
	for range 200 {
		r.closes(r.dial())
	}
	r.stop()
	<-r.ended
	log := r.log.String()
	for _, want := range []string{"refused connections: 197 more from 127.0.0.1", "refused keys: 7 more", "no login: 7 more"} {
		if !strings.Contains(log, want) {
			t.Errorf("the log does not say %q:\n%s", want, log)
		}
	}
	if n := strings.Count(log, "\n"); n > 15 {
		t.Errorf("%d lines in the log:\n%s", n, log)
	}
}
