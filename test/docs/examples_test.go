package docs_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ironworks/test/coreosinstaller"
	"ironworks/test/program"
)

// notRun lists the examples that the lab cannot run. The keys are the first words of the examples, and the values are
// the reasons.
var notRun = map[string]string{
	"ironworks --lab":                "a full-screen console",
	"ironworks --url":                "a full-screen console",
	"ironworks lab up":               "the lab itself; --real and --vms need more than Go",
	"ironworks lab machines":         "runs until it is interrupted",
	"ironworks lab snapshot":         "needs virtual machines",
	"ironworks lab restore":          "needs virtual machines",
	"ironworks replay":               "a full-screen console",
	"ironworks logs":                 "follows ramdisks over SSH, and listens",
	"ironworks ssh":                  "logs in to ramdisks over SSH",
	"ironworks serve":                "serves until it is interrupted, with keys of the team",
	"ironworks watch":                "runs until it is interrupted",
	"ironworks ignition serve":       "runs until it is interrupted",
	"ironworks bmc login":            "asks for a password at a terminal",
	"ironworks rescue r7-n01 --wait": "asks for a password at a terminal",
	"ironworks bmc logout":           "needs a keyring",
	"ironworks enroll --bmc":         "addresses of a real rack",
	"ironworks enroll -f nodes.csv --deploy-iso agent.iso": "serves the ISO until it is interrupted",
	"IRONWORKS_BMC_PASSWORD=":                              "the address of a real BMC",
	"ironworks portgroup delete bond0 --yes":               "deletes what the next examples change",
	"ironworks journal info --journal":                     "a journal of another host",
	"ironworks ignition build --agent builtin":             "needs ironworks-agent beside ironworks",
	"ironworks ignition build --host":                      "the certificate of a real Ironic",
}

// key is a public SSH key whose private key is not known.
const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB1Vw5vMkPO6tNq2yzKdvWoyGqhKFJFM5Yeh7ZPnMMuL ops\n"

// ordered matches examples that depend on earlier ones and therefore run in the order in which the page lists them.
var ordered = regexp.MustCompile(`^ironworks (ignition|port|portgroup|vif|delete) `)

var exampleBlock = regexp.MustCompile("(?ms)^Examples:\n\n```\n(.*?)^```$")

var examplePattern = regexp.MustCompile(`(?m)^(?:\S+ .*\| )?(?:\S+=\S+ )?ironworks .*$`)

// TestExamplesOfTheHelp runs the examples of every command against a lab. No example may be a usage error, or name a
// node, field or file that does not exist. Commands may still be refused because of a node's state.
func TestExamplesOfTheHelp(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, "docs", "reference", "commands.md"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	files := map[string]string{
		"fedora-coreos.iso": string(coreosinstaller.X86().Image), "live.iso": string(coreosinstaller.X86().Image),
		"host.bu":                      "variant: fcos\nversion: 1.5.0\n",
		"worker.bu":                    "variant: fcos\nversion: 1.5.0\n",
		"config.ign":                   `{"ignition": {"version": "3.4.0"}}`,
		"rack7.yaml":                   "nodes: [r7-n05]\nkind: install_coreos\nroot_device: {hints: {size: \">= 400\"}}\nconfigdrive: {user_data: '{\"ignition\": {\"version\": \"3.4.0\"}}'}\n",
		"password.txt":                 "secret\n",
		"config/ironworks/config.yaml": "plugins: {ping: {command: [echo, '{node}'], background: true}}\n",
		"nodes.csv":                    "name,bmc,user,password,mac\nx-n01,10.0.0.11,admin,SECRET,52:54:00:0a:00:11\n",
		"nodes.yaml":                   "nodes: [{name: x-n02, driver: redfish, driver_info: {redfish_address: 'http://127.0.0.1:1', redfish_username: a, redfish_password: b}}]\n",
		"inventory.json":               `{"inventory": {"disks": [{"name": "/dev/sda", "size": 480103981056, "rotational": false, "serial": "S1"}]}}`,
		"cases.jsonl":                  `{"hints": {"size": ">= 400"}, "disks": []}` + "\n",
		"fedora-coreos-live-initramfs.x86_64.img": "an initramfs of a release\n",
		".ssh/ops.pub": key, ".ssh/id_ed25519.pub": key,
	}
	if err := errors.Join(os.Mkdir(filepath.Join(dir, ".ssh"), 0o700), os.MkdirAll(filepath.Join(dir, "config/ironworks"), 0o700)); err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := append(os.Environ(), program.Env(
		"HOME="+dir, "PATH="+filepath.Dir(program.Path())+string(os.PathListSeparator)+os.Getenv("PATH"), "XDG_STATE_HOME="+filepath.Join(dir, "state"),
		"XDG_CONFIG_HOME="+filepath.Join(dir, "config"), "IRONWORKS_BMC_HOSTS=*", "IRONWORKS_BMC_PASSWORD=machines-of-the-lab", "IRONWORKS_URL="+lab(t, dir))...)
	run := func(line string) (out []byte, code int) {
		ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
		defer stop()
		cmd := exec.CommandContext(ctx, "bash", "-c", line)
		cmd.Dir, cmd.Env, cmd.WaitDelay = dir, env, time.Second
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) && ctx.Err() == nil {
			t.Fatalf("%s: %v", line, err)
		}
		if ctx.Err() != nil {
			return out, 0 // the command waits for a node
		}
		return out, cmd.ProcessState.ExitCode()
	}
	var lines []string
	for _, m := range exampleBlock.FindAllStringSubmatch(string(text), -1) {
		for _, line := range examplePattern.FindAllString(m[1], -1) {
			if !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	if len(lines) < 100 {
		t.Fatalf("found %d examples", len(lines))
	}
	one := func(line string) {
		out, code := run(line)
		if code == 2 || code > 3 || strings.Contains(string(out), "could not be found") || strings.Contains(string(out), "no such file") {
			t.Errorf("%s: exit code %d\n%s", line, code, out)
		}
	}
	one("ironworks ignition build --ssh-key .ssh/ops.pub -o ramdisk.ign && ironworks ignition wrap ramdisk.ign --output agent.img")
	slots := make(chan struct{}, 8)
	var wg sync.WaitGroup
	for _, line := range lines {
		if strings.Contains(line, "| ssh") {
			t.Logf("not run: %s: copies to another host", line)
			continue
		}
		if ordered.MatchString(line) && reasonNotRun(line) == "" {
			one(line)
			continue
		}
		if reason := reasonNotRun(line); reason != "" {
			t.Logf("not run: %s: %s", line, reason)
			continue
		}
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			one(line)
		})
	}
	wg.Wait()
}

func reasonNotRun(line string) string {
	for beginning, reason := range notRun {
		if strings.HasPrefix(line, beginning) {
			return reason
		}
	}
	return ""
}
