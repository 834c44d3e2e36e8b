/** A real Redis server as the crosscheck needs it; the command line finds and starts one. */

import { closedMark, encodeCommand, readReply, ServerGone } from 'test-servers'
import type { RealClient } from '../types.ts'

/** The reply to each command, as bytes. @throws ServerGone when one of them does not come */
export async function ask(client: RealClient, commands: readonly (readonly string[])[]): Promise<string[]> {
  const received = await client.exchange(commands.map(encodeCommand).join(''), commands.length)
  if (received.endsWith(closedMark)) throw new ServerGone('the real Redis closed the connection')
  const replies: string[] = []
  for (let at = 0; replies.length < commands.length; ) {
    const reply = readReply(received, at)
    if (reply === undefined) throw new ServerGone('the real Redis stopped answering')
    replies.push(received.slice(at, reply.end))
    at = reply.end
  }
  return replies
}
