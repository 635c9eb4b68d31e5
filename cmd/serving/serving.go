// Package serving implements the flags and the access log of commands that serve images.
package serving

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/pflag"

	"ironworks/cmd/cli"
	"ironworks/ignition/prepare"
	"ironworks/ignition/serve"
	"ironworks/ignition/userdata"
	"ironworks/models"
	"ironworks/session"
)

// ListenFlags select the address at which images are served.
type ListenFlags struct{ Listen, advertise string }

// Resolve returns the address to listen on, and the host for URLs.
func (f ListenFlags) Resolve(ctx context.Context, a *cli.App, s *session.Session, nodes []models.Node) (listen, advertise string, err error) {
	candidates, trouble := serve.Candidates(ctx, serve.System{}, prepare.Clients(s.Endpoint(), nodes))
	if trouble != nil && len(nodes) > 0 {
		a.PrintMessage("warning: %v", trouble)
	}
	listen = f.Listen
	auto, port, isAuto := strings.Cut(f.Listen, ":")
	if auto == "auto" {
		if len(candidates) == 0 {
			return "", "", errors.New("--listen auto: this computer has no address that other machines can reach")
		}
		if !isAuto {
			port = "0"
		}
		listen = net.JoinHostPort(candidates[0].Addr.String(), port)
	}
	listen = cmp.Or(listen, "127.0.0.1:0")
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return "", "", cli.Usagef("--listen %s: must be HOST:PORT, auto or auto:PORT", f.Listen)
	}
	advertise = f.advertise
	if advertise != "" && !serve.ValidHost(advertise) { // errors about URLs would show their secret paths
		return "", "", cli.Usagef("--advertise %s: must be a host name or an IP address, without a port", advertise)
	}
	ip := net.ParseIP(host)
	switch {
	case advertise != "":
	case host == "" || ip != nil && ip.IsUnspecified():
		if len(candidates) == 0 {
			return "", "", cli.Usagef("--listen %s: this computer has no address that other machines can reach; pass --advertise", f.Listen)
		}
		advertise = candidates[0].Addr.String()
	default:
		advertise = host
	}
	if f.Listen == "" && f.advertise == "" {
		offerAddress(a, candidates)
	}
	return listen, advertise, nil
}

// offerAddress suggests --listen auto for a loopback server if other machines can reach this computer.
func offerAddress(a *cli.App, candidates []serve.Candidate) {
	if len(candidates) == 0 || candidates[0].Loopback() {
		return
	}
	best := candidates[0]
	clients := "other machines"
	if len(best.For) > 0 {
		clients = strings.Join(best.For, ", ")
	}
	via := ""
	if best.Interface != "" {
		via = fmt.Sprintf(" (%s)", best.Interface)
	}
	a.PrintMessage("only this computer can connect; pass --listen auto to listen on %s%s, which %s can reach", best.Addr, via, clients)
}

// Register adds the flags to a command.
func (f *ListenFlags) Register(flags *pflag.FlagSet) {
	flags.StringVar(&f.Listen, "listen", "", "listen address: HOST:PORT, auto or auto:PORT (default: a free port on 127.0.0.1)")
	flags.StringVar(&f.advertise, "advertise", "", "host name or address at which clients reach this computer (default: the listen address)")
}

// logRoom is the capacity of the queue. It is full only if clients guess URLs or the output is blocked.
const logRoom = 10_000

// AccessLog prints which images are fetched. Events come from many goroutines, but only one goroutine prints them.
type AccessLog struct {
	app    *cli.App
	events chan serve.Event
	lost   atomic.Int64
	// printed is the last printed progress of a fetch, in percent.
	printed map[fetchKey]int
}

type fetchKey struct {
	item   serve.Served
	remote string
}

// NewAccessLog returns a log that prints to the streams of a.
func NewAccessLog(a *cli.App) *AccessLog {
	return &AccessLog{app: a, events: make(chan serve.Event, logRoom), printed: map[fetchKey]int{}}
}

// Enqueue queues an event. If the queue is full, it counts the event as lost instead of blocking.
func (l *AccessLog) Enqueue(e serve.Event) {
	select {
	case l.events <- e:
	default:
		l.lost.Add(1)
	}
}

// Print prints events until the server ends. If the output cannot be written, it stops the server.
func (l *AccessLog) Print(served <-chan error, stop func()) error {
	for {
		select {
		case e := <-l.events:
			if err := l.write(e); err != nil {
				stop()
				return errors.Join(err, <-served)
			}
		case result := <-served:
			for len(l.events) > 0 { // the server has ended: no more events
				if err := l.write(<-l.events); err != nil {
					return errors.Join(err, result)
				}
			}
			l.printLost()
			return result
		}
	}
}

func (l *AccessLog) printLost() {
	if lost := l.lost.Swap(0); lost > 0 {
		l.app.PrintMessage("%d events dropped", lost)
	}
}

// EventJSON is an event in the JSON output of commands that serve images.
type EventJSON struct {
	Time    time.Time       `json:"time"`
	Kind    serve.EventKind `json:"kind"`
	Node    string          `json:"node,omitempty"`
	Item    string          `json:"item,omitempty"`
	Type    serve.Kind      `json:"type,omitempty"`
	Who     string          `json:"who,omitempty"`
	Remote  string          `json:"remote,omitempty"`
	Agent   string          `json:"agent,omitempty"`
	Size    int64           `json:"size,omitempty"`
	Sent    int64           `json:"sent,omitempty"`
	Covered int64           `json:"covered,omitempty"`
	Percent int             `json:"percent,omitempty"`
	Rate    float64         `json:"rate,omitempty"`
	Seconds float64         `json:"seconds,omitempty"`
	Text    string          `json:"text,omitempty"`
	Count   int             `json:"count,omitempty"`
}

func (l *AccessLog) write(e serve.Event) error {
	l.printLost()
	f := e.Fetch
	remote := ""
	if f.Remote.IsValid() {
		remote = f.Remote.String()
	}
	if l.app.Output == cli.OutputJSON {
		return cli.WriteLine(l.app.Stdout, EventJSON{
			Time: e.Time.UTC(), Kind: e.Kind, Node: f.Item.Node, Item: f.Item.Name, Type: f.Item.Kind, Who: f.Who, Remote: remote,
			Agent: f.Agent, Size: f.Size, Sent: f.Sent, Covered: f.Covered, Percent: f.Percent(), Rate: f.Rate,
			Seconds: f.Elapsed().Seconds(), Text: e.Text, Count: e.Count,
		})
	}
	text := l.text(e, fetchKey{item: f.Item, remote: remote})
	if text == "" {
		return nil
	}
	return l.app.PrintOut("%s %s\n", e.Time.Format("15:04:05"), text)
}

// progressStep is the interval in percent at which progress is printed, at its multiples.
const progressStep = 10

// text returns the line to print for an event, or "" for an event that is not printed.
func (l *AccessLog) text(e serve.Event, key fetchKey) string {
	switch e.Kind {
	case serve.EventRefused:
		return fmt.Sprintf("%s requested an unknown URL%s", key.remote, e.Times())
	case serve.EventFailed:
		return "failed" + e.Times() + ": " + e.Text
	case serve.EventBegan:
		if _, known := l.printed[key]; known {
			return "" // a BMC reads an image in many requests
		}
		l.printed[key] = 0
		return fmt.Sprintf("%s started fetching %s (%s)", cmp.Or(e.Fetch.Who, key.remote), e.Fetch.Item.Name, userdata.SizeText(e.Fetch.Size))
	case serve.EventProgress, serve.EventEnded:
		percent := e.Fetch.Percent()
		if percent < l.printed[key]+progressStep {
			return ""
		}
		l.printed[key] = percent - percent%progressStep
	case serve.EventAsked, serve.EventDone, serve.EventAborted:
	}
	return e.Fetch.String()
}
