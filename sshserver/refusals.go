package sshserver

import (
	"net"
	"sync"
	"time"
)

// These limits on the refusal log keep clients without a key from filling a disk.
const (
	// refusalsEvery is the interval between reports about refusals that were only counted.
	refusalsEvery = time.Minute
	// refusalsShown is the number of refusals of each kind and address that are written in full within that interval.
	refusalsShown = 3
	// refusalsKinds is the maximum number of pairs of address and kind that are counted separately.
	refusalsKinds = 1000
)

// refusal is a client's address and the kind of request that was refused.
type refusal struct{ address, what string }

// refusals logs the first refusals from each address, and only counts further refusals until the interval ends.
type refusals struct {
	log func(format string, args ...any)

	mu      sync.Mutex
	began   time.Time
	counted map[refusal]int
}

func newRefusals(log func(format string, args ...any)) *refusals {
	return &refusals{log: log, counted: map[refusal]int{}}
}

// add logs a refusal. After several of the same kind from the address, it only counts the refusal.
func (r *refusals) add(now time.Time, address, what, format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.end(now, false)
	if len(r.counted) == 0 {
		r.began = now
	}
	key := refusal{address, what}
	if _, known := r.counted[key]; !known && len(r.counted) >= refusalsKinds {
		key.address = "other addresses"
	}
	if r.counted[key]++; r.counted[key] <= refusalsShown {
		r.log(format, args...)
	}
}

// report logs how many refusals were only counted, if the interval has ended or atOnce is set.
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
