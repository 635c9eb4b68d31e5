package presence

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"ironworks/models"
)

// enter adds a session for user and counts the calls of its changed function.
func enter(r *Room, user, nodes string) (s *Seat, changes *int) {
	changes = new(int)
	return r.Enter(Session{User: user, Nodes: nodes}, func() { *changes++ }), changes
}

func TestPeopleComeAndGo(t *testing.T) {
	t.Parallel()
	r := NewRoom()
	anna, changes := enter(r, "anna", "")
	ben, _ := enter(r, "ben", "")
	if got := r.Sessions(); len(got) != 2 || got[0].User != "anna" || got[0].ID != 1 || got[1].ID != 2 || !reflect.DeepEqual(got, anna.Sessions()) {
		t.Errorf("people: %+v", got)
	}
	before := *changes
	ben.Leave()
	if got := r.Sessions(); len(got) != 1 || *changes != before+1 {
		t.Errorf("people: %+v, told %d times", got, *changes-before)
	}
	if third, _ := enter(r, "carl", ""); third.Self().ID != 3 {
		t.Errorf("the number of a session was given twice: %d", third.Self().ID)
	}
}

func TestNodesInViewOfOthers(t *testing.T) {
	t.Parallel()
	r := NewRoom()
	anna, changes := enter(r, "anna", "")
	second, _ := enter(r, "anna", "")
	ben, _ := enter(r, "ben", "")
	carl, _ := enter(r, "carl", "")
	n1 := models.NodeRef{UUID: "1", Name: "n1"}
	anna.Look("n1", n1)
	before := *changes
	anna.Look("n1", n1)
	if *changes != before {
		t.Error("the same screen was reported twice")
	}
	second.Look("n1", n1)
	carl.Look("n1", n1)
	for name, tt := range map[string]struct {
		seat *Seat
		want []string
	}{"anna does not see herself": {anna, []string{"carl"}}, "ben sees each user once": {ben, []string{"anna", "carl"}}} {
		if got := tt.seat.AtNode("1"); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q", name, got)
		}
		if got := tt.seat.ByNode(); len(got) != 1 || !slices.Equal(got["1"], tt.want) {
			t.Errorf("%s, by node: %q", name, got)
		}
	}
	carl.Look("fleet", models.NodeRef{})
	anna.Leave()
	second.Leave()
	if got := ben.ByNode(); len(got) != 0 || len(ben.AtNode("")) == 0 {
		t.Errorf("a node without viewers has the mark %q", got)
	}
}

func TestMessages(t *testing.T) {
	t.Parallel()
	r := NewRoom()
	anna, _ := enter(r, "anna", "")
	ben, changes := enter(r, "ben", "")
	before := *changes
	anna.Say("one")
	r.Say("vera", "two")
	if *changes != before+2 {
		t.Errorf("told %d times", *changes-before)
	}
	texts := func(s *Seat) (all []string) {
		for _, m := range s.Messages() {
			all = append(all, m.From+": "+m.Text)
		}
		return all
	}
	if a, b := texts(anna), texts(ben); !slices.Equal(a, []string{"vera: two"}) || !slices.Equal(b, []string{"anna: one", "vera: two"}) {
		t.Errorf("anna got %q, ben %q", a, b)
	}
	if again := ben.Messages(); len(again) != 0 {
		t.Errorf("twice: %v", again)
	}
	for i := range 3 * messagesMost {
		r.Say("vera", fmt.Sprint(i))
	}
	if all := texts(ben); len(all) != messagesMost || all[0] != fmt.Sprint("vera: ", 2*messagesMost) {
		t.Errorf("of many messages are left: %q", all)
	}
}

// TestMessageIsOneLine checks that each message arrives as one line of limited length, even if it imitates another
// user's message, contains control sequences or is very long.
func TestMessageIsOneLine(t *testing.T) {
	t.Parallel()
	r := NewRoom()
	anna, _ := enter(r, "anna", "")
	for _, text := range []string{"hi\nben: I am done", "\x1b]0;title\a\x1b[2J", "\xff\xfe", strings.Repeat("é\n", 100_000)} {
		r.Say("vera", text)
		got := anna.Messages()[0].Text
		if strings.ContainsAny(got, "\n\r\x1b\a") || !utf8.ValidString(got) || utf8.RuneCountInString(got) > MessageMost {
			t.Errorf("%.40q arrives as %.300q", text, got)
		}
	}
}

// TestFollowing checks that frames are kept only while there are followers, and that only the followers receive them.
func TestFollowing(t *testing.T) {
	t.Parallel()
	r := NewRoom()
	anna, _ := enter(r, "anna", "")
	ben, bens := enter(r, "ben", "")
	_, carls := enter(r, "carl", "")
	secret := Frame{Content: "before"}
	anna.Show(secret)
	ben.Follow(1)
	if f, p, there := ben.Followed(); !there || f != (Frame{}) || p.User != "anna" {
		t.Errorf("a frame from before was kept: %+v", f)
	}
	bensChanges, others := *bens, *carls
	frame := Frame{Content: "now", Width: 80, Height: 24}
	anna.Show(frame)
	anna.Show(frame)
	if f, _, _ := ben.Followed(); f != frame || *bens != bensChanges+1 || *carls != others {
		t.Errorf("frame %+v; ben had %d notifications, carl %d", f, *bens-bensChanges, *carls-others)
	}
	ben.Follow(0)
	if _, _, there := ben.Followed(); there || anna.frame != (Frame{}) {
		t.Errorf("after the end the frame is %+v", anna.frame)
	}
	ben.Follow(1)
	anna.Leave()
	if _, _, there := ben.Followed(); there {
		t.Error("a session that has ended is followed")
	}
	ben.Leave()
}

func TestWhyNotFollow(t *testing.T) {
	t.Parallel()
	r := NewRoom()
	all, _ := enter(r, "anna", "")
	limited, _ := enter(r, "otto", "owner:a")
	same, _ := enter(r, "olga", "owner:a")
	other, _ := enter(r, "omar", "owner:b")
	for _, tt := range []struct {
		from, to *Seat
		may      bool
	}{{all, limited, true}, {all, all, false}, {limited, all, false}, {limited, same, true}, {limited, other, false}} {
		if why := tt.from.WhyNotFollow(tt.to.Self().ID); (why == "") != tt.may {
			t.Errorf("%s follows %s: %q", tt.from.Self().User, tt.to.Self().User, why)
		}
	}
	if all.WhyNotFollow(99) == "" {
		t.Error("a session that does not exist can be followed")
	}
	limited.Follow(same.Self().ID)
	if all.WhyNotFollow(limited.Self().ID) == "" {
		t.Error("a session that follows another one can be followed")
	}
}

// TestRoomConcurrently lets users enter, look, speak, follow and leave concurrently, so that the race detector can
// check the room.
func TestRoomConcurrently(t *testing.T) {
	t.Parallel()
	r := NewRoom()
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for n := range 50 {
				s := r.Enter(Session{User: fmt.Sprint("user ", i)}, func() {})
				s.Look("screen", models.NodeRef{UUID: fmt.Sprint(n)})
				s.Follow(r.Sessions()[0].ID)
				s.Show(Frame{Content: fmt.Sprint(n)})
				s.Say("hello")
				s.Messages()
				s.Followed()
				s.ByNode()
				s.Leave()
			}
		})
	}
	all.Wait()
	if left := r.Sessions(); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}
