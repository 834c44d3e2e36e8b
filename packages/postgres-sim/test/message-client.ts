/** A client that sends bytes and returns the received messages. */
import net from 'node:net'
import { BackendReader, type Response } from './backend-messages.ts'
import { terminate } from './frontend-bytes.ts'

export interface MessageClient {
  /**
   * Sends the bytes and waits for ReadyForQuery or the end of the connection. Returns all messages
   * since the last call.
   */
  turn(bytes: string): Promise<Response[]>
  /** Sends the bytes and waits for `count` messages. */
  heard(bytes: string, count: number): Promise<Response[]>
  end(): void
}

export async function messageClient(port: number): Promise<MessageClient> {
  const socket = net.connect(port, '127.0.0.1')
  const reader = new BackendReader()
  let responses: Response[] = []
  let ended = false
  let look = () => {}
  socket.on('data', (bytes) => {
    responses.push(...reader.feed(bytes.toString('latin1')))
    look()
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    ended = true
    responses.push('closed')
    look()
  })
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  const until = (isEnough: () => boolean) =>
    new Promise<Response[]>((resolve) => {
      look = () => {
        if (!isEnough() && !ended) return
        const heard = responses
        responses = []
        look = () => {}
        resolve(heard)
      }
      look()
    })
  return {
    turn(bytes) {
      socket.write(Buffer.from(bytes, 'latin1'))
      return until(() => responses.some((one) => /^(Z|N$)/.test(one)))
    },
    heard(bytes, count) {
      socket.write(Buffer.from(bytes, 'latin1'))
      return until(() => responses.length >= count)
    },
    end: () => void socket.end(Buffer.from(terminate, 'latin1')),
  }
}
