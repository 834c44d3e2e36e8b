import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { play } from '../sim/world-lab.ts'
import { load } from './programs.ts'

const hasGo = spawnSync('go', ['version']).status === 0

/** Builds a layer of this folder's and loads it. */
function built(source: string) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'onceproof-go-'))
  process.once('exit', () => fs.rmSync(folder, { recursive: true, force: true }))
  const file = path.join(folder, 'layer')
  const made = spawnSync('go', ['build', '-o', file, '.'], { cwd: source, encoding: 'utf8' })
  expect(made.stderr).toBe('')
  return load(`exec:${file}`)
}

const marker = fileURLToPath(new URL('../../implementations/exec/go-marker', import.meta.url))

describe.skipIf(!hasGo)('a layer in Go (needs go; Debian: golang-go)', () => {
  it('is played ten times alike, with a crash, and answers with what the sink gave', async () => {
    const layer = await built(marker)
    const crash = { kind: 'crash', when: { at: 'effect-unsent', consumer: 0, nth: 1 }, healAfterMs: 10 } as const
    const messages = ['a', 'b', 'a'].map((key, at) => ({ key, payload: { key }, publishAtMs: at }))
    const runs = []
    for (let time = 0; time < 10; time++)
      runs.push(await play(layer, { consumers: 2, messages, faults: [crash], seed: 3 }))
    for (const run of runs) expect(run.historyDigest).toBe(runs[0]!.historyDigest)
    const [run] = runs
    expect(run!.executed.length).toBeGreaterThan(3)
    expect(run!.of('process-ended')).toHaveLength(1)
    expect(run!.of('answered').map(({ outcome }) => outcome)).toContainEqual({
      status: 'done',
      result: expect.objectContaining({ effectId: 'effect-1' }),
    })
  })

  it('is told of a connection that broke, and connects again', async () => {
    const layer = await built(marker)
    const lost = { kind: 'lost-request', when: { at: 'command-unexecuted', consumer: 0, nth: 1 } } as const
    const run = await play(layer, { faults: [lost] })
    expect(run.of('threw')[0]!.error).toMatch(/connection reset by peer/)
    expect(run.of('effect-applied')).toHaveLength(1)
  })

  it('says that no fault puts its clock wrong, and none does', async () => {
    const layer = await built(marker)
    expect(layer.implementation.ownClocks).toBe(true)
    const step = { kind: 'clock-step', when: { at: 'time', ms: 0 }, byMs: 1000, healAfterMs: 10 } as const
    const run = await play(layer, {
      faults: [
        { ...step, machine: 0 },
        { ...step, machine: -1 },
      ],
    })
    expect(run.of('fault-struck').map(({ sentence }) => sentence)).toEqual([
      'the clock of redis jumps 1000 ms forwards',
    ])
  })
})
