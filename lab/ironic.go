package lab

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"ironworks/lab/api"
	"ironworks/lab/conductor"
	"ironworks/lab/db"
)

// IronicOptions holds the options of an embedded Ironic.
type IronicOptions struct {
	// Listen is the address of the API; empty means 127.0.0.1:0.
	Listen string
	// Dir is the folder of the database. If it is empty, the database is in memory only.
	Dir string
	// Speed divides the pauses, timeouts and periods of the conductor; zero means 1.
	Speed float64
	// NoCleaning disables automated cleaning: [conductor] automated_clean = false.
	NoCleaning bool
	// AsShipped enables the interfaces and hardware types that 39.0.0 enables by default, except those that the lab
	// does not have ([conductor.ShippedInterfaces]). Otherwise, those of the lab's real Ironic servers are enabled.
	AsShipped bool
	// SerialConsoles enables the ipmitool-socat console interface, for the serial lines of virtual machines.
	SerialConsoles bool
	// GraphicalConsoles, if not empty, enables the fake-graphical and redfish-graphical console interfaces. It is the
	// URL of the page that shows these consoles ([vnc]public_url).
	GraphicalConsoles string
	// RAID enables the redfish RAID interface, which is then the default of redfish nodes.
	RAID bool
	// Firmware enables the redfish BIOS and firmware interfaces.
	Firmware bool
	// Discovery, if not empty, is the driver of discovered nodes and enables auto-discovery. The enabled inspect
	// interfaces are then agent and no-inspect. A discovered node uses the default one, which must accept the agent's
	// data. [inspector]power_off is then false, because Ironic does not know the BMC yet.
	Discovery string
	// NoPowerSync disables the power sync, which would clear the nodes' last errors: [conductor]
	// sync_power_state_interval = 0.
	NoPowerSync bool
}

// Ironic is a running embedded Ironic. It consists of an API, served over HTTP, and a conductor.
type Ironic struct {
	// URL is the URL of the API, without /v1.
	URL string

	conductor *conductor.Conductor
	api       http.Handler
	tables    *db.Store
	stored    bool
	client    *http.Client
	end       context.CancelFunc
	running   sync.WaitGroup
	closing   sync.Once
	err       error
}

const (
	// powerSyncPeriod is the value of the [conductor] sync_power_state_interval option. The power sync clears last
	// errors, which users want to read, so the period is not divided by the speed.
	powerSyncPeriod = 60 * time.Second

	callbackTimeout = 1800 * time.Second // [conductor] deploy_callback_timeout and similar options
	checkPeriod     = 60 * time.Second
	recoveryPeriod  = 300 * time.Second
)

// StartIronic starts an embedded Ironic. The caller must call Close.
func StartIronic(ctx context.Context, options IronicOptions) (_ *Ironic, err error) {
	options.Listen, options.Speed = cmp.Or(options.Listen, "127.0.0.1:0"), cmp.Or(options.Speed, 1)
	i := &Ironic{client: newClient(), stored: options.Dir != ""}
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	i.end = end
	defer func() {
		if err != nil {
			err = fmt.Errorf("starting the embedded Ironic: %w", errors.Join(err, i.Close()))
		}
	}()
	if i.stored {
		if i.tables, err = db.Open(life, options.Dir, time.Now); err != nil {
			return nil, err
		}
	} else {
		i.tables = db.New(time.Now)
	}
	images, err := listen(ctx, "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	if i.conductor, err = conductor.New(i.conductorOptions(options, images.Addr())); err != nil {
		return nil, errors.Join(err, images.Close())
	}
	serveHTTP(life, &i.running, images, i.conductor.Images())
	door, err := listen(ctx, options.Listen)
	if err != nil {
		return nil, err
	}
	i.URL = "http://" + door.Addr().String()
	i.api = api.New(i.tables, i.conductor)
	serveHTTP(life, &i.running, door, i.api)
	i.running.Go(func() { _ = i.conductor.Run(life) })
	return i, nil
}

func (i *Ironic) conductorOptions(options IronicOptions, images net.Addr) conductor.Options {
	p := pace(options.Speed)
	timeout := p.of(callbackTimeout)
	powerSync := powerSyncPeriod
	if options.NoPowerSync {
		powerSync = -1
	}
	enabled, types := conductor.EnabledInterfaces(), []string(nil)
	if options.AsShipped {
		enabled, types = conductor.ShippedInterfaces(), conductor.ShippedHardwareTypes()
	}
	if options.SerialConsoles {
		enabled["console"] = append(enabled["console"], "ipmitool-socat")
	}
	if options.GraphicalConsoles != "" {
		enabled["console"] = append(enabled["console"], "fake-graphical", "redfish-graphical")
	}
	if options.Discovery != "" {
		enabled["inspect"] = []string{"agent", "no-inspect"}
	}
	var redfish []string
	if options.RAID {
		redfish = append(redfish, "raid")
	}
	if options.Firmware {
		redfish = append(redfish, "bios", "firmware")
	}
	for _, kind := range redfish {
		if !slices.Contains(enabled[kind], "redfish") {
			enabled[kind] = append(enabled[kind], "redfish")
		}
	}
	return conductor.Options{
		VNCURL:  options.GraphicalConsoles,
		Enabled: enabled, HardwareTypes: types, DiscoveryDriver: options.Discovery, InspectedStayOn: options.Discovery != "",
		Tables: i.tables, HTTPURL: "http://" + images.String(), Client: i.client, RequireTLS: true, AutomatedClean: !options.NoCleaning, Speed: options.Speed,
		Timeouts: conductor.Timeouts{
			Deploy: timeout, Clean: timeout, Inspect: timeout, Rescue: timeout, Service: timeout,
		},
		Periods: conductor.Periods{
			Provision: p.of(checkPeriod), Rescue: p.of(checkPeriod), PowerSync: powerSync, PowerRecovery: p.of(recoveryPeriod),
			RAID: p.of(checkPeriod), Firmware: p.of(checkPeriod),
		},
	}
}

func listen(ctx context.Context, address string) (net.Listener, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listening: %w", err)
	}
	return listener, nil
}

// serveHTTP answers requests in the background until ctx is done.
func serveHTTP(ctx context.Context, running *sync.WaitGroup, listener net.Listener, handler http.Handler) {
	server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
	running.Go(func() { _ = server.Serve(listener) })
	running.Go(func() {
		<-ctx.Done()
		_ = server.Close()
	})
}

// Close stops the embedded Ironic, and waits until all operations have ended and the database is written to disk.
func (i *Ironic) Close() error {
	i.closing.Do(func() {
		i.end()
		if i.conductor != nil {
			i.conductor.Close()
		}
		i.running.Wait()
		i.client.CloseIdleConnections()
		if i.tables != nil && i.stored {
			i.err = i.tables.Close()
		}
	})
	return i.err
}
