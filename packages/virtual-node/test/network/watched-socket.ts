/** Logs what a client observes of a socket. */
import type net from 'node:net'

type Log = (line: string) => void

/** The states that a socket reports. */
export const states = (socket: net.Socket) =>
  `[${socket.readyState}${socket.connecting ? ' connecting' : ''}${socket.pending ? ' pending' : ''}${socket.destroyed ? ' destroyed' : ''}]`

export const reported = (error: (Error & { code?: string; syscall?: string; errno?: number }) | null | undefined) =>
  error ? `${error.name} ${error.code} ${error.syscall} ${error.errno} ${error.message}` : 'taken'

/** Logs every event with the states of the socket, and calls `over` a little after `close`. */
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
