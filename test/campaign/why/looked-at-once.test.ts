/** Two deliveries of a key in one process both read too early, whichever sent which read. */
import { OK, type Reply } from 'redis-sim/resp'
import { expect, it } from 'vitest'
import { moralOf } from '../../../src/check/remedies.ts'
import { insteadOf } from '../../../src/contract/results/remedy-page.ts'
import { story } from './story.ts'

type Step = readonly [words: string, reply: Reply]
const look = ['GET k1', null] as const
const found = ['GET k1', 'begun'] as const
const write = ['SET k1 begun', OK] as const
const claim = ['SET k1 begun NX', OK] as const

const said = (steps: readonly Step[], sends = 2) => {
  const { history, command, why } = story()
  history.publish('m1').deliver(1, 'm1', 'a').deliver(2, 'm1', 'a', 2)
  for (const step of steps) command('a', ...step)
  for (let at = 1; at <= sends; at++) history.send(at, 1, { unknownDelivery: true })
  history.apply(1).apply(2)
  return why('duplicate')
}

const atOnce = 'both attempts looked (GET) before either had written there (SET), and both performed'

it('reports the reads and the write that came too late for both', () => {
  expect(said([look, look, write, write])).toBe(atOnce)
  expect(moralOf('duplicate', null, atOnce)).toMatch(/^A read and a write are two steps/)
  expect(insteadOf('zombie', atOnce)).toBe(insteadOf('duplicate'))
})

it.each([
  ['a read came after the write', [look, write, look, write]],
  ['one read found something', [look, found, write]],
  ['a claim wrote', [look, look, claim]],
  ['nothing was written', [look, look]],
])('does not report them if %s', (_, steps) => {
  expect(said(steps)).not.toContain('both performed')
})

it('does not report them if there were more effects than reads', () => {
  expect(said([look, look, write], 3)).not.toContain('both performed')
})
