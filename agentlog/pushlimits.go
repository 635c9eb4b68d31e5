package agentlog

import (
	"cmp"
	"net"
	"sync"
	"time"
)

// PushLimits limits the memory and disk space that senders can use. If a field is zero, its default applies.
type PushLimits struct {
	// Body is the maximum size of a request, in bytes. Lines is the maximum number of lines in a request.
	Body, Lines int
	// Text is the maximum size of a line's text, in bytes; longer texts are truncated.
	Text int
	// Rate is the average number of bytes per second that a node may push. Faster senders wait, but lose no lines.
	Rate int
	// KeptLines and KeptBytes limit the number of one node's lines in memory, and their size in bytes. AllBytes
	// limits the size of all nodes' lines in memory, in bytes.
	KeptLines, KeptBytes, AllBytes int
	// NodeDisk and AllDisk limit the disk space, in bytes, of one node and of all nodes.
	NodeDisk, AllDisk int64
	// Connections is the maximum number of concurrent connections, and PerAddress that from one address.
	Connections, PerAddress int
	// Read is the time that a request may take to arrive.
	Read time.Duration
	// Silence is the time after which a machine that sends nothing is considered gone. Until then, no other address
	// may push for its node. The unit on the machine sends something every 20 s.
	Silence time.Duration
}

const (
	// burst is the time for which a node may save up unused rate, because a boot writes many lines in a short time.
	burst = 8 * time.Second
	// batchLines is the approximate maximum of lines in a Batch, which a screen processes between two key presses.
	batchLines = 2000
	// gatherTime is the time for which lines are collected before the next Batch.
	gatherTime = 100 * time.Millisecond
	// lookTime is the interval at which a process that does not receive looks for lines that another has received.
	lookTime = 2 * time.Second
)

func (l PushLimits) withDefaults() PushLimits {
	return PushLimits{
		Body:        cmp.Or(l.Body, 1<<20),
		Lines:       cmp.Or(l.Lines, 1000),
		Text:        cmp.Or(l.Text, 16<<10),
		Rate:        cmp.Or(l.Rate, 4<<20),
		KeptLines:   cmp.Or(l.KeptLines, 20_000),
		KeptBytes:   cmp.Or(l.KeptBytes, 8<<20),
		AllBytes:    cmp.Or(l.AllBytes, 64<<20),
		NodeDisk:    cmp.Or(l.NodeDisk, 16<<20),
		AllDisk:     cmp.Or(l.AllDisk, 512<<20),
		Connections: cmp.Or(l.Connections, 512),
		PerAddress:  cmp.Or(l.PerAddress, 32),
		Read:        cmp.Or(l.Read, 20*time.Second),
		Silence:     cmp.Or(l.Silence, time.Minute),
	}
}

// allowance tracks how many bytes a node may still push. The number grows with time.
type allowance struct {
	rate float64
	left float64
	at   time.Time
}

// refill adds the bytes for the time since the last call, and reports whether the node may push.
func (a *allowance) refill(now time.Time) bool {
	if a.at.IsZero() {
		a.left = a.rate * burst.Seconds()
	} else if passed := now.Sub(a.at); passed > 0 {
		a.left = min(a.left+a.rate*passed.Seconds(), a.rate*burst.Seconds())
	}
	a.at = now
	return a.left > 0
}

// boundedListener limits the number of concurrent connections, in total and per address. It closes excess connections
// at once, so that idle connections cannot block other clients.
type boundedListener struct {
	net.Listener
	maxTotal, maxPerHost int

	mu      sync.Mutex
	total   int
	perHost map[string]int
}

func (l *boundedListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		host, _, _ := net.SplitHostPort(conn.RemoteAddr().String())
		if l.acquire(host) {
			return &boundedConn{Conn: conn, release: sync.OnceFunc(func() { l.release(host) })}, nil
		}
		_ = conn.Close()
	}
}

func (l *boundedListener) acquire(host string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.total >= l.maxTotal || l.perHost[host] >= l.maxPerHost {
		return false
	}
	if l.perHost == nil {
		l.perHost = map[string]int{}
	}
	l.total++
	l.perHost[host]++
	return true
}

func (l *boundedListener) release(host string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.total--
	if l.perHost[host]--; l.perHost[host] == 0 {
		delete(l.perHost, host)
	}
}

type boundedConn struct {
	net.Conn
	release func()
}

func (c *boundedConn) Close() error {
	c.release()
	return c.Conn.Close()
}
