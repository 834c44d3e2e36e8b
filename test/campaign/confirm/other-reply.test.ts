import { describe, expect, it } from 'vitest'
import { firstOther } from '../../../src/campaign/confirm/other-reply.ts'
import type { ScriptedRun } from '../../../src/campaign/confirm/run-script.ts'
import type { LiveCommand } from '../../../src/contract/script.ts'

const executed = (process: string, label: string, reply: unknown) => ({ process, label, seq: 1, args: [label], reply })

/** Its layer was deployed before consumers came. */
const simulated = {
  script: { steps: [], draws: [], scriptLabels: {} },
  result: {
    history: { events: [{ type: 'process-started', process: 'consumer-1', seq: 0, atUs: 0 }] },
    executed: [
      executed('operator', 'SET', 'x'),
      executed('consumer-1', 'GET', null),
      executed('consumer-1', 'SET', null),
    ],
  },
} as unknown as ScriptedRun

const lateMs = { left: 0, answered: 0 }
const live = (...replies: string[]): LiveCommand[] =>
  replies.map((reply, at) => ({ ...executed('consumer-1', at === 0 ? 'GET' : 'SET', null), reply, lateMs }))

describe('the first reply that is another one', () => {
  it('is looked for among the commands of consumers', () => {
    expect(firstOther(simulated, live('$-1\r\n', '$1\r\n1\r\n'))).toMatchObject({ at: 1, command: 'SET' })
  })

  it('is not there where all are alike', () => expect(firstOther(simulated, live('$-1\r\n', '$-1\r\n'))).toBeNull())
})
