/** Commands inside MULTI take effect with EXEC, which also has their replies. */
import { expect, it } from 'vitest'
import { judge } from '../../src/check/index.ts'
import type { Violation } from '../../src/contract/api/verdict.ts'
import { reportStory } from '../../src/report/story.ts'
import { aRun, type HistoryBuilder } from '../check/history-builder.ts'

function storyOf(history: HistoryBuilder): string {
  const violations = judge(history, ['at-most-once']).flatMap(({ verdict }) =>
    verdict.verdict === 'violated' ? verdict.violations : [],
  )
  return reportStory(history, violations[0] as Violation).join('\n')
}

const command = (history: HistoryBuilder, process: string, text: string, reply = 'OK') =>
  history.add({ type: 'command', process, command: text, reply })

/** A claim in a transaction of `a`, which reaches the sink late. Meanwhile, `b` performs. */
function claimed(exec: string, ...others: readonly (readonly [text: string, reply: string])[]) {
  const history = aRun().publish('m1').at(1).deliver(1, 'm1', 'a')
  for (const [text, reply] of others) command(history.at(2), 'a', text, reply)
  command(history.at(2), 'a', 'multi')
  command(history, 'a', 'set lock:k1 a NX PX 1000', 'QUEUED')
  command(history.at(3), 'a', 'exec', exec)
  history.at(1003).loseData('expiry', ['lock:k1']).at(1500).send(1, 1).at(1501).apply(1)
  return storyOf(history.at(1600).deliver(2, 'm1', 'b', 2).at(1700).send(2, 2).at(1701).apply(2).rest())
}

it('a queued command is shown as queued, and its EXEC with the replies', () => {
  const story = claimed('[OK]')
  expect(story).toContain('Redis queues SET lock:k1 a NX PX 1000 for a\n')
  expect(story).toContain('Redis executes EXEC for a: [OK]')
  expect(story).not.toContain('QUEUED')
})

it('an attempt believes the reply of EXEC, unless nothing was executed or the EXEC is ambiguous', () => {
  expect(claimed('[OK]')).toContain(
    'a believed that it held lock:k1, by the reply at 3.0 ms; it had expired at 1003.0 ms',
  )
  expect(claimed('nil')).not.toContain('believed that it held')
  // Another connection of the process has an open transaction.
  expect(claimed('[OK]', ['multi', 'OK'], ['set other:k1 1', 'QUEUED'])).not.toContain('believed that it held')
})

it('an expired key is shown with the EXEC that found it gone', () => {
  const history = aRun().publish('m1').deliver(1, 'm1', 'a').send(1, 1).apply(1).done(1)
  history.at(20_000).deliver(2, 'm1', 'a', 2)
  command(history, 'a', 'multi')
  command(history, 'a', 'set s:k1 a NX', 'QUEUED').loseData('expiry', ['s:k1'])
  command(history, 'a', 'exec', '[OK]')
  const story = storyOf(history.at(20_001).send(2, 2).apply(2).rest())
  expect(story).toContain('Redis executes EXEC for a: [OK]; s:k1 has expired')
  expect(story).not.toContain('believed that it held')
})

it('an EXEC with only other keys is not part of the story', () => {
  const history = aRun().publish('m2', { key: 'k2' }).publish('m1').deliver(1, 'm1', 'a').deliver(3, 'm2', 'a')
  command(history, 'a', 'multi')
  command(history, 'a', 'set s:k2 a NX', 'QUEUED')
  command(history, 'a', 'exec', '[OK]')
  history.send(1, 1).apply(1).deliver(2, 'm1', 'b', 2).send(2, 2).apply(2).rest()
  expect(storyOf(history)).not.toContain('EXEC')
})
