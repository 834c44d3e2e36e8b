/** The two sockets of a connection that passes through this process. */
import type { Socket } from 'node:net'

/** Turns off Nagle's algorithm. Settles once both are closed. */
export function bothEnds(sockets: readonly Socket[]): Promise<unknown> {
  for (const socket of sockets) {
    socket.setNoDelay(true)
    // 'close' follows every error.
    socket.on('error', () => {})
  }
  return Promise.all(sockets.map((one) => new Promise<void>((resolve) => one.once('close', () => resolve()))))
}
