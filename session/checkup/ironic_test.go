package checkup

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ironworks/ironicclient"
	"ironworks/models"
	"ironworks/models/doctor"
	"ironworks/provision/images"
)

// reader is a fake Ironic with one driver and one conductor, and without inventories.
type reader struct{}

func (*reader) Inventory(context.Context, string) (json.RawMessage, error) {
	return nil, &models.Fault{Kind: models.FaultNotFound, Status: 404}
}

func (*reader) Drivers(context.Context) ([]models.Driver, error) {
	return []models.Driver{{Name: "redfish", Enabled: map[string][]string{"deploy": {"custom-agent", "direct"}}}}, nil
}

func (*reader) Conductors(context.Context) ([]models.Conductor, error) {
	return []models.Conductor{{Hostname: "c1", Alive: true}}, nil
}

func (*reader) Version() (models.APIVersion, bool) {
	return models.APIVersion{Minor: models.NewestMinor}, true
}

// examined is a fake Ironic with nodes, to examine.
type examined struct {
	*reader
	nodes []models.Node
	// fault is the error of requests for a page of nodes. If slow is set, these requests block until their context is
	// done.
	fault  *models.Fault
	slow   bool
	date   time.Time
	listed atomic.Int32
}

func (e *examined) NodePage(ctx context.Context, _ ironicclient.NodeQuery) (*ironicclient.NodePage, error) {
	switch {
	case e.slow:
		<-ctx.Done()
		return nil, ctx.Err()
	case e.fault != nil:
		return nil, e.fault
	}
	return &ironicclient.NodePage{Date: e.date, Latency: time.Millisecond}, nil
}

func (e *examined) EachPage(_ context.Context, q ironicclient.NodeQuery, yield func(*ironicclient.NodePage) error) error {
	e.listed.Add(1)
	if !slices.Contains(q.Fields, "driver_info") {
		return fmt.Errorf("asked for %q", q.Fields)
	}
	return yield(&ironicclient.NodePage{Nodes: e.nodes})
}

func (e *examined) Node(_ context.Context, id string, _ ...string) (*models.Node, error) {
	for i := range e.nodes {
		if e.nodes[i].Name == id || e.nodes[i].UUID == id {
			return &e.nodes[i], nil
		}
	}
	return nil, &models.Fault{Kind: models.FaultNotFound, Op: "get node " + id, Status: 404, Message: "Node could not be found."}
}

func (e *examined) Endpoint() string { return "http://ironic:6385/" }

func (e *examined) Identity() (doctor.Identity, bool) {
	return doctor.Identity{User: "op", Roles: []string{"admin"}}, e.fault == nil
}

// bootServer serves an ISO, a page that is not an ISO, and a kernel. asked counts the requests.
func bootServer(t *testing.T, asked *atomic.Int32) *httptest.Server {
	t.Helper()
	iso := strings.Repeat("\x00", 16*2048) + "\x01CD001" + strings.Repeat("\x00", 5000)
	mux := http.NewServeMux()
	file := func(path, content string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			asked.Add(1)
			http.ServeContent(w, r, "", time.Time{}, strings.NewReader(content))
		})
	}
	file("/good.iso", iso)
	file("/bad.iso", strings.Repeat("x", 60_000))
	file("/kernel", "MZ...")
	file("/initrd", "\x1f\x8b...")
	file("/page", "<!doctype html><title>log in</title>")
	mux.HandleFunc("/unranged.iso", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, iso) })
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

func bootable(name, iso string) models.Node {
	n := models.Node{UUID: "uuid-" + name, Name: name, ProvisionState: models.StateAvailable, DriverInfo: map[string]any{}}
	n.Driver, n.DeployInterface, n.Conductor = "redfish", "custom-agent", "c1"
	n.DriverInfo["deploy_iso"] = iso
	return n
}

func gathererOf(api ironicAPI, stage models.ReachStage) *gatherer {
	return &gatherer{
		api: api, web: images.NewWeb(), say: func(string) {},
		reach: func(_ context.Context, target, _ string) models.Reach {
			r := models.Reach{URL: target, Host: "ironic:6385", Stage: stage, Status: 200, Date: time.Now(), Sent: time.Now(), Got: time.Now()}
			r.Body = []byte(`{"default_version": {"id": "v1", "min_version": "1.1", "version": "1.115"}}`)
			if stage != models.ReachAnswered {
				r.Fault = &models.Fault{Kind: models.FaultRefused}
			}
			return r
		},
	}
}

func TestGatherCollectsFacts(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	s := bootServer(t, &asked)
	pair := bootable("pair", "")
	pair.DriverInfo = map[string]any{"deploy_kernel": s.URL + "/kernel", "deploy_ramdisk": s.URL + "/page"}
	image := bootable("image", s.URL+"/good.iso")
	image.DeployInterface, image.InstanceInfo = "direct", map[string]any{"image_source": s.URL + "/nothing"}
	api := &examined{reader: &reader{}, date: time.Now(), nodes: []models.Node{
		bootable("n1", s.URL+"/good.iso"), bootable("n2", s.URL+"/good.iso"), bootable("n3", s.URL+"/bad.iso"),
		bootable("n4", s.URL+"/unranged.iso"), bootable("n5", s.URL+"/gone.iso?sig=hunter2"), bootable("n6", "http://127.0.0.1:1/x.iso"),
		bootable("n7", "file:///x.iso"), bootable("n8", ""), pair, image,
	}}
	f := &doctor.Facts{Now: time.Now()}
	gathererOf(api, models.ReachAnswered).gather(t.Context(), f, []string{"n1", "pair", "image", "nobody"})
	var got []string
	for _, d := range doctor.Diagnose(f) {
		if slices.Contains([]doctor.ID{"deploy-iso", "node-ramdisk", "node-image", "node", "nodes-ramdisk", "latency"}, d.ID) {
			got = append(got, fmt.Sprintf("%s %s %s", d.ID, d.Result, strings.ReplaceAll(d.Title, s.URL, "")))
		}
	}
	want := []string{
		"latency ok a small request takes 1ms",
		"nodes-ramdisk warn no ramdisk set for 1 of 10 nodes: neither a deploy ISO nor a kernel and ramdisk",
		"deploy-iso ok ISO /good.iso downloadable, 36.9 KiB",
		"deploy-iso warn the server answers HTTP 404 for the ISO /gone.iso?******",
		"deploy-iso unknown the ISO file:///x.iso is not an HTTP URL: Ironic fetches it itself",
		"deploy-iso unknown the ISO http://127.0.0.1:1/x.iso is not reachable from this console: dial tcp 127.0.0.1:1: connect: connection refused",
		"deploy-iso warn the ISO /bad.iso is not an ISO image",
		"deploy-iso unknown 1 more not checked: to check a node's ISO, specify the node",
		"node ok n1 is available; conductor and deploy interface available",
		"node ok pair is available; conductor and deploy interface available",
		"node ok image is available; conductor and deploy interface available",
		"node fail nobody: get node nobody: Node could not be found. (HTTP 404)",
		"node-ramdisk ok n1: ISO /good.iso downloadable, 36.9 KiB",
		"node-ramdisk ok pair: kernel /kernel downloadable, 5 B",
		"node-ramdisk fail pair: the ramdisk /page is an HTML page",
		"node-ramdisk ok image: ISO /good.iso downloadable, 36.9 KiB",
		"node-image fail image: the server answers HTTP 404; Ironic requires 200 for HEAD",
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	// Four files are requested: good.iso, bad.iso, the kernel and the page. For each of them, the server receives one
	// HEAD and one GET request.
	if n := asked.Load(); n != 8 {
		t.Errorf("%d requests", n)
	}
	if strings.Contains(fmt.Sprintf("%+v", doctor.Diagnose(f)), "hunter2") {
		t.Error("a secret is told")
	}
}

func TestGatherWithoutIronic(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		api   *examined
		stage models.ReachStage
		auth  models.AuthKind
		want  string
	}{
		"no connection":       {&examined{}, models.ReachConnect, "", "tcp"},
		"no Keystone":         {&examined{}, models.ReachConnect, models.AuthPassword, "keystone, tcp"},
		"a wrong password":    {&examined{fault: &models.Fault{Kind: models.FaultUnauthorized, Status: 401}}, models.ReachAnswered, models.AuthHTTPBasic, "authentication"},
		"Keystone refuses it": {&examined{fault: &models.Fault{Kind: models.FaultUnauthorized, Status: 401}}, models.ReachAnswered, models.AuthPassword, "authentication"},
		"a stranger":          {&examined{fault: &models.Fault{Kind: models.FaultNotIronic}}, models.ReachAnswered, "", "http"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tt.api.reader = &reader{}
			d := gathererOf(tt.api, tt.stage)
			d.connection = models.Connection{Auth: tt.auth, Keystone: models.Keystone{AuthURL: "http://keystone/v3"}}
			f := &doctor.Facts{Now: time.Now()}
			d.gather(t.Context(), f, []string{"n1"})
			var failed []string
			for _, found := range doctor.Diagnose(f) {
				if found.Result == doctor.Fail {
					failed = append(failed, string(found.ID))
				}
			}
			if got := strings.Join(failed, ", "); got != tt.want {
				t.Errorf("failed: %s, want %s", got, tt.want)
			}
			if tt.api.listed.Load() > 0 {
				t.Error("the nodes were listed")
			}
		})
	}
}

// TestGatherEnds checks that a server that never answers does not delay gathering beyond the deadline of ctx, and
// that the skipped checks are reported.
func TestGatherEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	f := &doctor.Facts{Now: time.Now()}
	gathererOf(&examined{reader: &reader{}, slow: true}, models.ReachAnswered).gather(ctx, f, nil)
	i := slices.IndexFunc(doctor.Diagnose(f), func(d doctor.Diagnosis) bool { return strings.Contains(d.Title, "timed out") })
	if i < 0 {
		t.Errorf("%+v", doctor.Diagnose(f))
	}
}
