package agentlog

import (
	"net"
	"sync"
	"time"
)

// PushLimits bound what senders can make the console hold. The zero value of each is
// its default.
type PushLimits struct {
	// Body is the most of one request, in bytes, and Lines the most lines in it.
	Body, Lines int
	// Text is the most of a line's text, in bytes; the rest is cut off.
	Text int
	// Rate is how many bytes a second a node may send on average. Faster ones are told to
	// wait, and lose nothing.
	Rate int
	// KeptLines and KeptBytes bound what is held of a node in memory, AllBytes of all.
	KeptLines, KeptBytes, AllBytes int
	// NodeDisk and AllDisk bound what is kept on disk, in bytes.
	NodeDisk, AllDisk int64
	// Connections are those at once, and PerAddress those of one address.
	Connections, PerAddress int
	// Read is how long a request may take to arrive.
	Read time.Duration
	// Silence is after how long without a word a machine counts as gone; until then no
	// other address may speak for its node. The unit says something every 20 s.
	Silence time.Duration
}

const (
	// burst is for how long a node may save up its rate: a boot writes a lot at once.
	burst = 8 * time.Second
	// batchLines is the most in a Batch: a screen takes them between two keys.
	batchLines = 2000
	// gatherTime is for how long lines are gathered.
	gatherTime = 100 * time.Millisecond
	// lookTime is how often what another process receives is looked for.
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

// allowance is how much a node may send now, in bytes.
type allowance struct {
	rate float64
	left float64
	at   time.Time
}

// refill says whether anything may be sent.
func (a *allowance) refill(now time.Time) bool {
	if a.at.IsZero() {
		a.left = a.rate * burst.Seconds()
	} else if passed := now.Sub(a.at); passed > 0 {
		a.left = min(a.left+a.rate*passed.Seconds(), a.rate*burst.Seconds())
	}
	a.at = now
	return a.left > 0
}

func (a *allowance) take(n int) { a.left -= float64(n) }

// boundedListener accepts so many connections at once, and so many of one address. What
// is too much is closed at once: somebody who holds connections open keeps out nobody
// else.
type boundedListener struct {
	net.Listener
	most, each int

	mu   sync.Mutex
	all  int
	from map[string]int
}

func (l *boundedListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		host, _, _ := net.SplitHostPort(conn.RemoteAddr().String())
		if l.enter(host) {
			return &boundedConn{Conn: conn, leave: sync.OnceFunc(func() { l.leave(host) })}, nil
		}
		_ = conn.Close()
	}
}

func (l *boundedListener) enter(host string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all >= l.most || l.from[host] >= l.each {
		return false
	}
	if l.from == nil {
		l.from = map[string]int{}
	}
	l.all++
	l.from[host]++
	return true
}

func (l *boundedListener) leave(host string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all--
	if l.from[host]--; l.from[host] == 0 {
		delete(l.from, host)
	}
}

type boundedConn struct {
	net.Conn
	leave func()
}

func (c *boundedConn) Close() error {
	c.leave()
	return c.Conn.Close()
}
