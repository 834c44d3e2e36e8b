/**
 * Plays the whole way once: results depend neither on the number of worker threads, nor on shards,
 * nor on the process. campaign/play/executor.test.ts explains why: an answer depends only on its
 * task.
 */
import { expect, it } from 'vitest'
import { type CliResult, onceproof, withoutServers, write } from './run-cli.ts'
import { onceproofHere } from './run-here.ts'
import { breaksId, twoVersionsProject } from './two-versions-project.ts'

it('a campaign gives the same results with one worker, two workers, and two shards', async () => {
  const cwd = twoVersionsProject()
  const upgrade = "{ implementation: 'marker-before-plain-sink', withNext: './next.ts' }"
  // Two chunks of each pair for two workers.
  const rest = "scenarios: ['competing-consumers'], runs: 21"
  write(cwd, 'onceproof.config.mjs', `export default { implementations: ['reference', ${upgrade}], ${rest} }`)
  const json = ['--no-html', '--json', '--workers']
  const lasting = ({ stdout }: CliResult) => ({ ...JSON.parse(stdout), timings: null })

  const one = await onceproofHere([...json, '1'], { cwd })
  const env = { TZ: 'Asia/Tokyo', LANG: 'de_DE.UTF-8', ...withoutServers }
  const two = await onceproof([...json, '2'], { cwd, env })
  for (const index of [1, 2])
    await onceproofHere([...json, '1', '--shard', `${index}/2`, '--reports', `s${index}`], { cwd })
  const merged = await onceproofHere(['merge', 's1', 's2', ...json, '1'], { cwd })

  expect(lasting(one).pairs).toMatchObject([
    { implementation: breaksId, verdict: 'violated', runs: 21 },
    { implementation: 'reference', verdict: 'pass', runs: 21 },
  ])
  expect(JSON.parse(two.stdout).timings.workers).toBe(2)
  expect(lasting(two)).toEqual(lasting(one))
  expect(lasting(merged)).toEqual(lasting(one))
  expect(JSON.stringify(lasting(merged))).toBe(JSON.stringify(lasting(one)))
  expect([one, two, merged].map(({ code }) => code)).toEqual([1, 1, 1])
})
