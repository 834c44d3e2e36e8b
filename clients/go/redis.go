package onceproof

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"
)

// RedisError is an error reply.
type RedisError string

func (e RedisError) Error() string { return string(e) }

// Redis is a minimal client with one connection. It connects at the first command, and again after
// an error. A command that fails is not sent again.
type Redis struct {
	Address string
	// Timeout of a reply; 0 means that there is none.
	Timeout time.Duration
	conn    net.Conn
	reader  *bufio.Reader
	busy    bool
}

// Do sends one command. The reply is a string, an int64, nil or a slice of these. An error reply is
// a RedisError.
func (r *Redis) Do(args ...string) (any, error) {
	for r.busy {
		wait(r, -1)
	}
	r.busy = true
	defer func() {
		r.busy = false
		wake(r, true)
	}()
	reply, err := r.exchange(args)
	var said RedisError
	if err != nil && !errors.As(err, &said) && r.conn != nil {
		r.conn.Close()
		r.conn = nil
	}
	return reply, err
}

func (r *Redis) exchange(args []string) (any, error) {
	if r.conn == nil {
		conn, err := Dial("tcp", r.Address)
		if err != nil {
			return nil, err
		}
		r.conn, r.reader = conn, bufio.NewReader(conn)
	}
	var command strings.Builder
	fmt.Fprintf(&command, "*%d\r\n", len(args))
	for _, arg := range args {
		fmt.Fprintf(&command, "$%d\r\n%s\r\n", len(arg), arg)
	}
	if r.Timeout > 0 {
		r.conn.SetReadDeadline(Now().Add(r.Timeout))
	}
	if _, err := io.WriteString(r.conn, command.String()); err != nil {
		return nil, err
	}
	return readReply(r.reader)
}

func readReply(from *bufio.Reader) (any, error) {
	line, err := from.ReadString('\n')
	if err != nil {
		return nil, err
	}
	line = strings.TrimSuffix(line, "\r\n")
	kind, rest := line[0], line[1:]
	if kind == '+' {
		return rest, nil
	}
	if kind == '-' {
		return nil, RedisError(rest)
	}
	number, err := strconv.ParseInt(rest, 10, 64)
	if err != nil || kind == ':' {
		return number, err
	}
	if number < 0 {
		return nil, nil
	}
	if kind == '$' {
		text := make([]byte, number+2)
		_, err := io.ReadFull(from, text)
		return string(text[:number]), err
	}
	if kind != '*' {
		return nil, fmt.Errorf("no reply of Redis begins with %q", kind)
	}
	items := make([]any, number)
	for at := range items {
		item, err := readReply(from)
		var said RedisError
		if errors.As(err, &said) {
			item = said
		} else if err != nil {
			return nil, err
		}
		items[at] = item
	}
	return items, nil
}
