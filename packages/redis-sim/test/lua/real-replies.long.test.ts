import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { handWrittenScripts } from '../../fidelity/lua/scripts.ts'
import { run } from './run.ts'

const recorded = JSON.parse(readFileSync(new URL('./real-replies.json', import.meta.url), 'utf8')) as Record<
  string,
  string
>

it('every handwritten script gives the same bytes as Redis 7.0.15', () => {
  const differences = handWrittenScripts
    .map(({ name, body, keys, argv }) => ({ name, body, real: recorded[name], simulated: run(body, keys, argv) }))
    .filter(({ real, simulated }) => real !== simulated)
  expect(differences).toEqual([])
})

it('every script has a recorded reply, and the replies vary', () => {
  expect(Object.keys(recorded).sort()).toEqual(handWrittenScripts.map(({ name }) => name).sort())
  expect(handWrittenScripts.length).toBeGreaterThan(300)
  expect(new Set(Object.values(recorded)).size).toBeGreaterThan(handWrittenScripts.length / 2)
})

it('nearly every script has a different reply than the next script, so that the comparison is meaningful', () => {
  const shifted = handWrittenScripts.filter(({ body, keys, argv }, index) => {
    const next = handWrittenScripts[(index + 1) % handWrittenScripts.length]!
    return run(body, keys, argv) === recorded[next.name]
  })
  expect(shifted.length).toBeLessThan(handWrittenScripts.length / 10)
})
