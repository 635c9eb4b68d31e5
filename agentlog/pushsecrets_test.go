package agentlog_test

import (
	"bytes"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ironworks/agentlog"
	"ironworks/models"
)

func TestPushRefusesUnknownSenders(t *testing.T) {
	for name, test := range map[string]struct {
		push    push
		address string // the address of the first node's agent in Ironic
		code    int
		answer  string
	}{
		"unknown token":        {push: push{token: strings.Repeat("0", 16) + "." + strings.Repeat("0", 64)}, code: 401, answer: "unknown image token"},
		"no token of ours":     {push: push{token: "../../etc/passwd"}, code: 401, answer: "unknown image token"},
		"a MAC nobody has":     {push: push{macs: "52:54:00:00:00:09"}, code: 403, answer: "no node has a port"},
		"MACs of two nodes":    {push: push{macs: firstMAC + "," + secondMAC}, code: 403, answer: "matches both"},
		"no MAC at all":        {push: push{macs: "none"}, code: 400, answer: "no MAC address and no system UUID"},
		"no boot":              {push: push{boot: "../x"}, code: 400, answer: "no boot id"},
		"a cursor of no kind":  {push: push{after: "../x"}, code: 400, answer: "no cursor"},
		"from elsewhere":       {address: "192.0.2.1", code: 403, answer: "sends from 127.0.0.1"},
		"from where it is":     {address: "127.0.0.1", code: 200, answer: "i=1"},
		"from there, as IPv6":  {address: "::ffff:127.0.0.1", code: 200, answer: "i=1"},
		"by a forwarded port":  {address: "127.18.0.1", code: 200, answer: "i=1"},
		"a line that is none":  {push: push{body: "hello\n"}, code: 400, answer: "line 1 is not"},
		"a line with no place": {push: push{body: `{"MESSAGE":"x"}` + "\n"}, code: 400, answer: "line 1 is not"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newPushRig(t, nil)
			if test.address != "" {
				r.machines = []agentlog.Machine{{Node: firstNode, MACs: []string{firstMAC}, AgentAddress: netip.MustParseAddr(test.address)}}
			}
			if test.push.body == "" {
				test.push.body = pushedLines(1, 1)
			}
			r.expect(test.push, test.code, test.answer)
			if count, last := r.console.Refusals(); (count > 0) != (test.code != 200) || (test.code != 200) != (last != "") {
				t.Errorf("%d refusals, the last: %q", count, last)
			}
		})
	}
}

func TestPushOfAnImageForOneNode(t *testing.T) {
	r := newPushRig(t, nil)
	mine, err := r.console.Images().Make(agentlog.IdentityOrder{Push: true, HostKey: true, Node: secondNode.Name})
	if err != nil {
		t.Fatal(err)
	}
	r.expect(push{token: mine.Token.Reveal(), body: pushedLines(1, 1)}, 403, "its image was built for r7-n02")
	r.expect(push{token: mine.Token.Reveal(), macs: secondMAC, body: pushedLines(1, 1)}, 200, "i=1")
	r.wantLines(secondNode, 1)
	keys := func(node models.NodeRef) (string, bool) {
		list, only := r.console.Images().HostKeys(t.Context(), node)
		return strings.Join(list, " "), only
	}
	if got, only := keys(firstNode); !strings.Contains(got, r.identity.HostKeyPublic) || strings.Contains(got, mine.HostKeyPublic) || only {
		t.Errorf("the first node may have %s, only: %v", got, only)
	}
	if got, only := keys(secondNode); !strings.Contains(got, r.identity.HostKeyPublic) || !strings.Contains(got, mine.HostKeyPublic) || !only {
		t.Errorf("the second node may have %s, only: %v", got, only)
	}
	if _, err := r.console.Images().Make(agentlog.IdentityOrder{Push: true}); err != nil {
		t.Fatal(err)
	}
	if _, only := keys(secondNode); only {
		t.Error("an image for all was made since, and no other key is taken")
	}
}

func TestPushFilesAreReadableByTheOwnerOnly(t *testing.T) {
	r := newPushRig(t, nil)
	r.expect(push{body: pushedLines(1, 1)}, 200, "i=1")
	token := []byte(r.identity.Token.Reveal()[17:])
	err := filepath.WalkDir(r.console.Options.Dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || path == r.console.Options.Dir {
			return err
		}
		info, err := entry.Info()
		if err == nil && info.Mode()&0o077 != 0 {
			t.Errorf("%s is %v", path, info.Mode())
		}
		if content, err := os.ReadFile(path); err == nil && (bytes.Contains(content, token) || bytes.Contains(content, []byte("OPENSSH"))) {
			t.Errorf("%s has a secret of the image", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestPushMasksSecretsOfTheJournal(t *testing.T) {
	r := newPushRig(t, nil)
	const planted = "hunter2hunter2"
	texts := []string{
		"GET /v1/commands?wait=true&agent_token=" + planted, "{'agent_token': '" + planted + "'}", "Authorization: Bearer " + planted,
		"-----BEGIN OPENSSH PRIVATE KEY-----", planted, "-----END OPENSSH PRIVATE KEY-----", "http://me:" + planted + "@proxy:3128",
		"\x1b]0;title\x07\x1b[2Jcleared\u202e",
	}
	body := ""
	for i, text := range texts {
		body += pushedLine(i+1, text)
	}
	// Push the lines in two requests. The second one starts in the middle of a key.
	split := strings.Index(body, `"i=5"`) - len(`{"MESSAGE":"`)
	split = strings.LastIndex(body[:split], "\n") + 1
	r.expect(push{body: body[:split]}, 200, "i=")
	_, at := r.push(push{})
	r.expect(push{body: body[split:], after: at}, 200, "i=8")
	shown := strings.Join(r.texts(firstNode, len(texts)), "\n")
	kept, err := os.ReadFile(filepath.Join(r.console.Options.Dir, "spool", firstNode.UUID+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for where, text := range map[string]string{"shown": shown, "kept": string(kept)} {
		if strings.Contains(text, planted) || strings.ContainsAny(text, "\x1b\u202e") || !strings.Contains(text, "cleared") {
			t.Errorf("%s:\n%s", where, text)
		}
	}
}

// TestPushMasksSecretsAcrossARestart checks that secrets are masked if the receiver restarts in the middle of a key,
// of a line that arrives in parts, of a quoted text, or of nested data.
func TestPushMasksSecretsAcrossARestart(t *testing.T) {
	const planted = "hunter2hunter2"
	part := func(n int, text string) string {
		return strings.Replace(pushedLine(n, text), "{", `{"CONTAINER_NAME":"ironic-agent","CONTAINER_PARTIAL_MESSAGE":"true",`, 1)
	}
	rest := func(n int, text string) string {
		return strings.Replace(pushedLine(n, text), "{", `{"CONTAINER_NAME":"ironic-agent",`, 1)
	}
	for _, tt := range []struct{ name, before, after string }{
		{"a key", pushedLine(1, "-----BEGIN OPENSSH PRIVATE KEY-----") + pushedLine(2, planted), pushedLine(3, planted) + pushedLine(4, "-----END OPENSSH PRIVATE KEY-----")},
		{"a line in parts", pushedLine(1, "x") + part(2, "agent_token=hun"), part(3, planted) + rest(4, planted)},
		{"a text", pushedLine(1, "x") + pushedLine(2, "user_data: \\\""+planted), pushedLine(3, planted) + pushedLine(4, planted+"\\\"")},
		{"a tree", pushedLine(1, "x") + pushedLine(2, "configdrive: {'a': [{'"+planted), pushedLine(3, planted+"'}") + pushedLine(4, planted+"]}")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newPushRig(t, nil)
			r.expect(push{body: tt.before}, 200, "i=2")
			r.stop()
			r.start()
			r.expect(push{body: tt.after, after: "i=2"}, 200, "i=4")
			r.expect(push{body: pushedLine(5, "said in the open"), after: "i=4"}, 200, "i=5")
			kept, err := os.ReadFile(filepath.Join(r.console.Options.Dir, "spool", firstNode.UUID+".jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			if text := string(kept); strings.Contains(text, "hunter2") || !strings.Contains(text, "said in the open") {
				t.Error(text)
			}
		})
	}
}

func TestPushOfAnotherAddressIsRefusedUntilTheNodeIsSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, network := newPushRigInMemory(t)
		r.expect(push{body: pushedLines(1, 1)}, 200, "i=1")
		r.client.CloseIdleConnections()
		r.client.Transport.(*http.Transport).DialContext = network.From("127.0.0.2")
		r.expect(push{body: pushedLines(2, 2), after: "i=1"}, 403, "another machine is already sending")
		<-time.After(2 * time.Minute)
		r.expect(push{body: pushedLines(2, 2), after: "i=1"}, 200, "i=2")
		r.wantLines(firstNode, 2)
	})
}
