package conductor

import (
	"context"
	"fmt"
	"io"
	"net"
	"sync"

	"ironworks/lab/accept"
	"ironworks/lab/db"
)

// ipmitoolSocat is the console interface that serves a serial line over TCP. In Ironic, ipmitool opens a
// serial-over-LAN session, and socat serves it. The lab's BMCs do not support IPMI, so driver_info contains the TCP
// address of the serial line instead.
const ipmitoolSocat = "ipmitool-socat"

// consoleAddress returns the address of the serial line, which is stored in driver_info.
func consoleAddress(n *db.Node) (string, error) {
	host, port := n.DriverInfo.Text("ipmi_address"), plainOrEmpty(n.DriverInfo["ipmi_port"])
	if host == "" {
		return "", missing("Missing the following IPMI credentials in node's driver_info: ['ipmi_address'].")
	}
	if port == "" {
		port = "623"
	}
	return net.JoinHostPort(host, port), nil
}

// consoleRelays holds the serial consoles that the conductor currently serves, by node UUID.
type consoleRelays struct {
	mu    sync.Mutex
	nodes map[string]*consoleRelay
}

type consoleRelay struct {
	url string
	end context.CancelFunc
}

// relayConsole returns the URL of the node's console. If the console is not being served yet, relayConsole first
// starts serving it.
func (c *Conductor) relayConsole(n *db.Node) (string, error) {
	to, err := consoleAddress(n)
	if err != nil {
		return "", err
	}
	c.consoles.mu.Lock()
	defer c.consoles.mu.Unlock()
	if r := c.consoles.nodes[n.UUID]; r != nil {
		return r.url, nil
	}
	var config net.ListenConfig
	listener, err := config.Listen(c.life, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", failure("ConsoleError", "Console access is not possible: %v", err)
	}
	ctx, end := context.WithCancel(c.life)
	r := &consoleRelay{url: fmt.Sprintf("tcp://%s", listener.Addr()), end: end}
	c.consoles.nodes[n.UUID] = r
	c.relays.Go(func() {
		accept.Serve(ctx, listener, func(ctx context.Context, near net.Conn) { relay(ctx, near, to) })
	})
	return r.url, nil
}

// endConsole stops serving the node's console, if it is served, and disconnects its client.
func (c *Conductor) endConsole(uuid string) {
	c.consoles.mu.Lock()
	defer c.consoles.mu.Unlock()
	if r := c.consoles.nodes[uuid]; r != nil {
		r.end()
		delete(c.consoles.nodes, uuid)
	}
}

// relay copies data between a client and the serial line, in both directions, until either side closes its
// connection.
func relay(ctx context.Context, near net.Conn, to string) {
	var dialer net.Dialer
	far, err := dialer.DialContext(ctx, "tcp", to)
	if err != nil {
		return
	}
	defer func() { _ = far.Close() }()
	stop := context.AfterFunc(ctx, func() { _ = far.Close() })
	defer stop()
	back := make(chan struct{})
	go func() {
		defer close(back)
		_, _ = io.Copy(far, near)
		_ = far.Close()
	}()
	_, _ = io.Copy(near, far)
	_ = near.Close()
	<-back
}
