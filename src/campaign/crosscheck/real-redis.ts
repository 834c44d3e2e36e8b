/** A real Redis server as the crosscheck needs it; the command line finds and starts one. */
import { closedMark, encodeCommand, readReply, ServerGone } from 'test-servers'

export interface RealRedis {
  readonly version: string
  open(): Promise<RealClient>
  stop(): Promise<void>
}

export interface RealClient {
  /** Sends bytes, then reads that many whole replies; strings are byte strings (latin1). */
  exchange(bytes: string, replies: number): Promise<string>
  /** Real time, by a clock that never steps. */
  nowMs(): number
  destroy(): void
}

/** A server to start when it is needed, or why there is none. */
export type RealRedisOffer =
  | { readonly kind: 'ready'; start(): Promise<RealRedis> }
  | { readonly kind: 'none'; readonly reason: string }

/** The reply to each command, as bytes. @throws ServerGone when one of them does not come */
export async function ask(client: RealClient, commands: readonly (readonly string[])[]): Promise<string[]> {
  const received = await client.exchange(commands.map(encodeCommand).join(''), commands.length)
  if (received.endsWith(closedMark)) throw new ServerGone('the real Redis hung up')
  const replies: string[] = []
  for (let at = 0; replies.length < commands.length; ) {
    const reply = readReply(received, at)
    if (reply === undefined) throw new ServerGone('the real Redis does not answer any more')
    replies.push(received.slice(at, reply.end))
    at = reply.end
  }
  return replies
}
