package onceproof

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"strconv"
	"syscall"
	"time"
)

type connPlace struct {
	id   int
	what string
}

var (
	bridgePort int
	conns      = map[int]*conn{}
)

// conn is a TCP connection to the simulated network: its bytes go over loopback, its events come by
// the protocol.
type conn struct {
	net.Conn
	id       int
	there    bytes.Buffer
	over     error
	deadline time.Time
}

// Dial connects to an address of the simulated network, as `net.Dial("tcp", address)` would. Pass
// it to clients that accept a custom dialer.
func Dial(network, address string) (net.Conn, error) { return DialTimeout(network, address, -1) }

// DialTimeout is Dial with a timeout. A negative timeout means that there is none.
func DialTimeout(_, address string, limit time.Duration) (net.Conn, error) {
	host, service, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	port, err := strconv.Atoi(service)
	if err != nil {
		return nil, err
	}
	real, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(bridgePort)))
	if err != nil {
		return nil, err
	}
	c := &conn{Conn: real, id: real.LocalAddr().(*net.TCPAddr).Port}
	conns[c.id] = c
	say(word{"type": "connect", "connection": c.id, "host": host, "port": port})
	switch how := wait(connPlace{c.id, "connect"}, limit).(type) {
	case timeIsOver:
		c.Close()
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: os.ErrDeadlineExceeded}
	case error:
		c.Close()
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: how}
	}
	return c, nil
}

func (c *conn) Read(into []byte) (int, error) {
	if c.there.Len() == 0 && c.over == nil {
		limit := time.Duration(-1)
		if !c.deadline.IsZero() {
			limit = c.deadline.Sub(Now())
			if limit <= 0 {
				return 0, os.ErrDeadlineExceeded
			}
		}
		if _, over := wait(connPlace{c.id, "read"}, limit).(timeIsOver); over {
			return 0, os.ErrDeadlineExceeded
		}
	}
	if c.there.Len() > 0 {
		return c.there.Read(into)
	}
	return 0, c.over
}

func (c *conn) Write(data []byte) (int, error) {
	if errors.Is(c.over, net.ErrClosed) {
		return 0, net.ErrClosed
	}
	if c.over != nil && !errors.Is(c.over, io.EOF) {
		return 0, syscall.EPIPE
	}
	n, err := c.Conn.Write(data)
	say(word{"type": "sent", "connection": c.id, "bytes": n})
	return n, err
}

func (c *conn) Close() error {
	if conns[c.id] != c {
		return net.ErrClosed
	}
	delete(conns, c.id)
	c.there.Reset()
	c.over = net.ErrClosed
	say(word{"type": "close", "connection": c.id})
	wake(connPlace{c.id, "read"}, true)
	return c.Conn.Close()
}

// Deadlines are times of the process's wall clock; compute them from Now.
func (c *conn) SetDeadline(at time.Time) error      { return c.SetReadDeadline(at) }
func (c *conn) SetReadDeadline(at time.Time) error  { c.deadline = at; return nil }
func (c *conn) SetWriteDeadline(at time.Time) error { return nil }

func (c *conn) arrived(count int) {
	if _, err := io.CopyN(&c.there, c.Conn, int64(count)); err != nil {
		c.over = err
	}
	wake(connPlace{c.id, "read"}, true)
}

func (c *conn) broke(err error) {
	c.over = err
	wake(connPlace{c.id, "read"}, true)
}

func errorOf(code string) error {
	known := map[string]error{
		"ECONNREFUSED": syscall.ECONNREFUSED,
		"ECONNRESET":   syscall.ECONNRESET,
		"ETIMEDOUT":    syscall.ETIMEDOUT,
		"EHOSTUNREACH": syscall.EHOSTUNREACH,
		"ENOTFOUND":    &net.DNSError{Err: "no such host", IsNotFound: true},
	}
	if err, ok := known[code]; ok {
		return err
	}
	return errors.New(code)
}
