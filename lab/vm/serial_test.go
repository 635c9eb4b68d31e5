package vm

import (
	"bytes"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"
)

func TestSerial(t *testing.T) {
	path := filepath.Join(t.TempDir(), "serial.log")
	s := newSerial(path)
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan struct{})
	ctx := t.Context()
	go func() {
		defer close(served)
		s.Serve(ctx, listener)
	}()
	readers := []net.Conn{dial(t, listener), dial(t, listener)}
	// A reader is certain to be connected once its input has arrived at the machine.
	machine, qemu := net.Pipe()
	attached := make(chan struct{})
	go func() {
		s.attach(machine)
		close(attached)
	}()
	if _, err := qemu.Write(nil); err != nil { // returns once the line listens; earlier input is lost
		t.Fatal(err)
	}
	for _, r := range readers {
		for got := make([]byte, 1); got[0] != 'x'; {
			_, _ = r.Write([]byte("x"))
			if _, err := io.ReadFull(qemu, got); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := io.WriteString(qemu, "login: "); err != nil {
		t.Fatal(err)
	}
	for i, r := range readers {
		got := make([]byte, 7)
		if _, err := io.ReadFull(r, got); err != nil || string(got) != "login: " {
			t.Errorf("reader %d got %q, %v", i, got, err)
		}
	}
	_ = qemu.Close()
	<-attached
	if content, err := os.ReadFile(path); err != nil || string(content) != "login: " {
		t.Errorf("the file has %q, %v", content, err)
	}
	// The next boot uses the same connection.
	machine, qemu = net.Pipe()
	go s.attach(machine)
	_, _ = io.WriteString(qemu, "again")
	got := make([]byte, 5)
	if _, err := io.ReadFull(readers[0], got); err != nil || string(got) != "again" {
		t.Errorf("after the next boot: %q, %v", got, err)
	}
	_ = qemu.Close()
	_ = listener.Close()
	for _, r := range readers {
		_ = r.Close()
	}
	<-served
}

func dial(t *testing.T, listener net.Listener) net.Conn {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

func TestSerialFileIsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "serial.log")
	s := newSerial(path)
	machine, qemu := net.Pipe()
	attached := make(chan struct{})
	go func() {
		s.attach(machine)
		close(attached)
	}()
	line := bytes.Repeat([]byte("x"), 1<<20)
	for range 20 {
		if _, err := qemu.Write(line); err != nil {
			t.Fatal(err)
		}
	}
	_ = qemu.Close()
	<-attached
	var total int64
	for _, name := range []string{path, path + ".1"} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		total += info.Size()
	}
	if total < serialFileSize || total > 2*serialFileSize+8192 {
		t.Errorf("the files have %d bytes", total)
	}
}
