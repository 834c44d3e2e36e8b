// Article 000's first pattern in Go: SET NX before the effect, DONE after, DEL on error. It breaks.
//
//	go build -o go-marker . && onceproof run --impl exec:./go-marker
package main

import (
	"encoding/json"

	"onceproof"
)

const day = "86400"

func create(ctx *onceproof.Context) (onceproof.Handler, error) {
	redis := &onceproof.Redis{Address: ctx.Address()}
	return func(message onceproof.Message) (onceproof.Outcome, error) {
		marker := "idempotency:v1:" + message.Key
		isNew, err := redis.Do("SET", marker, "PROCESSING", "EX", day, "NX")
		if err != nil {
			return nil, err
		}
		if isNew == nil {
			return onceproof.Done(map[string]string{"status": "skipped", "reason": "duplicate"}), nil
		}
		receipt, err := ctx.Perform(message.Key, message.Payload)
		if err == nil {
			_, err = redis.Do("SET", marker, "COMPLETED", "EX", day)
		}
		if err != nil {
			redis.Do("DEL", marker)
			return nil, err
		}
		return onceproof.Done(json.RawMessage(receipt)), nil
	}, nil
}

func main() {
	onceproof.Serve(onceproof.Hello{
		"id":     "go-marker",
		"about":  "A marker: SET NX before the effect, COMPLETED after it, DEL when it fails, in Go.",
		"expect": "broken",
		"sinks":  []string{"plain", "keyed"},
		"lacks":  []string{"lease", "stored-result", "dead-lettering", "offline-queue"},
	}, create)
}
