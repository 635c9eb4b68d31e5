package provision

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"ironworks/bmc"
	"ironworks/enroll"
	"ironworks/models"
)

// DiscoveryStatus is the result of querying the BMC at one address.
type DiscoveryStatus string

// The results of querying a BMC.
const (
	DiscoveryFound DiscoveryStatus = "found"
	// DiscoveryRefused means that the credentials were rejected or are unknown.
	DiscoveryRefused     DiscoveryStatus = "refused"
	DiscoveryUnreachable DiscoveryStatus = "unreachable"
	// DiscoveryFailed means that the server is not a BMC with Redfish, or that its certificate is not trusted.
	DiscoveryFailed DiscoveryStatus = "failed"
)

// Discovered is a system found at an address, or the reason why none was found.
type Discovered struct {
	Address string
	Status  DiscoveryStatus
	// BMC is the BMC's report. It is nil if no system was found.
	BMC *models.BMC
	// Login holds the credentials that the BMC accepted.
	Login enroll.Login
	Err   error
}

// Note returns a note with the number of systems at the BMC's address. It is empty if there is at most one.
func (d *Discovered) Note() string {
	if d.BMC == nil || len(d.BMC.System.Paths) < 2 {
		return ""
	}
	return fmt.Sprintf("%d systems behind this address", len(d.BMC.System.Paths))
}

// discoveries is the number of BMCs that are queried at the same time. It is high because each BMC is a different
// host, and because querying a host that does not answer takes five seconds.
const discoveries = 32

// Discover queries the BMCs at the given addresses, 32 at a time. It contacts no other hosts. progress is called for
// each finished address, from several goroutines; it may be nil.
func (b *BMCs) Discover(ctx context.Context, addresses []string, progress func(address string)) []Discovered {
	found := make([][]Discovered, len(addresses))
	inSlots(ctx, len(addresses), discoveries, func(going context.Context, i int, _ func()) {
		if found[i] = b.discover(going, addresses[i]); progress != nil {
			progress(addresses[i])
		}
	})
	var all []Discovered
	for _, list := range found {
		all = append(all, list...)
	}
	return all
}

func (b *BMCs) discover(ctx context.Context, address string) []Discovered {
	target := bmc.Target{Address: address}
	if u, err := url.Parse(address); err == nil && strings.Contains(u.Path, "/Systems/") {
		target.System = u.Path
		u.Path = ""
		target.Address = u.String()
	}
	one := Discovered{Address: address}
	if one.Err = b.complete(ctx, "", &target); one.Err == nil {
		var systems []models.BMC
		systems, one.Err = bmc.Identify(ctx, target)
		one.Err = asCredentialsError(one.Err, "", &target)
		if one.Err == nil {
			list := make([]Discovered, len(systems))
			for i := range systems {
				list[i] = Discovered{
					Address: target.Address, Status: DiscoveryFound, BMC: &systems[i],
					Login: enroll.Login{Username: target.Username, Password: target.Password, Insecure: target.TLS.Insecure},
				}
			}
			return list
		}
	}
	one.Status = DiscoveryFailed
	if _, refused := errors.AsType[*BMCCredentialsError](one.Err); refused {
		one.Status = DiscoveryRefused
	} else if noAnswer(one.Err) {
		one.Status = DiscoveryUnreachable
	}
	return []Discovered{one}
}
