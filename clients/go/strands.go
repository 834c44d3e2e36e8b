package onceproof

import (
	"sort"
	"time"
)

// A strand is a goroutine that runs in its turn. Only one runs at a time, so the same events give
// the same steps.
type strand struct {
	work      func()
	turn      chan struct{}
	started   bool
	goroutine string
	deadline  int64
	since     int
	woken     any
}

// timeIsOver is the result of a wait that timed out.
type timeIsOver struct{}

var (
	home     = make(chan struct{})
	current  *strand
	runnable []*strand
	// By the place they wait at, in order of arrival.
	waiting = map[any][]*strand{}
	waits   int
	clock   struct{ wallUs, monoUs int64 }
)

// Go starts a goroutine that may use this package's functions. An ordinary goroutine may not.
func Go(work func()) {
	runnable = append(runnable, &strand{work: work, turn: make(chan struct{})})
}

func (s *strand) run() {
	if s.started {
		s.turn <- struct{}{}
		return
	}
	s.started = true
	named := make(chan string)
	go func() {
		named <- goroutine()
		s.work()
		home <- struct{}{}
	}()
	s.goroutine = <-named
}

// wait gives up the turn until this strand is woken. A negative limit means that there is none.
func wait(place any, limit time.Duration) any {
	s := current
	if s == nil {
		panic("onceproof: outside of a handler and of onceproof.Go, nothing can be waited for")
	}
	s.deadline = 0
	if limit >= 0 {
		us := limit.Microseconds()
		if us < 1 {
			us = 1
		}
		s.deadline = clock.monoUs + us
		say(word{"type": "timer", "ms": float64(us) / 1000})
	}
	waits++
	s.since = waits
	waiting[place] = append(waiting[place], s)
	home <- struct{}{}
	<-s.turn
	return s.woken
}

func wake(place any, woken any) {
	for _, s := range waiting[place] {
		s.woken = woken
		runnable = append(runnable, s)
	}
	delete(waiting, place)
}

func wakeDue() {
	var due []*strand
	for place, strands := range waiting {
		var rest []*strand
		for _, s := range strands {
			if s.deadline > 0 && s.deadline <= clock.monoUs {
				due = append(due, s)
			} else {
				rest = append(rest, s)
			}
		}
		if len(rest) == 0 {
			delete(waiting, place)
		} else {
			waiting[place] = rest
		}
	}
	// The order of a map is random.
	sort.Slice(due, func(a, b int) bool {
		if due[a].deadline != due[b].deadline {
			return due[a].deadline < due[b].deadline
		}
		return due[a].since < due[b].since
	})
	for _, s := range due {
		s.woken = timeIsOver{}
		runnable = append(runnable, s)
	}
}

func nextDeadline() any {
	least := int64(0)
	for _, strands := range waiting {
		for _, s := range strands {
			if s.deadline > 0 && (least == 0 || s.deadline < least) {
				least = s.deadline
			}
		}
	}
	if least == 0 {
		return nil
	}
	return least
}

func runAll() {
	for len(runnable) > 0 {
		current, runnable = runnable[0], runnable[1:]
		current.run()
		if !current.untilHome() {
			return
		}
	}
	current = nil
}

// Now is the wall clock of this process's machine.
func Now() time.Time { return time.UnixMicro(clock.wallUs).UTC() }

// Since is the time that has passed since `at` on a clock that never steps, like `time.Since`. Take
// `at` from Monotonic.
func Since(at time.Duration) time.Duration { return Monotonic() - at }

// Monotonic is the time since this process started.
func Monotonic() time.Duration { return time.Duration(clock.monoUs) * time.Microsecond }

// Sleep waits by the process's clock.
func Sleep(d time.Duration) {
	if d < 0 {
		d = 0
	}
	wait(new(byte), d)
}
