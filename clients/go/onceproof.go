// Package onceproof puts a Go layer under `onceproof --impl 'exec:./layer'` (docs/guide/other-languages.md, protocol 1). It needs
// nothing but the standard library.
//
// Handlers run in goroutines of this package, one at a time, each until it waits for something: a reply on a connection
// of Dial, the sink, Sleep. Code that waits by channels, mutexes or the time package is not known to wait: after three
// seconds of it the run is given up, and what it waits in is named.
package onceproof

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand"
	"os"
	"time"
)

const protocol = 1

// Message is what the producer sent.
type Message struct {
	ID         string          `json:"id"`
	Key        string          `json:"key"`
	Payload    json.RawMessage `json:"payload"`
	ProducedAt int64           `json:"producedAt"`
}

// Outcome is what a handler answers: Done, Refused, Retry or DeadLetter make it.
type Outcome map[string]any

// Done: the effect happened, now or before, and gave that result.
func Done(result any) Outcome { return Outcome{"status": "done", "result": result} }

// Refused: the sink refused for good.
func Refused(text string) Outcome { return Outcome{"status": "refused", "error": text} }

// Retry: not now.
func Retry(reason string) Outcome { return Outcome{"status": "retry", "reason": reason} }

// RetryAfter is Retry, and no sooner than after that time.
func RetryAfter(reason string, after time.Duration) Outcome {
	return Outcome{"status": "retry", "reason": reason, "afterMs": float64(after) / float64(time.Millisecond)}
}

// Accepted: it is on record, and the effect will follow without another delivery.
func Accepted() Outcome { return Outcome{"status": "accepted"} }

// DeadLetter: a person must look.
func DeadLetter(reason string) Outcome {
	return Outcome{"status": "dead-letter", "reason": reason}
}

// Park is the former name of DeadLetter.
func Park(reason string) Outcome { return DeadLetter(reason) }

// Handler handles one delivery. An error counts as Retry.
type Handler func(Message) (Outcome, error)

// Context is what a process is given to build its layer from.
type Context struct {
	Redis struct {
		Host string `json:"host"`
		Port int    `json:"port"`
	} `json:"redis"`
	InstanceID  string `json:"instanceId"`
	LeaseMs     int64  `json:"leaseMs"`
	RetentionMs int64  `json:"retentionMs"`
	SinkKind    string `json:"sink"`
}

// Address is host:port of the first server.
func (c *Context) Address() string { return fmt.Sprintf("%s:%d", c.Redis.Host, c.Redis.Port) }

// Hello says what the layer is; docs/guide/other-languages.md lists the members. Clocks is "own" unless it says "virtual", which a
// layer may whose every look at a clock is by Now, Monotonic and Sleep.
type Hello map[string]any

// Chance is this process's own, and the same in every replay.
var Chance = rand.New(rand.NewSource(0))

// NewID is a random name, the same in every replay.
func NewID() string { return fmt.Sprintf("%016x%016x", Chance.Uint64(), Chance.Uint64()) }

type word map[string]any

var said []byte

func say(one word) {
	line, err := json.Marshal(one)
	if err != nil {
		line, _ = json.Marshal(word{"type": "log", "text": err.Error()})
	}
	said = append(append(said, line...), '\n')
}

func flush() {
	os.Stdout.Write(said)
	said = said[:0]
}

// Log writes into the run's history.
func Log(text string) { say(word{"type": "log", "text": text}) }

type notice struct {
	Type       string          `json:"type"`
	N          int             `json:"n"`
	WallUs     int64           `json:"wallUs"`
	MonoUs     int64           `json:"monoUs"`
	BridgePort int             `json:"carrier"`
	Seed       int64           `json:"seed"`
	Delivery   int             `json:"delivery"`
	Message    Message         `json:"message"`
	Connection int             `json:"connection"`
	Bytes      int             `json:"bytes"`
	Code       string          `json:"code"`
	ID         int             `json:"id"`
	Value      json.RawMessage `json:"value"`
	Error      *SinkError      `json:"error"`
}

var deploy func(*Context) error

// Deploy says what an operator does once, at first deployment, before the consumers start; of its context only Redis is
// set. To be called before Serve.
func Deploy(work func(*Context) error) { deploy = work }

// begin says ready once the work is done, or why it is not.
func begin(work func() error) {
	Go(func() {
		if err := work(); err != nil {
			say(word{"type": "failed", "error": err.Error()})
		} else {
			say(word{"type": "ready"})
		}
	})
}

// Serve never returns.
func Serve(hello Hello, create func(*Context) (Handler, error)) {
	first := word{"type": "hello", "protocol": protocol, "clocks": "own", "forks": false, "deploys": deploy != nil}
	for name, value := range hello {
		first[name] = value
	}
	say(first)
	flush()
	lines := bufio.NewReader(os.Stdin)
	var handler Handler
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			// Its harness is gone: nothing is left to do.
			os.Exit(0)
		}
		var now notice
		if err := json.Unmarshal(line, &now); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		clock.wallUs, clock.monoUs = now.WallUs, now.MonoUs
		switch now.Type {
		case "create", "deploy":
			context := &Context{}
			json.Unmarshal(line, context)
			bridgePort = now.BridgePort
			Chance.Seed(now.Seed)
			if now.Type == "deploy" {
				begin(func() error { return deploy(context) })
			} else {
				begin(func() (err error) {
					handler, err = create(context)
					return err
				})
			}
		case "deliver":
			Go(func() { handle(handler, now) })
		case "answer":
			wake(asked(now.ID), now)
		case "wake":
			wakeDue()
		default:
			connectionEvent(now)
		}
		runAll()
		say(word{"type": "idle", "n": now.N, "untilUs": nextDeadline()})
		flush()
	}
}

func handle(handler Handler, now notice) {
	outcome, err := handler(now.Message)
	if err != nil {
		say(word{"type": "threw", "delivery": now.Delivery, "error": err.Error()})
	} else {
		say(word{"type": "outcome", "delivery": now.Delivery, "outcome": outcome})
	}
}

func connectionEvent(now notice) {
	if now.Type == "connected" {
		wake(connPlace{now.Connection, "connect"}, true)
	} else if now.Type == "refused" {
		wake(connPlace{now.Connection, "connect"}, errorOf(now.Code))
	} else if c := conns[now.Connection]; c != nil && now.Type == "data" {
		c.arrived(now.Bytes)
	} else if c != nil && now.Type == "ended" {
		c.broke(io.EOF)
	} else if c != nil && now.Type == "broken" {
		c.broke(errorOf(now.Code))
	}
}

type asked int

var asks int

// SinkError is what the sink answers in place of a receipt. Name is SinkRefusal or StaleFence (no effect), SinkTimeout or
// SinkUnavailable (in doubt).
type SinkError struct {
	Name    string `json:"name"`
	Message string `json:"message"`
}

func (e *SinkError) Error() string { return e.Name + ": " + e.Message }

// Perform asks the sink for the effect, and gives what it gave. The error is a *SinkError.
func (c *Context) Perform(key string, payload json.RawMessage) (json.RawMessage, error) {
	return ask(word{"ask": "perform", "key": key, "payload": payload})
}

// PerformFenced is Perform with the number that orders holders.
func (c *Context) PerformFenced(key string, payload json.RawMessage, fence int64) (json.RawMessage, error) {
	return ask(word{"ask": "perform", "key": key, "payload": payload, "fence": fence})
}

// Raise asks a fenced sink to refuse lower fences from now on.
func (c *Context) Raise(key string, fence int64) (json.RawMessage, error) {
	return ask(word{"ask": "raise", "key": key, "fence": fence})
}

// PerformReferenced is Perform with the name that Cancel knows the request by.
func (c *Context) PerformReferenced(key string, payload json.RawMessage, reference string) (json.RawMessage, error) {
	return ask(word{"ask": "perform", "key": key, "payload": payload, "reference": reference})
}

// Cancel has a cancellable sink take back what carried that reference, and refuse it from then on.
func (c *Context) Cancel(key, reference string) (json.RawMessage, error) {
	return ask(word{"ask": "cancel", "key": key, "reference": reference})
}

// Lookup asks a keyed or fenced sink whether an effect for the key was applied.
func (c *Context) Lookup(key string) (json.RawMessage, error) {
	return ask(word{"ask": "lookup", "key": key})
}

func ask(request word) (json.RawMessage, error) {
	asks++
	id := asks
	request["type"], request["id"] = "sink", id
	say(request)
	answer := wait(asked(id), -1).(notice)
	if answer.Error != nil {
		return nil, answer.Error
	}
	return answer.Value, nil
}

// Millis is a number of milliseconds as Redis takes it.
func Millis(d time.Duration) string { return fmt.Sprint(d.Milliseconds()) }
