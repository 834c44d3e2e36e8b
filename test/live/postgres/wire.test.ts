/**
 * PostgreSQL's protocol on the socket of a client: which messages leave together, and where an
 * answer ends.
 */
import { describe, expect, it } from 'vitest'
import { ClientReader, ServerReader } from '../../../src/live/consumer/postgres-wire.ts'
import { ConnectionStatements, unlabelled } from '../../../src/live/consumer/sent-statements.ts'

const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}
const int16 = (value: number): Buffer => int32(value).subarray(2)
const text = (value: string): Buffer => Buffer.from(`${value}\0`)
const message = (type: string, ...body: readonly Buffer[]): Buffer => {
  const whole = Buffer.concat(body)
  return Buffer.concat([Buffer.from(type), int32(whole.length + 4), whole])
}
const startup = message('', int32(196_608), text('user'), text('app'), text(''))
const query = (sql: string): Buffer => message('Q', text(sql))
const sync = message('S')

/** The messages that `pg` sends. */
function extended(sql: string, values: readonly (string | null)[], name = ''): Buffer {
  const parameters = values.map((one) =>
    one === null ? int32(-1) : Buffer.concat([int32(Buffer.byteLength(one)), Buffer.from(one)]),
  )
  return Buffer.concat([
    message('P', text(name), text(sql), int16(0)),
    message('B', text(''), text(name), int16(0), int16(values.length), ...parameters, int16(0)),
    message('D', Buffer.from('P'), text('')),
    message('E', text(''), int32(0)),
  ])
}

const begun = (): ClientReader => {
  const reader = new ClientReader()
  reader.take(startup)
  return reader
}

describe('a client message', () => {
  it('opens a session, with one answer of the server', () => {
    expect(new ClientReader().take(startup)).toMatchObject([{ statements: [], closes: true, end: startup.length }])
  })

  it('has a statement with its parameters, up to Sync', () => {
    const bytes = Buffer.concat([extended('SELECT $1, $2', ['one', null]), sync])
    const statements = [{ text: 'SELECT $1, $2', parameters: ['one', null] }]
    expect(begun().take(bytes)).toEqual([{ statements, closes: true, isSimple: false, ends: false, end: bytes.length }])
  })

  it('is cut before Terminate, which ends the session', () => {
    const bytes = Buffer.concat([query('COMMIT'), message('X')])
    expect(begun().take(bytes)).toMatchObject([
      { isSimple: true, closes: true, ends: false },
      { isSimple: false, closes: false, ends: true, end: bytes.length },
    ])
  })

  it('is cut at each ReadyForQuery: several queries of one write count separately', () => {
    const [one, two] = [query('BEGIN'), query('COMMIT')]
    expect(begun().take(Buffer.concat([one, two]))).toMatchObject([
      { statements: [{ text: 'BEGIN' }], end: one.length },
      { statements: [{ text: 'COMMIT' }], end: one.length + two.length },
    ])
  })

  it.each(Array.from({ length: 9 }, (_, at) => at * 7))('may come in pieces: cut at %d', (at) => {
    const bytes = Buffer.concat([extended('SELECT $1', ['a']), sync])
    const reader = begun()
    const parts = [bytes.subarray(0, at), bytes.subarray(at)].flatMap((one) => reader.take(one))
    expect(parts.flatMap(({ statements }) => statements)).toEqual([{ text: 'SELECT $1', parameters: ['a'] }])
    expect(parts.filter(({ closes }) => closes)).toHaveLength(1)
    expect(parts.at(-1)!.end).toBe(bytes.length - at)
  })

  it('executes a prepared statement by its name', () => {
    const reader = begun()
    reader.take(Buffer.concat([message('P', text('mine'), text('SELECT 1'), int16(0)), sync]))
    const again = Buffer.concat([
      message('B', text(''), text('mine'), int16(0), int16(0), int16(0)),
      message('E', text(''), int32(0)),
      sync,
    ])
    expect(reader.take(again)[0]!.statements).toEqual([{ text: 'SELECT 1', parameters: [] }])
  })
})

describe('an answer of the server', () => {
  const ready = (state: string): Buffer => message('Z', Buffer.from(state))
  const tag = (words: string): Buffer => message('C', text(words))
  const error = message('E', text('SERROR'), text('C23505'), text('Mduplicate key'), text(''))

  it('ends with ReadyForQuery, also if it comes in pieces', () => {
    const reader = new ServerReader(begun())
    const bytes = Buffer.concat([tag('INSERT 0 1'), ready('T')])
    expect(reader.take(bytes.subarray(0, 9))).toEqual([])
    expect(reader.take(bytes.subarray(9))).toMatchObject([
      { shown: 'INSERT 0 1', idle: false, committed: true, end: bytes.length - 9 },
    ])
  })

  it.each([
    ['a commit', [tag('COMMIT'), ready('I')], true],
    ['a rollback', [tag('ROLLBACK'), ready('I')], false],
    ['an error', [error, ready('I')], false],
  ])('ends a transaction: %s', (_, messages, committed) => {
    const [answer] = new ServerReader(begun()).take(Buffer.concat(messages))
    expect([answer!.idle, answer!.committed]).toEqual([true, committed])
  })

  describe('is shown as in the simulator', () => {
    const row = (...values: (string | null)[]): Buffer =>
      message('D', int16(values.length), ...values.map((one) => (one === null ? int32(-1) : text4(one))))
    const text4 = (one: string): Buffer => Buffer.concat([int32(one.length), Buffer.from(one)])
    const fields = message('T', int16(0))

    it.each([
      ['rows', [fields, row('a', null), tag('SELECT 1'), ready('I')], '*1\r\n*2\r\n$1\r\na\r\n$-1\r\n'],
      ['no rows', [fields, tag('SELECT 0'), ready('I')], '$-1\r\n'],
      ['a tag', [tag('INSERT 0 1'), ready('I')], '+INSERT 0 1\r\n'],
      ['an error', [error, ready('E')], '-23505 duplicate key\r\n'],
      ['the first of several', [tag('BEGIN'), tag('SET'), ready('T')], '+BEGIN\r\n'],
    ])('%s', (_, messages, reply) => {
      const [answer] = new ServerReader(begun()).take(Buffer.concat(messages))
      expect(answer).toMatchObject({ reply, failed: messages.includes(error) })
    })
  })

  describe('with an error', () => {
    const ends = (severity: string) =>
      message(
        'E',
        text(`S${severity}`),
        text(`V${severity}`),
        text('C57P01'),
        text('Mterminating connection'),
        text(''),
      )

    it.each(['FATAL', 'PANIC'])('ends at %s, because no message follows', (severity) => {
      const bytes = Buffer.concat([tag('BEGIN'), ready('T'), ends(severity)])
      expect(new ServerReader(begun()).take(bytes)).toMatchObject([
        { shown: 'BEGIN' },
        { shown: '(error) 57P01 terminating connection', idle: false, committed: false, end: bytes.length },
      ])
    })

    it('ends only at ReadyForQuery if the session continues', () => {
      const reader = new ServerReader(begun())
      expect(reader.take(ends('ERROR'))).toEqual([])
      expect(reader.take(ready('E'))).toMatchObject([{ shown: '(error) 57P01 terminating connection' }])
    })
  })

  it('begins with a single byte if the client asked for TLS', () => {
    const client = new ClientReader()
    client.take(message('', int32(80_877_103)))
    const server = new ServerReader(client)
    expect(server.take(Buffer.from('N'))).toEqual([])
    client.take(startup)
    expect(server.take(Buffer.concat([message('R', int32(0)), ready('I')]))).toMatchObject([{ idle: true }])
  })
})

describe('effects of a connection', () => {
  const insert = { text: 'INSERT INTO onceproof_effects VALUES ($1)', parameters: ['effect-7', 'key'] }

  it('are reported when their transaction has committed', () => {
    const statements = new ConnectionStatements()
    statements.note([insert], unlabelled())
    expect(statements.ended(true)).toEqual([7])
    expect(statements.ended(true)).toEqual([])
  })

  it('are not reported if it was rolled back', () => {
    const statements = new ConnectionStatements()
    statements.note([insert], unlabelled())
    expect(statements.ended(false)).toEqual([])
    expect(statements.ended(true)).toEqual([])
  })

  it('are labeled in COMMIT with the keys of their transaction', () => {
    const statements = new ConnectionStatements()
    statements.note([{ text: 'BEGIN', parameters: [] }], unlabelled())
    statements.note([insert], unlabelled())
    const commit = unlabelled()
    expect(statements.note([{ text: 'COMMIT', parameters: [] }], commit)).toBe(true)
    expect([commit.label, statements.about]).toEqual(['COMMIT', 'effect-7 key'])
  })
})
