// Package onceproof runs a Go layer under `onceproof --impl 'exec:./layer'` (docs/guide/other-languages.md,
// protocol 1). It needs only the standard library.
//
// Handlers run in goroutines of this package, one at a time, each until it waits for something: a
// reply on a connection of Dial, the sink, Sleep. The package cannot see that code waits on
// channels, mutexes or the time package. After three seconds of such a wait, the run is given up,
// and the place of the wait is reported.
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

// Message is a message of the producer.
type Message struct {
	ID         string          `json:"id"`
	Key        string          `json:"key"`
	Payload    json.RawMessage `json:"payload"`
	ProducedAt int64           `json:"producedAt"`
}

// Outcome is the answer of a handler. Done, Refused, Retry, Accepted and DeadLetter create it.
type Outcome map[string]any

// Done: the effect happened, now or before, with that result.
func Done(result any) Outcome { return Outcome{"status": "done", "result": result} }

// Refused: the sink refused permanently.
func Refused(text string) Outcome { return Outcome{"status": "refused", "error": text} }

// Retry: deliver the message again later.
func Retry(reason string) Outcome { return Outcome{"status": "retry", "reason": reason} }

// RetryAfter is Retry, but not before that time has passed.
func RetryAfter(reason string, after time.Duration) Outcome {
	return Outcome{"status": "retry", "reason": reason, "afterMs": float64(after) / float64(time.Millisecond)}
}

// Accepted: the message is recorded, and the effect will follow without another delivery.
func Accepted() Outcome { return Outcome{"status": "accepted"} }

// DeadLetter: a person must handle the message.
func DeadLetter(reason string) Outcome {
	return Outcome{"status": "dead-letter", "reason": reason}
}

// Park is the former name of DeadLetter.
func Park(reason string) Outcome { return DeadLetter(reason) }

// Handler handles one delivery. An error counts as Retry.
type Handler func(Message) (Outcome, error)

// Context has the settings from which a process creates its layer.
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

// Hello describes the layer; docs/reference/protocol.md lists the members. The member "clocks" is "own" by
// default. Set it to "virtual" if the layer uses only Now, Monotonic and Sleep for time.
type Hello map[string]any

// Chance is a random generator for this process. It is the same in every replay.
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

// Log writes to the run's history.
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

// Deploy sets the work that an operator does once, at the first deployment, before the consumers
// start. Its context has only Redis. Call it before Serve.
func Deploy(work func(*Context) error) { deploy = work }

// begin sends ready once the work is done, or its error.
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
			// The harness is gone.
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

// SinkError is an answer of the sink instead of a receipt. Name is SinkRefusal or StaleFence (no
// effect), SinkTimeout or SinkUnavailable (in doubt).
type SinkError struct {
	Name    string `json:"name"`
	Message string `json:"message"`
}

func (e *SinkError) Error() string { return e.Name + ": " + e.Message }

// Perform asks the sink for the effect and returns the effect's result. The error is a *SinkError.
func (c *Context) Perform(key string, payload json.RawMessage) (json.RawMessage, error) {
	return ask(word{"ask": "perform", "key": key, "payload": payload})
}

// PerformFenced is Perform with a fence, a number that orders holders.
func (c *Context) PerformFenced(key string, payload json.RawMessage, fence int64) (json.RawMessage, error) {
	return ask(word{"ask": "perform", "key": key, "payload": payload, "fence": fence})
}

// Raise asks a fenced sink to refuse lower fences from now on.
func (c *Context) Raise(key string, fence int64) (json.RawMessage, error) {
	return ask(word{"ask": "raise", "key": key, "fence": fence})
}

// PerformReferenced is Perform with a name by which Cancel can refer to the request.
func (c *Context) PerformReferenced(key string, payload json.RawMessage, reference string) (json.RawMessage, error) {
	return ask(word{"ask": "perform", "key": key, "payload": payload, "reference": reference})
}

// Cancel makes a cancellable sink undo the effects with that reference and refuse later ones.
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

// Millis formats a duration in milliseconds for a Redis command.
func Millis(d time.Duration) string { return fmt.Sprint(d.Milliseconds()) }
