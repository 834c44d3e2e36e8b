/** What a server says to one client, turn by turn. */
import { expect, it } from 'vitest'
import * as say from '../frontend-bytes.ts'
import { type MessageClient, messageClient } from '../message-client.ts'
import { describeBothServers } from './both-servers.ts'

/** Turns of one client: each is what it sends until it waits. */
export type Turns = readonly string[]

export async function reported(port: number, turns: Turns): Promise<string[][]> {
  const client: MessageClient = await messageClient(port)
  const heard = [await client.turn(say.sslRequest), await client.turn(say.startup())]
  for (const turn of turns) heard.push(await client.turn(turn))
  client.end()
  return heard
}

/**
 * One test for each story: both servers say the same, and nothing in it is named as not simulated.
 */
export function sameOnBothServers(stories: Readonly<Record<string, Turns>>): void {
  describeBothServers((servers) => {
    it.each(Object.keys(stories))('%s', async (name) => {
      const { real, simulated } = servers()
      const turns = stories[name]!
      const before = simulated.unsupported.length
      expect(await reported(simulated.port, turns)).toEqual(await reported(real.port, turns))
      expect(simulated.unsupported.slice(before)).toEqual([])
    })
  })
}
