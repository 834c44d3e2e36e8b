/** The two sockets of a connection that passes through this process. */
import type { Socket } from 'node:net'

/** Turns off Nagle's algorithm on both sockets. Settles once both are closed. */
export function bothEnds(sockets: readonly Socket[]): Promise<unknown> {
  for (const socket of sockets) {
    socket.setNoDelay(true)
    // Errors are ignored, because a 'close' event follows every error.
    socket.on('error', () => {})
  }
  return Promise.all(sockets.map((one) => new Promise<void>((resolve) => one.once('close', () => resolve()))))
}
