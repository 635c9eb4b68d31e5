package sshserver

import (
	"net"
	"sync"
	"time"
)

// Bounds of the log of refusals: what clients without a key cause must not fill a disk.
const (
	// refusalsEvery is the interval of reports about refusals that were only counted.
	refusalsEvery = time.Minute
	// refusalsShown is the number of refusals of an address that are written in full in that time, for each kind.
	refusalsShown = 3
	// refusalsKinds bounds the addresses and kinds that are counted apart.
	refusalsKinds = 1000
)

// otherAddresses stands for all addresses beyond refusalsKinds.
const otherAddresses = "other addresses"

// refusal is an address with the kind of its refused request.
type refusal struct{ address, what string }

// refusals writes the first refusals of an address, and counts the others until the interval ends.
type refusals struct {
	log func(format string, args ...any)

	mu      sync.Mutex
	began   time.Time
	counted map[refusal]int
}

func newRefusals(log func(format string, args ...any)) *refusals {
	return &refusals{log: log, counted: map[refusal]int{}}
}

// add writes a line about a refusal, or counts it.
func (r *refusals) add(now time.Time, address, what, format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.end(now, false)
	if len(r.counted) == 0 {
		r.began = now
	}
	key := refusal{address, what}
	if _, known := r.counted[key]; !known && len(r.counted) >= refusalsKinds {
		key.address = otherAddresses
	}
	if r.counted[key]++; r.counted[key] <= refusalsShown {
		r.log(format, args...)
	}
}

// report writes how many refusals were only counted, if the interval is over or at the end of the server.
func (r *refusals) report(now time.Time, atOnce bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.end(now, atOnce)
}

func (r *refusals) end(now time.Time, atOnce bool) {
	if len(r.counted) == 0 || !atOnce && now.Sub(r.began) < refusalsEvery {
		return
	}
	for key, n := range r.counted {
		if more := n - refusalsShown; more > 0 {
			r.log("%s: %d more from %s within %s", key.what, more, key.address, refusalsEvery)
		}
	}
	clear(r.counted)
}

// hostOf returns the host of an address, without its port.
func hostOf(address net.Addr) string {
	host, _, err := net.SplitHostPort(address.String())
	if err != nil {
		return address.String()
	}
	return host
}
