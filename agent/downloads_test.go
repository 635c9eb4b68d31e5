package agent

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ironworks/models/hints"
	"ironworks/test/imagehost"
)

// noCredentials explains why the results of agents from 2023 differ. These agents do not support credentials. Ironic
// did not send any at that time, but the configuration of a ramdisk may contain some.
const noCredentials = "9.4.2 sends no credentials"

// ownResult lists the cases whose result differs from the real agent's. It maps the name of each case to the reason.
var ownResult = map[string]string{
	"informs first":          "Python takes the first answer of 103 for the last",
	"packs with half a gzip": "Python ends at a content that is cut off as if it were complete; its checksum is wrong, too",

	"9.4.2 basic":                       noCredentials,
	"9.4.2 basic, a colon":              noCredentials,
	"9.4.2 basic without a password":    noCredentials,
	"9.4.2 basic without anything":      noCredentials,
	"9.4.2 prepared before basic":       noCredentials,
	"9.4.2 redirects with credentials":  noCredentials,
	"9.4.2 redirects to another server": noCredentials,
}

// TestDownloadsLikeTheRealAgent checks that downloads from good, broken and hostile servers have the same results as
// with the real agents. The tests in test/agent record the results of the real agents and verify the recordings.
func TestDownloadsLikeTheRealAgent(t *testing.T) {
	content, err := os.ReadFile(filepath.Join("testdata", "downloads.json"))
	if err != nil {
		t.Fatal(err)
	}
	var recorded map[string]map[string]imagehost.Result
	if err := json.Unmarshal(content, &recorded); err != nil {
		t.Fatal(err)
	}
	for release, version := range map[string]string{"newest": "13.0.0", "old": "9.4.2"} {
		known := recorded[release]
		for _, c := range imagehost.Cases() {
			for _, streams := range []bool{true, false} {
				key := c.Key(streams)
				want, found := known[key]
				if delete(known, key); !found {
					t.Errorf("%s, %s is not recorded", version, key)
				}
				t.Run(version+" "+key, func(t *testing.T) {
					t.Parallel()
					compareDownload(t, c, streams, version, want)
				})
			}
		}
		for key := range known {
			t.Errorf("%s, %s is recorded, but no case", version, key)
		}
	}
}

func compareDownload(t *testing.T, c imagehost.Case, streams bool, version string, want imagehost.Result) {
	t.Helper()
	server := imagehost.Start(c)
	defer server.Close()
	got := download(t, c, server, streams, version)
	if c.OwnWords {
		got.Details, want.Details = "", ""
	}
	same := got.Error == want.Error && got.Details == want.Details && got.Bytes == want.Bytes && slices.Equal(got.Requests, want.Requests)
	if why := ownResult[c.Name] + ownResult[version+" "+c.Name]; same != (why == "") {
		t.Errorf("got  %+v\nwant %+v\n%s", got, want, why)
	}
}

// download runs the write_image step with the given server and returns the result in the same form as the recorded
// results.
func download(t *testing.T, c imagehost.Case, server *imagehost.Server, streams bool, version string) imagehost.Result {
	t.Helper()
	raw, err := json.Marshal(server.Info)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := hints.ParsePythonJSON(string(raw))
	if err != nil {
		t.Fatal(err)
	}
	image := parsed.(*dict)
	image.Set("stream_raw_images", streams)
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	tries, silence := c.Limits()
	m := newMetal()
	a := bench(m, Options{
		Version: version, Client: &http.Client{Transport: transport}, Speed: 1e6,
		Images: ImageOptions{Tries: tries, Silence: time.Duration(silence * float64(time.Second))},
	})
	place := "/tmp/i1"
	if streams {
		place = "/dev/sda"
	}
	a.cacheNode(nodeOf(t, `{"root_device": {"name": "/dev/sda"}}`, "{}")) // without these hints, the agent would request them from Ironic
	_, err = a.writeImage(t.Context(), nil, newDict("image_info", image, "configdrive", nil))
	result := imagehost.Result{Requests: server.Requests()}
	var f *fault
	switch {
	case err == nil:
		result.Bytes = len(m.written["/dev/sda"])
	case errors.As(err, &f):
		result.Error, result.Details = f.Type.name, imagehost.Normal(f.Details, place)
	default:
		result.Error, result.Details = "exception", strings.TrimSpace(err.Error())
	}
	return result
}
