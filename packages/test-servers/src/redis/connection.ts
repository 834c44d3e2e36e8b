import type { Socket } from 'node:net'
import { connectOwn } from 'virtual-node/own-connection'
import { readReply } from './reply-tree.ts'

/** Appended to the received bytes when the server closes the connection. */
export const closedMark = '<closed>'

/** No reply takes that long, so after a longer silence no reply is expected. */
const usualSilenceMs = 1500
const slicesOfSilence = 10

/** One client of a real server without a library: sends and receives bytes. */
export class RealConnection {
  private received = ''
  private closed = false
  private wake: (() => void) | undefined

  private constructor(
    private readonly socket: Socket,
    private readonly silenceMs: number,
  ) {
    socket.setNoDelay(true)
    socket.on('data', (chunk) => {
      this.received += chunk.toString('latin1')
      this.wake?.()
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      this.closed = true
      this.wake?.()
    })
  }

  static open(host: string, port: number, silenceMs = usualSilenceMs): Promise<RealConnection> {
    return new Promise((resolve, reject) => {
      const socket = connectOwn(host, port)
      socket.once('error', reject)
      socket.once('connect', () => {
        socket.off('error', reject)
        resolve(new RealConnection(socket, silenceMs))
      })
    })
  }

  /** This machine's monotonic clock, in milliseconds. */
  nowMs(): number {
    return performance.now()
  }

  /**
   * Sends the bytes, then waits for `replies` complete replies, for the end of the connection, or
   * for a silence of `silenceMs`.
   */
  async exchange(bytes: string, replies: number | 'close', silenceMs = this.silenceMs): Promise<string> {
    if (!this.closed) this.socket.write(bytes, 'latin1')
    if (replies === 0) return ''
    let end = 0
    let complete = 0
    let least = 0
    for (;;) {
      while (end < this.received.length && this.received.length >= least) {
        const reply = readReply(this.received, end)
        least = reply === undefined ? leastLength(this.received, end) : 0
        if (reply === undefined) break
        end = reply.end
        complete++
      }
      if (this.closed || (replies !== 'close' && complete >= replies)) break
      if (await this.isSilent(silenceMs)) break
    }
    const taken = this.closed ? this.received + closedMark : this.received.slice(0, end)
    this.received = this.received.slice(end)
    return taken
  }

  /**
   * Waits in slices, because a process that was not scheduled sees its timers expire before it
   * reads its sockets.
   */
  private async isSilent(silenceMs: number): Promise<boolean> {
    for (let slice = 0; slice < slicesOfSilence; slice++) {
      const silent = await new Promise<boolean>((resolve) => {
        const timer = setTimeout(() => resolve(true), silenceMs / slicesOfSilence)
        this.wake = () => {
          clearTimeout(timer)
          resolve(false)
        }
      })
      if (!silent) return false
    }
    return true
  }

  destroy(): void {
    this.socket.destroy()
  }
}

/**
 * The offset after the bulk reply that begins at `from`; 0 if no bulk reply begins there. Until
 * that offset, the reply is not parsed again: parsing a long reply with each segment would take
 * minutes.
 */
function leastLength(received: string, from: number): number {
  const [head, length] = /^\$(\d+)\r\n/.exec(received.slice(from, from + 20)) ?? []
  return head === undefined ? 0 : from + head.length + Number(length) + 2
}
