import { encodeCommand } from 'test-servers'
import { expect, it } from 'vitest'
import { runSequence } from '../../fidelity/compare/run-sequence.ts'
import { SimulatedTarget } from '../../fidelity/simulated-target.ts'
import type { Step } from '../../fidelity/step.ts'
import { raw, run, story } from '../../fidelity/stories/story.ts'

/**
 * Runs the steps on the simulated server and on a fake real server, which always answers `OK`.
 * Returns the kind of each step that the fake receives, with the value of the counter `n` on the
 * simulated server at that moment.
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

it('if no reply is awaited, the simulated server executes a step first, so that no real script runs at the same time', async () => {
  expect(await countedBefore(raw(setN, 0))).toContainEqual(['raw', 1])
})

it('if a reply is awaited, the real server executes a step first, because the simulated server assumes that timeouts have elapsed', async () => {
  expect((await countedBefore(raw(setN, 1)))[0]).toEqual(['raw', 0])
  expect((await countedBefore(run('SET n 1')))[0]).toEqual(['command', 0])
})
