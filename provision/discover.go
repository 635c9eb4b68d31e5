package provision

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"ironworks/bmc"
	"ironworks/enroll"
	"ironworks/models"
)

// DiscoveryStatus is the result of querying one address.
type DiscoveryStatus string

// Discovery results.
const (
	DiscoveryFound DiscoveryStatus = "found"
	// DiscoveryRefused: the credentials were rejected, or there are none.
	DiscoveryRefused     DiscoveryStatus = "refused"
	DiscoveryUnreachable DiscoveryStatus = "unreachable"
	// DiscoveryFailed: something answered, but not like a BMC with Redfish, or with a certificate that is not trusted.
	DiscoveryFailed DiscoveryStatus = "failed"
)

// Discovered is a system found behind an address, or why there is none.
type Discovered struct {
	Address string
	Status  DiscoveryStatus
	// BMC is the BMC's report; nil unless found.
	BMC *models.BMC
	// Login has the credentials that the BMC accepted.
	Login enroll.Login
	Err   error
}

// Note says how many systems are behind the address of the BMC; "" if there is only one.
func (d *Discovered) Note() string {
	if d.BMC == nil || len(d.BMC.System.Paths) < 2 {
		return ""
	}
	return fmt.Sprintf("%d systems behind this address", len(d.BMC.System.Paths))
}

// discoveries is the number of BMCs that are queried at the same time. Each is another host, and a dead host takes five
// seconds.
const discoveries = 32

// Discover queries the BMCs at the given addresses, 32 at a time, and no others. Progress, which may be nil, is called
// for each finished address, from several goroutines.
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
	login, wanted := errors.AsType[*BMCCredentialsError](one.Err)
	fault, _ := errors.AsType[*models.Fault](one.Err)
	switch {
	case wanted && login != nil:
		one.Status = DiscoveryRefused
	case fault != nil && slices.Contains([]models.FaultKind{
		models.FaultDNS, models.FaultRefused, models.FaultUnreachable, models.FaultTimeout, models.FaultReset,
	}, fault.Kind):
		one.Status = DiscoveryUnreachable
	}
	return []Discovered{one}
}
