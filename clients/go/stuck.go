package onceproof

import (
	"fmt"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"
)

// How long a strand may run before it is checked for a wait that this package cannot see.
const lookAfter = 3 * time.Second

var (
	goroutineName = regexp.MustCompile(`^goroutine \d+ `)
	sourceLine    = regexp.MustCompile(`\t(\S+\.go:\d+)`)
)

// goroutine is the calling goroutine's name in stack traces.
func goroutine() string {
	trace := make([]byte, 64)
	return goroutineName.FindString(string(trace[:runtime.Stack(trace, false)]))
}

// untilHome returns false after it has reported that the strand waits outside of this package.
func (s *strand) untilHome() bool {
	for {
		timer := time.NewTimer(lookAfter)
		select {
		case <-home:
			timer.Stop()
			return true
		case <-timer.C:
			if place := s.foreignWait(); place != "" {
				what := "a wait that the harness does not know of (" + place + "): wait by Sleep, Dial, Redis and the sink"
				say(word{"type": "unsupported", "what": what})
				return false
			}
		}
	}
}

// foreignWait is the kind and place of such a wait; empty while the strand runs.
func (s *strand) foreignWait() string {
	traces := make([]byte, 1<<20)
	for _, trace := range strings.Split(string(traces[:runtime.Stack(traces, true)]), "\n\n") {
		state := strings.TrimPrefix(trace, s.goroutine)
		if state == trace {
			continue
		}
		state = strings.Trim(strings.SplitN(strings.SplitN(state, "\n", 2)[0], ",", 2)[0], "[]:")
		if state == "running" || state == "runnable" || state == "syscall" {
			return ""
		}
		for _, line := range sourceLine.FindAllStringSubmatch(trace, -1) {
			if !strings.HasPrefix(line[1], runtime.GOROOT()) {
				return fmt.Sprintf("%s at %s", state, filepath.Base(line[1]))
			}
		}
		return state
	}
	return ""
}
