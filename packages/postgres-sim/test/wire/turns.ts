/** The server's messages to one client, turn by turn. */
import { expect, it } from 'vitest'
import * as say from '../frontend-bytes.ts'
import { type MessageClient, messageClient } from '../message-client.ts'
import { describeBothServers } from './both-servers.ts'

/** Turns of one client. Each turn contains the bytes that it sends before it waits. */
export type Turns = readonly string[]

export async function reported(port: number, turns: Turns): Promise<string[][]> {
  const client: MessageClient = await messageClient(port)
  const heard = [await client.turn(say.sslRequest), await client.turn(say.startup())]
  for (const turn of turns) heard.push(await client.turn(turn))
  client.end()
  return heard
}

/** Runs one test per entry: both servers send the same messages, and nothing is unsupported. */
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
