/** A client that sends given bytes, and gives what it hears, message by message. */
import net from 'node:net'
import { BackendReader, type Said } from './backend-messages.ts'
import { terminate } from './frontend-bytes.ts'

export interface MessageClient {
  /** Sends, and waits for ReadyForQuery or the end of the connection; what was heard since the last answer. */
  turn(bytes: string): Promise<Said[]>
  /** Sends, and waits for `count` messages. */
  heard(bytes: string, count: number): Promise<Said[]>
  end(): void
}

export async function messageClient(port: number): Promise<MessageClient> {
  const socket = net.connect(port, '127.0.0.1')
  const reader = new BackendReader()
  let said: Said[] = []
  let ended = false
  let look = () => {}
  socket.on('data', (bytes) => {
    said.push(...reader.feed(bytes.toString('latin1')))
    look()
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    ended = true
    said.push('closed')
    look()
  })
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  const until = (isEnough: () => boolean) =>
    new Promise<Said[]>((resolve) => {
      look = () => {
        if (!isEnough() && !ended) return
        const heard = said
        said = []
        look = () => {}
        resolve(heard)
      }
      look()
    })
  return {
    turn(bytes) {
      socket.write(Buffer.from(bytes, 'latin1'))
      return until(() => said.some((one) => /^(Z|N$)/.test(one)))
    },
    heard(bytes, count) {
      socket.write(Buffer.from(bytes, 'latin1'))
      return until(() => said.length >= count)
    },
    end: () => void socket.end(Buffer.from(terminate, 'latin1')),
  }
}
