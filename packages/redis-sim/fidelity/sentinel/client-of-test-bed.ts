import { ErrorReply, type Reply, StatusReply } from '../../src/resp/reply.ts'
import { ReplyParser } from '../../src/sentinel/reply-parser.ts'
import type { RedisServer } from '../../src/server.ts'
import type { Plain } from './test-bed.ts'

/** A client that sends one command to a simulated server and disconnects. */
export class ClientOfTestBed {
  constructor(private readonly server: RedisServer) {}

  run(words: readonly string[]): Plain {
    const parser = new ReplyParser()
    const connection = this.server.connect({ write: (bytes) => parser.feed(bytes), close: () => {} })
    connection.receive(`*${words.length}\r\n${words.map((word) => `$${word.length}\r\n${word}\r\n`).join('')}`)
    const reply = parser.next()
    connection.close()
    if (reply === undefined) throw new Error(`no reply to ${words.join(' ')}`)
    return plain(reply)
  }
}

/** Converts a reply to the form that ioredis returns. */
function plain(reply: Reply): Plain {
  if (reply instanceof StatusReply) return reply.status
  if (reply instanceof ErrorReply) return { error: reply.message }
  if (Array.isArray(reply)) return (reply as readonly Reply[]).map(plain)
  return typeof reply === 'object' && reply !== null ? null : (reply as string | number | null)
}
