/**
 * What a server of Redis says on a connection because others did something: a published message, or
 * that a key which was read there has changed. In RESP3 it has a sign of its own, in RESP2 it is a
 * list (https://redis.io/docs/latest/develop/interact/pubsub/, "Format of pushed messages").
 * Confirmations of SUBSCRIBE are none.
 */
const pushed = /^[*>]\d+\r\n\$\d+\r\n(?:[ps]?message|invalidate)\r\n/

/** `bytes`: a byte a character; one reply, or its first hundred bytes. */
export const isPublished = (bytes: string): boolean => pushed.test(bytes)
