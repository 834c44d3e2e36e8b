/**
 * A message that Redis pushes because of other clients: a published message, or the invalidation of
 * a key that was read on this connection. The message is a push type in RESP3, and an array in
 * RESP2 (https://redis.io/docs/latest/develop/interact/pubsub/, "Format of pushed messages").
 * Confirmations of SUBSCRIBE do not count.
 */
const pushed = /^[*>]\d+\r\n\$\d+\r\n(?:[ps]?message|invalidate)\r\n/

/**
 * True for a message that Redis pushes because of other clients. `bytes`: one reply, or its first
 * hundred bytes, with one character per byte.
 */
export const isPublished = (bytes: string): boolean => pushed.test(bytes)
