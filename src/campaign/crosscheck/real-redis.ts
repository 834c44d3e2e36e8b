/**
 * The client of a real Redis server for the crosscheck. The command line finds and starts the
 * server.
 */

import { closedMark, encodeCommand, readReply, ServerGone } from 'test-servers'
import type { RealClient } from '../types.ts'

/**
 * The reply to each command, as bytes.
 * @throws ServerGone if a reply does not arrive
 */
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
