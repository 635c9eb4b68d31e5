package explain

import (
	"strings"
	"testing"
	"time"

	"ironworks/models"
)

// bootLine returns a line that was written and pushed at the given time.
func bootLine(at time.Time, unit, text string) *models.LogLine {
	return &models.LogLine{Time: at, Received: at, Source: models.LogPush, Boot: "b1", Unit: unit, Text: text, Known: string(FindRamdiskError(text))}
}

// Lines from real boots in QEMU, with podman 4.3 and ironic-python-agent 13.0.0.
const (
	tagUnknown   = "Error: initializing source docker://10.0.2.2:45201/ironic-agent:nosuchtag: reading manifest nosuchtag in 10.0.2.2:45201/ironic-agent: manifest unknown: manifest unknown"
	portClosed   = `Unhandled error: requests.exceptions.ConnectionError: HTTPConnectionPool(host='10.0.2.2', port=9): Max retries exceeded with url: /v1/continue_inspection (Caused by NewConnectionError("HTTPConnection(host='10.0.2.2', port=9): Failed to establish a new connection: [Errno 111] Connection refused"))`
	restarts     = "ironic-agent.service: Scheduled restart job, restart counter is at 4."
	pulling      = "Trying to pull 10.0.2.2:45201/ironic-agent:nosuchtag..."
	starting     = "Starting ironic-python-agent version: 13.0.0"
	fetchRefused = `INFO     : files: createFilesystemsFiles: createFiles: op(4): GET error: Get "http://10.0.2.2:9/nothing": dial tcp 10.0.2.2:9: connect: connection refused`
	posting      = "Posting collected data to http://10.0.2.2:9/v1/continue_inspection"
)

func TestBootLog(t *testing.T) {
	t.Parallel()
	type line struct {
		after      int // seconds after the start of the boot
		unit, text string
	}
	boot := []line{
		{0, "kernel", "Linux version 6.1.0-41-amd64 (debian-kernel@lists.debian.org)"},
		{6, "ignition", "Ignition finished successfully"},
		{9, "systemd", "Starting NetworkManager.service - Network Manager..."},
		{10, "NetworkManager", "<info>  [1795450531.4028] NetworkManager (version 1.42.4) is starting..."},
		{12, "NetworkManager", "<info>  [1795450534.6085] manager: NetworkManager state is now CONNECTED_GLOBAL"},
	}
	for name, tt := range map[string]struct {
		lines    []line
		stage    models.RamdiskStage
		reached  int // seconds after the first line
		obstacle RuleID
		count    int
	}{
		"the kernel":       {boot[:1], models.RamdiskKernel, 0, "", 0},
		"Ignition":         {boot[:2], models.RamdiskIgnition, 6, "", 0},
		"the network":      {boot, models.RamdiskNetwork, 10, "", 0},
		"pulls":            {append(boot[:5:5], line{20, "ironic-agent", pulling}), models.RamdiskImage, 20, "", 0},
		"an unknown tag":   {append(boot[:5:5], line{20, "ironic-agent", pulling}, line{21, "ironic-agent", tagUnknown}, line{26, "systemd", restarts}, line{27, "ironic-agent", pulling}, line{28, "ironic-agent", tagUnknown}), models.RamdiskImage, 20, "pull-unknown-image", 2},
		"a tag that came":  {append(boot[:5:5], line{21, "ironic-agent", tagUnknown}, line{26, "systemd", restarts}, line{90, "ironic_python_agent.agent", starting}), models.RamdiskAgent, 90, "agent-restarts", 1},
		"Ironic elsewhere": {append(boot[:5:5], line{60, "ironic_python_agent.agent", starting}, line{70, "ironic_python_agent.inspector", posting}, line{75, "ironic_python_agent.inspector", posting}, line{98, "ironic-python-agent", portClosed}, line{104, "systemd", restarts}), models.RamdiskLookup, 70, "ironic-refused", 1},
		"nothing to fetch": {append(boot[:1:1], line{6, "ignition", fetchRefused}, line{11, "ignition", fetchRefused}), models.RamdiskIgnition, 6, "ignition-fetch", 2},
		"fetched at last":  {append(boot[:1:1], line{6, "ignition", fetchRefused}, line{11, "ignition", "INFO     : files: op(4): GET result: OK"}), models.RamdiskIgnition, 6, "", 0},
		"by serial alone":  {append(boot[:2:2], line{9, "systemd", "Switching root."}), models.RamdiskNetwork, 9, "", 0},
		"no DHCP":          {append(boot[:4:4], line{57, "NetworkManager", "<warn>  [1795450579.1] dhcp4 (enp0s2): request timed out"}), models.RamdiskNetwork, 10, "no-dhcp", 1},
		"DHCP came late":   {append(boot[:4:4], line{57, "NetworkManager", "<warn>  [1795450579.1] dhcp4 (enp0s2): request timed out"}, line{60, "NetworkManager", "<info> manager: NetworkManager state is now CONNECTED_SITE"}), models.RamdiskNetwork, 10, "", 0},
		"unknown MACs": {append(boot[:5:5], line{60, "ironic_python_agent.agent", starting},
			line{70, "ironic_python_agent.ironic_api_client", "Failed looking up node with addresses '52:54:00:00:00:07' at http://10.0.2.2:6385. Check if inspection has completed? Error 404: Node was not found"}), models.RamdiskLookup, 70, "lookup-unknown", 1},
		"known at last": {append(boot[:5:5], line{60, "ironic_python_agent.agent", starting},
			line{70, "ironic_python_agent.ironic_api_client", "Failed looking up node with addresses '52:54:00:00:00:07' at http://10.0.2.2:6385. Check if inspection has completed? Error 404: Node was not found"},
			line{80, "ironic_python_agent.agent", "Lookup succeeded, node UUID is 1be26c0b-03f2-4d2e-ae87-c02d7f33c123"}, line{81, "ironic_python_agent.agent", "heartbeat successful"}), models.RamdiskHeartbeat, 81, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			begin := time.Unix(1_795_450_520, 0)
			var b BootLog
			for range 2 { // in the second pass, all lines are duplicates
				for _, l := range tt.lines {
					b.AddLine(bootLine(begin.Add(time.Duration(l.after)*time.Second), l.unit, l.text))
				}
			}
			e, _ := b.obstacle()
			if b.Stage != tt.stage || int(b.reachedAt().Sub(begin).Seconds()) != tt.reached || RuleID(e.ID) != tt.obstacle || e.Count != tt.count || !b.Begin().Equal(begin) {
				t.Errorf("%s at %v, %d× %q; want %s at %d, %d× %q", b.Stage.Noun(), b.reachedAt().Sub(begin), e.Count, e.ID, tt.stage.Noun(), tt.reached, tt.count, tt.obstacle)
			}
		})
	}
}

// TestBootLogClocks checks that stages get the right times even if the log is read late and the machine's clock is
// wrong.
func TestBootLogClocks(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_795_450_520, 0)
	for name, ahead := range map[string]time.Duration{"right": 0, "an hour behind": -time.Hour, "in 1970": -1_795_450_000 * time.Second, "a day ahead": 24 * time.Hour} {
		var b BootLog
		at := func(ago time.Duration) time.Time { return now.Add(ago + ahead) }
		for _, l := range []*models.LogLine{bootLine(at(-5*time.Minute), "kernel", "Linux version 6"), bootLine(at(-4*time.Minute), "ironic-agent", pulling), bootLine(at(-time.Second), "kernel", "still there")} {
			l.Received = now // all lines arrive at the same time
			b.AddLine(l)
		}
		if got := now.Sub(b.reachedAt()).Round(time.Minute); got != 4*time.Minute {
			t.Errorf("%s: the pull began %v ago", name, got)
		}
	}
}

// TestBootLogBegins checks that a new boot is detected, and that late lines of the previous
// boot are ignored.
func TestBootLogBegins(t *testing.T) {
	t.Parallel()
	at := time.Unix(1_795_450_520, 0)
	var b BootLog
	add := func(boot, unit, text string) {
		at = at.Add(time.Second)
		l := bootLine(at, unit, text)
		l.Boot = boot
		b.AddLine(l)
	}
	add("b1", "ironic_python_agent.agent", "heartbeat successful")
	add("b2", "kernel", "Linux version 6")
	add("b1", "ironic_python_agent.agent", "stopping heartbeater")
	if b.ID != "b2" || b.Stage != models.RamdiskKernel {
		t.Errorf("boot %s, %s", b.ID, b.Stage.Noun())
	}
	add("", "", "[    0.000000] Linux version 6") // the same boot, seen on the serial console
	add("b2", "ironic-agent", pulling)
	add("", "", "[    0.000000] Linux version 6") // the next boot, seen on the serial console
	if b.ID != "" || b.Stage != models.RamdiskKernel {
		t.Errorf("boot %s, %s", b.ID, b.Stage.Noun())
	}
	add("b3", "kernel", "Linux version 6") // the same boot, now with its ID from the journal
	if begin := b.Begin(); b.ID != "b3" || at.Sub(begin) != time.Second {
		t.Errorf("boot %s of %v", b.ID, begin)
	}
	b.AddLine(&models.LogLine{Source: models.LogServe, Text: "the BMC fetched it", Received: at.Add(time.Minute)})
	if b.Served != "the BMC fetched it" || b.Source != models.LogPush {
		t.Errorf("served %q, source %s", b.Served, b.Source)
	}
	b.AddLine(&models.LogLine{Source: models.LogStatus, Text: "the agent answers", Received: at.Add(time.Hour)})
	if b.Source != models.LogPush || !b.Last().Equal(at) {
		t.Errorf("%s at %v", b.Source, b.Last())
	}
}

// TestRamdiskErrors checks that each boot error is recognized in lines as the real programs write them.
func TestRamdiskErrors(t *testing.T) {
	t.Parallel()
	const pull, lookup = "Error: initializing source docker://reg.example:5000/a:1: ", "Error detected while attempting to perform lookup with https://ironic.example:6385, retrying. Error: HTTPSConnectionPool(host='ironic.example', port=6385): Max retries exceeded with url: /v1/lookup?addresses=52 (Caused by "
	const builtin = `Error detected while attempting to perform lookup with https://ironic.example:6385, retrying. Error: Get "https://ironic.example:6385/v1/lookup?addresses=52%3A54%3A00%3A00%3A00%3A01": `
	lines := map[RuleID][]string{
		"no-boot-medium":      {"BdsDxe: No bootable option or device was found."},
		"boot-medium-damaged": {"error: attempt to read or write outside of disk `cd0'.", "error: you need to load the kernel first.", "error: failure reading sector 0x1c0 from `cd0'.", "Failed to boot both default and fallback entries."},
		"kernel-panic":        {"Kernel panic - not syncing: VFS: Unable to mount root fs on unknown-block(0,0)"},
		"ignition-fetch":      {fetchRefused, "files: createFilesystemsFiles: createFiles: op(4): GET result: Service Unavailable"},
		"ignition-failed":     {"Ignition failed: failed to create users/groups: failed to configure users", "Failed to start ignition-files.service - Ignition (files)."},
		"no-dhcp":             {"<warn>  [1795450579.1] dhcp4 (enp0s2): request timed out"},
		"pull-unknown-image":  {tagUnknown},
		"pull-unauthorized": {
			pull + "reading manifest 1 in reg.example:5000/a: unauthorized: authentication required",
			pull + "Requesting bearer token: invalid status code from registry 403 (Forbidden)",
			pull + "reading manifest 1 in reg.example/a: denied: requested access to the resource is denied",
			pull + "unable to retrieve auth token: invalid username/password: unauthorized: access denied",
		},
		"pull-clock":         {pull + `pinging container registry reg.example:5000: Get "https://reg.example:5000/v2/": tls: failed to verify certificate: x509: certificate has expired or is not yet valid: current time 2019-01-01T00:00:11Z is before 2026-11-01T00:00:00Z`},
		"pull-unknown-ca":    {pull + `pinging container registry reg.example:5000: Get "https://reg.example:5000/v2/": x509: certificate signed by unknown authority`, pull + `pinging container registry 10.0.0.1:5000: Get "https://10.0.0.1:5000/v2/": tls: failed to verify certificate: x509: cannot validate certificate for 10.0.0.1 because it doesn't contain any IP SANs`},
		"pull-no-tls":        {pull + `pinging container registry reg.example:5000: Get "https://reg.example:5000/v2/": http: server gave HTTP response to HTTPS client`},
		"pull-name":          {pull + `pinging container registry reg.example:5000: Get "https://reg.example:5000/v2/": dial tcp: lookup reg.example on 10.0.2.3:53: no such host`},
		"pull-refused":       {pull + `pinging container registry 10.0.2.2:5001: Get "https://10.0.2.2:5001/v2/": dial tcp 10.0.2.2:5001: connect: connection refused`},
		"pull-unreachable":   {pull + `pinging container registry 10.9.9.9: Get "https://10.9.9.9/v2/": dial tcp 10.9.9.9:443: i/o timeout`, pull + `pinging container registry 10.9.9.9: Get "https://10.9.9.9/v2/": dial tcp 10.9.9.9:443: connect: no route to host`},
		"pull-no-space":      {"Error: copying system image from manifest list: writing blob: storing blob to file \"/var/tmp/storage1/1\": write /var/tmp/storage1/1: no space left on device"},
		"pull-failed":        {pull + "reading manifest 1 in reg.example:5000/a: received unexpected HTTP status: 500 Internal Server Error"},
		"ironic-clock":       {builtin + `tls: failed to verify certificate: x509: certificate has expired or is not yet valid: current time 2019-01-01T00:00:11Z is before 2026-11-01T00:00:00Z`, lookup + "SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: certificate is not yet valid (_ssl.c:992)')))"},
		"ironic-unknown-ca":  {builtin + `tls: failed to verify certificate: x509: certificate signed by unknown authority`, lookup + "SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: unable to get local issuer certificate (_ssl.c:992)')))"},
		"ironic-name":        {builtin + `dial tcp: lookup ironic.invalid on 10.0.2.3:53: no such host`, lookup + `NameResolutionError("<urllib3.connection.HTTPSConnection object at 0x7f>: Failed to resolve 'ironic.example' ([Errno -2] Name or service not known)"))`, lookup + "NewConnectionError('<urllib3.connection.HTTPSConnection object at 0x7f>: Failed to establish a new connection: [Errno -3] Temporary failure in name resolution'))"},
		"ironic-refused":     {portClosed, builtin + `dial tcp 10.0.2.2:9: connect: connection refused`},
		"ironic-unreachable": {builtin + `dial tcp 10.9.9.9:6385: i/o timeout`, builtin + `dial tcp 10.9.9.9:6385: connect: no route to host`, lookup + "ConnectTimeoutError(<urllib3.connection.HTTPSConnection object at 0x7f>, 'Connection to ironic.example timed out. (connect timeout=30)'))", lookup + "NewConnectionError('<urllib3.connection.HTTPSConnection object at 0x7f>: Failed to establish a new connection: [Errno 113] No route to host'))"},
		"lookup-unknown":     {"Failed looking up node with addresses '52:54:00:00:00:07' at http://10.0.2.2:6385. Check if inspection has completed? Error 404: Node was not found"},
		"token-taken":        {"The agent token has already been retrieved. IPA may not operate as intended and the deployment may fail depending on settings in the ironic deployment."},
		"agent-restarts":     {restarts},
	}
	for _, e := range bootErrors {
		if len(lines[e.id]) == 0 {
			t.Errorf("%s has no line", e.id)
		}
		for _, text := range lines[e.id] {
			if got := FindRamdiskError(text); got != e.id {
				t.Errorf("%q: want %q in %q", got, e.id, text)
			}
			if got := FindRamdiskError(strings.ToUpper(text)); got == e.id {
				t.Errorf("%s matches what nobody writes", e.id)
			}
		}
	}
}
