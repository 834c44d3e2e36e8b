import { describe, expect, it } from 'vitest'
import { InfoReply } from '../src/info-reply.ts'

const reported = new InfoReply([
  {
    title: 'Server',
    lines: [
      ['run_id', 'a'.repeat(40)],
      ['hz', 10],
    ],
  },
  { title: 'Modules', lines: [] },
  {
    title: 'Replication',
    lines: [
      ['role', 'master'],
      ['slave0', 'ip=10.0.0.2,port=6379,state=online,offset=5,lag=0'],
    ],
  },
])

describe('INFO', () => {
  it('has the text format of Redis', () => {
    expect(reported.text).toBe(
      `# Server\r\nrun_id:${'a'.repeat(40)}\r\nhz:10\r\n\r\n# Modules\r\n\r\n# Replication\r\nrole:master\r\n` +
        'slave0:ip=10.0.0.2,port=6379,state=online,offset=5,lag=0\r\n',
    )
  })

  it('has the same lines for a Sentinel, whether the Sentinel receives an object or text', () => {
    const heard = reported.sections.flatMap(({ lines }) => lines.map(([field, value]) => [field, String(value)]))
    const read = InfoReply.ofText(reported.text)
    expect(read.sections.flatMap(({ lines }) => lines)).toEqual(heard)
    expect(read.text).toBe(reported.text)
  })
})
