/** What a client sees of a socket, as lines. */
import type net from 'node:net'

type Log = (line: string) => void

/** What a socket says that it is. */
export const states = (socket: net.Socket) =>
  `[${socket.readyState}${socket.connecting ? ' connecting' : ''}${socket.pending ? ' pending' : ''}${socket.destroyed ? ' destroyed' : ''}]`

export const reported = (error: (Error & { code?: string; syscall?: string; errno?: number }) | null | undefined) =>
  error ? `${error.name} ${error.code} ${error.syscall} ${error.errno} ${error.message}` : 'taken'

/** Writes down every event with the socket's states, and is over a little after `close`. */
export function watch(socket: net.Socket, log: Log, over: () => void): net.Socket {
  const note = (event: string) => (detail?: unknown) => {
    const text = detail instanceof Error ? reported(detail) : detail === undefined ? '' : String(detail)
    log(`${event} ${text} ${states(socket)}`)
  }
  for (const event of ['lookup', 'connect', 'ready', 'data', 'end', 'finish', 'timeout', 'error', 'close'])
    socket.on(event, note(event))
  socket.on('close', () => setTimeout(over, 20))
  return socket
}
