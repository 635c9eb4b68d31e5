package boot

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ironworks/test/ironic"
)

// agentFile is the builtin agent, built for the machine and served to it.
type agentFile struct {
	path string
	web  *httptest.Server
	sent *atomic.Int64 // in bytes
}

// serveAgent builds ironworks-agent the way `make agent` does, and serves it until the test ends.
func serveAgent(t *testing.T) *agentFile {
	t.Helper()
	a := &agentFile{path: filepath.Join(t.TempDir(), "ironworks-agent"), sent: &atomic.Int64{}}
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", a.path, "ironworks/cmd/ironworks-agent")
	build.Env = append(build.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH=amd64")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the agent: %v\n%s", err, out)
	}
	files := http.FileServer(http.Dir(filepath.Dir(a.path)))
	a.web = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		files.ServeHTTP(&countedResponse{w, a.sent}, r)
	}))
	t.Cleanup(a.web.Close)
	return a
}

type countedResponse struct {
	http.ResponseWriter
	sent *atomic.Int64
}

func (c *countedResponse) Write(p []byte) (int, error) {
	n, err := c.ResponseWriter.Write(p)
	c.sent.Add(int64(n))
	return n, err
}

// flags returns the flags for `ignition build` or, if served is true, for `ignition serve`, which serves the program
// itself. If embed is true, the configuration includes the program.
func (a *agentFile) flags(t *testing.T, served, embed bool) []string {
	t.Helper()
	args := []string{"--agent", "builtin", "--agent-binary", a.path}
	switch {
	case embed:
		args = append(args, "--agent-embed")
	case !served:
		args = append(args, "--agent-url", guestURL(t, a.web.URL)+"/ironworks-agent")
	}
	return args
}

// requests is a proxy in front of Ironic that records the time of the machine's first request.
type requests struct {
	*httptest.Server
	mu    sync.Mutex
	first time.Time
}

// countRequests starts a proxy that forwards requests to the Ironic at address until the test ends.
func countRequests(t *testing.T, address string) *requests {
	t.Helper()
	to, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	r := &requests{}
	proxy := &httputil.ReverseProxy{Rewrite: func(p *httputil.ProxyRequest) { p.SetURL(to) }}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		r.mu.Lock()
		if r.first.IsZero() {
			r.first = time.Now()
		}
		r.mu.Unlock()
		proxy.ServeHTTP(w, req)
	}))
	t.Cleanup(r.Close)
	return r
}

// firstRequest returns the time of the first request, or the zero time if there has been no request.
func (r *requests) firstRequest() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.first
}

// forget clears the recorded time, so that the first request of the next boot is recorded.
func (r *requests) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.first = time.Time{}
}

// closedNetwork configures a network without a route to the outside. Ironic and the image are inside it.
const closedNetwork = `[connection]
id=bench
type=ethernet
interface-name=enp0s2

[ipv4]
method=auto
never-default=true

[ipv6]
method=disabled
`

// mostToFirst limits the time between the network coming up and the builtin agent's first request to Ironic. Without
// KVM, the agent takes 0.9 s.
const mostToFirst = 2 * time.Second

// smallMemory is the memory of a small machine in MiB.
const smallMemory = 2 << 10

// startedAgent follows the ramdisk's boot until the agent's first request to Ironic, and returns the time between the
// network coming up and this request.
func (b *bench) startedAgent(from int) time.Duration {
	b.t.Helper()
	b.expect(from, "power on to the network", `Reached target (.*network-online.target|Network is Online)`)
	network := time.Now()
	b.poll("Ironic has the first request", func() bool { return !b.requests.firstRequest().IsZero() })
	b.t.Log(b.phases.Done("the first request to Ironic"))
	return b.requests.firstRequest().Sub(network)
}

// costs describes the resources that an agent needs.
type costs struct {
	fetched int64         // in bytes
	toFirst time.Duration // from the network coming up to the first request to Ironic
	memory  int           // available memory while the agent runs, in MiB
}

// figures logs and returns the agent's costs during an installation. For the builtin agent, it also checks that
// toFirst is at most mostToFirst.
func (b *bench) figures(toFirst time.Duration) costs {
	b.t.Helper()
	kind, c := "container", costs{toFirst: toFirst}
	if b.agent != nil {
		kind, c.fetched = "builtin", b.agent.sent.Load()
		if toFirst > mostToFirst {
			b.t.Errorf("%v from the network to the first request, more than %v", toFirst, mostToFirst)
		}
	} else {
		c.fetched = b.registry.Sent(b.t)
	}
	memory := b.ssh("grep MemAvailable /proc/meminfo")
	if _, err := fmt.Sscanf(memory, "MemAvailable: %d kB", &c.memory); err != nil {
		b.t.Fatalf("%v in %q", err, memory)
	}
	c.memory /= 1 << 10
	b.t.Logf("%s: %d bytes fetched, %.1f s from the network to the first request, %d MiB available", kind, c.fetched, toFirst.Seconds(), c.memory)
	return c
}

// TestBuiltinAgent checks, with both releases of Ironic, that the builtin agent takes a machine with 2 GiB of memory
// from the ISO to an installed system. There is no registry, and the machine has no route out of its network.
func TestBuiltinAgent(t *testing.T) {
	for _, release := range []ironic.Release{ironic.Newest, ironic.Old} {
		t.Run(release.Name(), func(t *testing.T) {
			b := newBench(t, ramdisk{release: release, builtin: true, measured: true, memory: smallMemory, keyfile: closedNetwork})
			if release == ironic.Newest {
				b.inspect()
			}
			disk := b.machine.Disks()[1]
			b.set("/properties/root_device", map[string]any{"wwn": disk.WWN})
			b.provide()
			b.requests.forget()
			from := b.serial.Length()
			b.deploy(b.image(), "proof=karg")
			toFirst := b.startedAgent(from)
			b.waitInstalling()
			b.wantSSH("ip route; pgrep -x ironworks-agent", "10.0.2.0/24", "!default via")
			b.figures(toFirst)
			b.wantProof(b.followInstallation(func() { b.waitFor("active") }), disk, "proof=karg")
		})
	}
}

// TestAgentsCompared compares the agent in a container with the builtin agent, on equal machines and with the same
// images. docs/reference/agent.md quotes the results.
func TestAgentsCompared(t *testing.T) {
	found := map[bool]costs{}
	for _, builtin := range []bool{false, true} {
		t.Run(map[bool]string{false: "container", true: "builtin"}[builtin], func(t *testing.T) {
			b := newBench(t, ramdisk{builtin: builtin, measured: true})
			b.provide()
			from := b.serial.Length()
			b.deploy(b.image())
			toFirst := b.startedAgent(from)
			b.waitInstalling()
			found[builtin] = b.figures(toFirst)
		})
	}
	container, own := found[false], found[true]
	t.Logf("builtin to container: %.1f %% of the bytes, %.0f times sooner, %d MiB more memory",
		100*float64(own.fetched)/float64(container.fetched), container.toFirst.Seconds()/own.toFirst.Seconds(), own.memory-container.memory)
	if own.fetched >= container.fetched || own.toFirst >= container.toFirst || own.memory <= container.memory {
		t.Error("the builtin agent costs more than the container")
	}
}
