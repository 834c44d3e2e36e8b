import { createHash } from 'node:crypto'

/** By which EVALSHA names a script; `body` is a byte string (latin1), as commands are. */
export function scriptSha(body: string): string {
  return createHash('sha1').update(body, 'latin1').digest('hex')
}
