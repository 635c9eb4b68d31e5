// Package presence keeps track of the users of a served console, and of the node that each session views or acts on.
// It passes messages between users, and copies the screen of a session to the sessions that follow it.
package presence

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"ironworks/models"
	"ironworks/printable"
)

// Session describes one session of a user.
type Session struct {
	// ID is the session's number, starting at 1.
	ID int `json:"session"`
	// User, Role, Fingerprint and Address describe the accepted login.
	User        string `json:"user"`
	Role        string `json:"role"`
	Fingerprint string `json:"fingerprint"`
	Address     string `json:"address"`
	// Nodes is the filter that limits which nodes the user sees. If it is empty, the user sees all nodes.
	Nodes string    `json:"nodes"`
	Since time.Time `json:"since"`
	// Screen is the title of the current screen. Node is the node that it shows, or zero if it shows none.
	Screen string         `json:"screen"`
	Node   models.NodeRef `json:"node"`
	// Following is the ID of the session that this one follows, or 0 if it follows none.
	Following int `json:"following"`
}

// Message is a line of text that a user sent to all other sessions.
type Message struct {
	From string
	At   time.Time
	Text string
}

// Frame is the content of a session's screen. Its size is in terminal cells.
type Frame struct {
	Content       string
	Width, Height int
}

// Room holds all sessions of a server. Its methods may be called concurrently.
type Room struct {
	mu    sync.Mutex
	last  int
	seats map[int]*Seat
}

// Seat is a session's handle on the room.
type Seat struct {
	room *Room
	// changed is called when sessions or frames have changed, or a message has arrived. It must not block.
	changed func()

	session   Session
	messages  []Message
	frame     Frame
	followers int
}

// NewRoom returns an empty room.
func NewRoom() *Room { return &Room{seats: map[int]*Seat{}} }

// Enter adds a session and sets its ID. Until [Seat.Leave] is called, the room calls changed whenever sessions or
// messages change, or a new frame of the followed session arrives. changed must not block.
func (r *Room) Enter(p Session, changed func()) *Seat {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last++
	p.ID = r.last
	s := &Seat{room: r, session: p, changed: changed}
	r.seats[p.ID] = s
	r.notify()
	return s
}

// Leave removes the session.
func (s *Seat) Leave() {
	s.room.mu.Lock()
	defer s.room.mu.Unlock()
	delete(s.room.seats, s.session.ID)
	s.room.unfollow(s.session.Following)
	s.room.notify()
}

func (r *Room) notify() {
	for _, s := range r.seats {
		s.changed()
	}
}

// Self returns the seat's own session.
func (s *Seat) Self() Session {
	s.room.mu.Lock()
	defer s.room.mu.Unlock()
	return s.session
}

// Sessions returns all sessions, sorted by ID.
func (r *Room) Sessions() []Session {
	r.mu.Lock()
	defer r.mu.Unlock()
	sessions := make([]Session, 0, len(r.seats))
	for _, s := range r.seats {
		sessions = append(sessions, s.session)
	}
	slices.SortFunc(sessions, func(a, b Session) int { return cmp.Compare(a.ID, b.ID) })
	return sessions
}

// Sessions returns all sessions of the room.
func (s *Seat) Sessions() []Session { return s.room.Sessions() }

// Look updates the screen and node that the session shows.
func (s *Seat) Look(screen string, node models.NodeRef) {
	s.room.mu.Lock()
	defer s.room.mu.Unlock()
	if s.session.Screen == screen && s.session.Node == node {
		return
	}
	s.session.Screen, s.session.Node = screen, node
	s.room.notify()
}

// byNode returns the users, except butUser, whose sessions show a node, by the node's UUID. The names are sorted, without
// duplicates.
func (r *Room) byNode(butUser string) map[string][]string {
	r.mu.Lock()
	defer r.mu.Unlock()
	nodes := map[string][]string{}
	for _, seat := range r.seats {
		if uuid, user := seat.session.Node.UUID, seat.session.User; user != butUser && !slices.Contains(nodes[uuid], user) {
			nodes[uuid] = append(nodes[uuid], user)
		}
	}
	for _, users := range nodes {
		slices.Sort(users)
	}
	return nodes
}

// AtNode returns the users, except butUser, whose sessions show the node, sorted and without duplicates.
func (r *Room) AtNode(uuid, butUser string) []string { return r.byNode(butUser)[uuid] }

// AtNode returns the other users whose sessions show the node with the given UUID.
func (s *Seat) AtNode(uuid string) []string { return s.room.AtNode(uuid, s.session.User) }

// ByNode returns the result of [Seat.AtNode] for all nodes that other users' sessions show, by UUID.
func (s *Seat) ByNode() map[string][]string {
	nodes := s.room.byNode(s.session.User)
	delete(nodes, "")
	return nodes
}

// Say sends a line to all other sessions.
func (s *Seat) Say(text string) { s.room.send(s.session.User, text, s) }

// Say sends a line of text to all sessions, with user as the sender.
func (r *Room) Say(user, text string) { r.send(user, text, nil) }

// messagesMost limits the number of messages that wait for a session; older ones are dropped.
const messagesMost = 20

// MessageMost is the maximum length of a message, in characters. The rest is dropped.
const MessageMost = 200

// send sends text as a single line, because a second line could look like a message from another user.
func (r *Room) send(user, text string, from *Seat) {
	if all := []rune(printable.Line(text)); len(all) > MessageMost {
		text = string(all[:MessageMost])
	} else {
		text = string(all)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.seats {
		if s == from {
			continue
		}
		s.messages = append(s.messages, Message{From: user, At: time.Now(), Text: text})
		s.messages = s.messages[max(0, len(s.messages)-messagesMost):]
		s.changed()
	}
}

// Messages returns the messages that have arrived since the last call.
func (s *Seat) Messages() []Message {
	s.room.mu.Lock()
	defer s.room.mu.Unlock()
	messages := s.messages
	s.messages = nil
	return messages
}

// WhyNotFollow returns the reason why this session may not follow another one, or "" if it may. A user whose nodes
// are limited may follow only sessions with the same limit.
func (s *Seat) WhyNotFollow(id int) string {
	s.room.mu.Lock()
	defer s.room.mu.Unlock()
	other, there := s.room.seats[id]
	switch {
	case !there:
		return "the session has ended"
	case id == s.session.ID:
		return "this is your session"
	case s.session.Nodes != "" && s.session.Nodes != other.session.Nodes:
		return "that session shows nodes that you cannot see"
	case other.session.Following != 0:
		return "that session follows another one"
	}
	return ""
}

// Follow makes this session receive the frames of the session with the given ID. With 0, it follows none.
func (s *Seat) Follow(id int) {
	s.room.mu.Lock()
	defer s.room.mu.Unlock()
	s.room.unfollow(s.session.Following)
	s.session.Following = 0
	if other, there := s.room.seats[id]; there {
		other.followers++
		s.session.Following = id
	}
	s.room.notify()
}

func (r *Room) unfollow(id int) {
	if other, there := r.seats[id]; there && other.followers > 0 {
		if other.followers--; other.followers == 0 {
			other.frame = Frame{}
		}
	}
}

// Followed returns the session that this one follows, and its last frame. It returns false if that session has ended.
func (s *Seat) Followed() (Frame, Session, bool) {
	s.room.mu.Lock()
	defer s.room.mu.Unlock()
	other, there := s.room.seats[s.session.Following]
	if !there {
		return Frame{}, Session{}, false
	}
	return other.frame, other.session, true
}

// Show passes a frame to the followers. If there are none, the frame is dropped.
func (s *Seat) Show(f Frame) {
	s.room.mu.Lock()
	defer s.room.mu.Unlock()
	if s.followers == 0 || f == s.frame {
		return
	}
	s.frame = f
	for _, other := range s.room.seats {
		if other.session.Following == s.session.ID {
			other.changed()
		}
	}
}
