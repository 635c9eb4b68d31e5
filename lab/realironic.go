package lab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"ironworks/lab/real"
)

// RealIronic returns a real Ironic for a site. It listens at host and port, and stores its data in the site's folder.
// report receives messages about the start, and early receives an error if this Ironic ends before the site does.
func RealIronic(release real.Release, host string, port int, site *SiteOptions, report func(text string), early func(error)) *OtherIronic {
	options := realOptions(release, host, port, site, report)
	i := &OtherIronic{
		Name: release.Version(), APIVersion: "1." + strconv.Itoa(release.MaxMinor()), Agent: NewestAgent,
		Interfaces: map[string]string{"deploy": "custom-agent", "inspect": "agent", "rescue": "agent"},
	}
	if release == real.Old {
		// The old Ironic inspects over Redfish or with ironic-inspector, which is not installed.
		i.Agent, i.Interfaces["inspect"] = OldAgent, "redfish"
	}
	i.Start = func(ctx context.Context) (string, func() error, error) {
		server, err := startReal(ctx, options)
		if err != nil {
			return "", nil, err
		}
		ending := make(chan struct{})
		var watching sync.WaitGroup
		watching.Go(func() {
			<-server.Ended()
			select {
			case <-ending:
			default:
				early(fmt.Errorf("Ironic %s stopped; end of its log:\n%s", i.Name, real.Tail(server.Log(), 20)))
			}
		})
		return server.URL, func() error {
			close(ending)
			server.Stop()
			watching.Wait()
			if options.Dir != "" {
				return nil
			}
			return os.RemoveAll(server.Dir)
		}, nil
	}
	return i
}

func realOptions(release real.Release, host string, port int, site *SiteOptions, report func(string)) real.Options {
	o := real.Options{Release: release, Host: host, Port: port, Settings: real.LabSettings(release, site.Speed), Progress: report}
	if hasRAID(site.Members) {
		real.HardwareRAID(o.Settings)
	}
	if site.Dir != "" {
		o.Dir = filepath.Join(site.Dir, "real")
	}
	return o
}

func startReal(ctx context.Context, options real.Options) (*real.Server, error) {
	// Create the environment first, because that takes longest.
	if _, err := real.Environment(ctx, options.Release.Name(), options.Progress); err != nil {
		return nil, err
	}
	options.Progress(fmt.Sprintf("starting Ironic %s, which takes a few seconds", options.Release.Version()))
	server, err := real.Start(ctx, options)
	switch {
	case ctx.Err() != nil && err != nil:
		return nil, fmt.Errorf("starting Ironic: %w", ctx.Err())
	case errors.Is(err, real.ErrPortTaken):
		return nil, fmt.Errorf("--listen: %w: %d", real.ErrPortTaken, options.Port)
	case err != nil:
		return nil, err
	}
	options.Progress(fmt.Sprintf("Ironic %s is running; log: %s", options.Release.Version(), server.Log()))
	return server, nil
}
