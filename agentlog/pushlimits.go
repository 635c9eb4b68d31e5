package agentlog

import (
	"net"
	"sync"
	"time"
)

// PushLimits limit the memory and disk space that senders can use. The zero value of a field means its default.
type PushLimits struct {
	// Body is the maximum size of one request, in bytes, and Lines the maximum number of its
	// lines.
	Body, Lines int
	// Text is the maximum size of a line's text, in bytes; longer texts are truncated.
	Text int
	// Rate is the number of bytes per second that a node may push on average. Faster senders must wait, and lose no
	// lines.
	Rate int
	// KeptLines and KeptBytes limit the memory of one node, AllBytes limits the memory of all nodes.
	KeptLines, KeptBytes, AllBytes int
	// NodeDisk and AllDisk limit the space on disk, in bytes.
	NodeDisk, AllDisk int64
	// Connections is the number of concurrent connections, and PerAddress the number of those from one address.
	Connections, PerAddress int
	// Read is the time that a request may take to arrive.
	Read time.Duration
	// Silence is the time after which a silent machine counts as gone. Until then, no other address may push for its
	// node. The unit sends something every 20 s.
	Silence time.Duration
}

const (
	// burst is the maximum time for which a node may save up its unused rate, because a boot writes many lines in a
	// short time.
	burst = 8 * time.Second
	// batchLines is the maximum size of a Batch: a screen must be able to process it between two key presses.
	batchLines = 2000
	// gatherTime is the time for which lines are collected.
	gatherTime = 100 * time.Millisecond
	// lookTime is the period of checks for lines that another process has received.
	lookTime = 2 * time.Second
)

func (l PushLimits) withDefaults() PushLimits {
	set := func(value *int, byDefault int) {
		if *value == 0 {
			*value = byDefault
		}
	}
	set(&l.Body, 1<<20)
	set(&l.Lines, 1000)
	set(&l.Text, 16<<10)
	set(&l.Rate, 4<<20)
	set(&l.KeptLines, 20_000)
	set(&l.KeptBytes, 8<<20)
	set(&l.AllBytes, 64<<20)
	set(&l.Connections, 512)
	set(&l.PerAddress, 32)
	if l.NodeDisk == 0 {
		l.NodeDisk = 16 << 20
	}
	if l.AllDisk == 0 {
		l.AllDisk = 512 << 20
	}
	if l.Read == 0 {
		l.Read = 20 * time.Second
	}
	if l.Silence == 0 {
		l.Silence = time.Minute
	}
	return l
}

// allowance is the number of bytes that a node may push now, which grows with time.
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

func (a *allowance) spend(n int) { a.left -= float64(n) }

// boundedListener limits the concurrent connections, in total and per address. Excess connections are closed at once,
// so that idle connections do not block other clients.
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
