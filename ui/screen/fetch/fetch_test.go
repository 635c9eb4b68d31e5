package fetch_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/ui/screen/fetch"
)

// rig is a source whose requests are answered by the test. asked counts them.
type rig struct {
	asked int
	err   error
	ctx   context.Context //nolint:containedctx // the request's
	*fetch.Source[int]
}

func newRig() *rig {
	r := &rig{}
	r.Source = fetch.New(func(ctx context.Context) (int, error) {
		r.asked++
		r.ctx = ctx
		return r.asked, r.err
	})
	return r
}

func deliver(t *testing.T, r *rig, msg tea.Msg) tea.Cmd {
	t.Helper()
	mine, next := r.Handle(msg)
	if !mine {
		t.Fatal("not mine")
	}
	return next
}

func TestGetAndTake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig()
		if _, known := r.Value(); known || r.Tried() || r.Busy() || !r.At().IsZero() {
			t.Fatal("something before the first request")
		}
		cmd := r.Get()
		if !r.Busy() || !r.Tried() {
			t.Fatal("not under way")
		}
		asked := time.Now()
		<-time.After(time.Second)
		if next := deliver(t, r, cmd()); next != nil {
			t.Error("asked again without a need")
		}
		if v, known := r.Value(); v != 1 || !known || !r.Asked().Equal(asked) || !r.At().Equal(time.Now()) || r.Err() != nil {
			t.Errorf("%v %v %v %v", v, known, r.Asked(), r.At())
		}
		if r.ctx.Err() == nil {
			t.Error("the request's context is still open")
		}
	})
}

func TestErrorKeepsTheValue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig()
		deliver(t, r, r.Get()())
		asked := r.Asked()
		<-time.After(time.Minute)
		r.err = errors.New("boom")
		deliver(t, r, r.Get()())
		if v, known := r.Value(); v != 1 || !known || r.Err() == nil || !r.Asked().Equal(asked) || !r.At().Equal(time.Now()) {
			t.Errorf("%v %v %v", v, known, r.Err())
		}
		r.err = nil
		deliver(t, r, r.Get()())
		if v, _ := r.Value(); v != 3 || r.Err() != nil {
			t.Error("the fault stays")
		}
	})
}

func TestOneRequestAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig()
		cmd := r.Get()
		for range 3 {
			if r.Get() != nil {
				t.Fatal("two at a time")
			}
		}
		next := deliver(t, r, cmd())
		if next == nil || !r.Busy() {
			t.Fatal("what was wanted meanwhile is not asked for")
		}
		if deliver(t, r, next()) != nil {
			t.Error("asked once too often")
		}
	})
}

func TestForeignAndOldAnswersAreDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, other := newRig(), newRig()
		msg := other.Get()()
		for _, m := range []tea.Msg{msg, nil, "text"} {
			if mine, _ := r.Handle(m); mine {
				t.Errorf("%v is not mine", m)
			}
		}
		old := r.Get()()
		deliver(t, r, old)
		deliver(t, r, r.Get()())
		deliver(t, r, old)
		if v, _ := r.Value(); v != 2 {
			t.Errorf("an old answer came in: %d", v)
		}
	})
}

func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig()
		msg := r.Get()()
		r.Close()
		if r.ctx.Err() == nil || r.Busy() {
			t.Error("still under way")
		}
		deliver(t, r, msg)
		if _, known := r.Value(); known || r.Get() != nil {
			t.Error("goes on")
		}
		r.Close()
	})
}
