package sshkey

import (
	"context"
	"crypto/ed25519"
	"net"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/crypto/ssh/agent"
)

func TestReadPublicKeys(t *testing.T) {
	second := authorizedKey(t, ed25519.NewKeyFromSeed([]byte("another seed of 32 bytes, for it")).Public())
	keys, err := ReadPublicKeys(fstest.MapFS{
		"id_b.pub":       {Data: []byte(plainKey(t) + " first\n")},
		"id_c.pub":       {Data: []byte(plainKey(t) + " the same\n" + second + "\n")},
		"id_d":           {Data: []byte("not looked at")},
		"id_e-cert.pub":  {Data: []byte("nor this")},
		"id_f.pub":       {Data: []byte("-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n")},
		"id_large.pub":   {Data: make([]byte, maxKeyFile+1)},
		"authorized.txt": {Data: []byte("x")},
	})
	if len(keys) != 2 || keys[0].Comment != "first" || keys[1].Line != second {
		t.Errorf("the keys are %v", keys)
	}
	if err == nil || !strings.Contains(err.Error(), "id_f.pub") || !strings.Contains(err.Error(), "id_large.pub") ||
		strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("the error is %v", err)
	}
	if keys, err := ReadPublicKeys(fstest.MapFS{}); keys != nil || err != nil {
		t.Errorf("an empty folder has %v, %v", keys, err)
	}
}

func TestAgentPublicKeys(t *testing.T) {
	keyring := agent.NewKeyring()
	private := ed25519.NewKeyFromSeed([]byte("a seed of 32 bytes for the tests"))
	if err := keyring.Add(agent.AddedKey{PrivateKey: &private, Comment: "me@example.com"}); err != nil {
		t.Fatal(err)
	}
	here, there := net.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = agent.ServeAgent(keyring, there)
	}()
	keys, err := AgentPublicKeys(t.Context(), here)
	if err != nil || len(keys) != 1 || keys[0].Line != plainKey(t)+" me@example.com" {
		t.Errorf("got %v, %v", keys, err)
	}
	_ = here.Close()
	<-done
}

func TestAgentPublicKeysEndsWithItsContext(t *testing.T) {
	here, there := net.Pipe()
	defer func() { _, _ = here.Close(), there.Close() }()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := AgentPublicKeys(ctx, here); err == nil {
		t.Error("an agent that does not answer is waited for")
	}
}
