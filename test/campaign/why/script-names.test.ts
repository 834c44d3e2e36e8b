/** A script without a name is named by its first comment, or by the line that sent it. */
import { describe, expect, it } from 'vitest'
import { scriptNames } from '../../../src/campaign/causes/script-names.ts'
import { scriptSha } from '../../../src/campaign/model/script-sha.ts'
import { withScriptNames } from '../../../src/contract/results/script-names.ts'
import { story } from './story.ts'

function sent(body: string, line: number | null = 34) {
  const { history, executed } = story()
  const label = `EVALSHA ${scriptSha(body).slice(0, 8)}`
  const sentFrom = line === null ? {} : { sentFrom: { file: 'src/pay.ts', line } }
  history.add({ type: 'command', process: 'a', command: label, reply: '1', ...sentFrom })
  executed.push({ process: 'a', label, seq: history.events.length, args: ['EVAL', body, '0'], reply: 1 })
  return { label, names: scriptNames({ history, executed }) }
}

describe('a script', () => {
  it('is named by its first comment', () => {
    const { label, names } = sent("--[[\n  Adds a job to the queue\n]]\nreturn redis.call('PING')")
    expect(names[label]).toBe('the script "Adds a job to the queue"')
  })

  it('is named by the line that sent it if it has no comment', () => {
    const { label, names } = sent("return redis.call('PING')")
    expect(withScriptNames(`${label} then answered 1`, names)).toBe('the script at pay.ts:34 then answered 1')
  })

  it('keeps its label if it has neither', () => {
    const { label, names } = sent("return redis.call('PING')", null)
    expect(withScriptNames(label, names)).toBe(label)
  })
})
