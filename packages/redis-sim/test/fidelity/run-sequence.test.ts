import { encodeCommand } from 'test-servers'
import { expect, it } from 'vitest'
import { runSequence } from '../../fidelity/compare/run-sequence.ts'
import { SimulatedTarget } from '../../fidelity/simulated-target.ts'
import type { Step } from '../../fidelity/step.ts'
import { raw, run, story } from '../../fidelity/stories/story.ts'

/**
 * A real server that is told each step, and how often the simulated one had counted by then. Its
 * answers are `OK`.
 */
async function countedBefore(...steps: Step[]): Promise<[string, number][]> {
  const simulated = new SimulatedTarget()
  const seen: [string, number][] = []
  const real = {
    begin: async () => 1,
    perform: async (step: Exclude<Step, { kind: 'sleep' }>) => {
      const counted = simulated.server.keyspace.used()[0]?.entries.get('n')
      seen.push([step.kind, counted === undefined ? 0 : 1])
      return '+OK\r\n'
    },
  }
  const sequence = story('counts', 1, ...steps)
  await runSequence({ real, simulated, nowUs: () => 1_700_000_000_000_000 }, sequence, () => {})
  return seen
}

const setN = encodeCommand(['SET', 'n', '1'])

it('lets no time of a real script pass while the simulated one computes: where nobody waits for a reply, that one is first', async () => {
  expect(await countedBefore(raw(setN, 0))).toContainEqual(['raw', 1])
})

it('asks the real server first where a reply is awaited, since the simulated one takes it that what waited stops waiting', async () => {
  expect((await countedBefore(raw(setN, 1)))[0]).toEqual(['raw', 0])
  expect((await countedBefore(run('SET n 1')))[0]).toEqual(['command', 0])
})
