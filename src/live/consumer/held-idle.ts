/**
 * The idle timeout of a socket in a run that follows a schedule (`socket.setTimeout`, by which
 * clients abandon a connection attempt or an idle connection). It runs in the schedule's time, as
 * in the simulator. Node's timer could end a connection merely because the machine is slow.
 */
import { heldTimeout, longestMs } from './held-timers.ts'
import type { WatchedSocket } from './sent-command.ts'

export interface IdleLimit {
  /**
   * Must be called when the client writes or receives something. Other traffic on the connection
   * does not count.
   */
  renew(): void
  /** Must be called when the socket is destroyed. */
  end(): void
}

export function holdIdleLimit(socket: WatchedSocket): IdleLimit {
  let idle: NodeJS.Timeout | null = null
  const clear = (): void => {
    idle?.close()
    idle = null
  }
  const setReal = socket.setTimeout.bind(socket)
  const set = (limitMs: number): void => {
    clear()
    Object.assign(socket, { timeout: limitMs })
    // Like Node's timer, this one does not keep a process alive. Node limits the delay
    // (`getTimerDuration`).
    if (limitMs > 0) idle = heldTimeout(() => socket.emit('timeout'), Math.min(limitMs, longestMs)).unref()
  }
  const before = socket.timeout ?? 0
  setReal(0)
  set(before)
  socket.setTimeout = (limitMs, done) => {
    if (socket.destroyed) return socket
    set(limitMs)
    if (done !== undefined && limitMs === 0) socket.removeListener('timeout', done)
    else if (done !== undefined) socket.once('timeout', done)
    return socket
  }
  socket._unrefTimer = () => {}
  return { renew: () => void idle?.refresh(), end: clear }
}
