import { createHash } from 'node:crypto'

/** The SHA-1 by which EVALSHA names a script. `body` is a byte string (latin1), like commands. */
export function scriptSha(body: string): string {
  return createHash('sha1').update(body, 'latin1').digest('hex')
}
