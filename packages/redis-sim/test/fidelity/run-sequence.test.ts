import { encodeCommand } from 'test-servers'
import { expect, it } from 'vitest'
import { runSequence } from '../../fidelity/compare/run-sequence.ts'
import { SimulatedTarget } from '../../fidelity/simulated-target.ts'
import type { Step } from '../../fidelity/step.ts'
import { raw, run, story } from '../../fidelity/stories/story.ts'

/**
 * The steps that a fake real server gets, with the counter of the simulated one at that moment. It
 * always answers `OK`.
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

it('the simulated server runs first if no reply is awaited, so that no time of a real script passes meanwhile', async () => {
  expect(await countedBefore(raw(setN, 0))).toContainEqual(['raw', 1])
})

it('the real server runs first if a reply is awaited, because the simulated one assumes that the wait is over', async () => {
  expect((await countedBefore(raw(setN, 1)))[0]).toEqual(['raw', 0])
  expect((await countedBefore(run('SET n 1')))[0]).toEqual(['command', 0])
})
