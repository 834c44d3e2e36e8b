/**
 * Each test violates an assumption about the callers of the server and expects an assertion error.
 */
import { beforeAll, expect, it } from 'vitest'
import { Database, loadSqlParser, type Session } from '../src/index.ts'
import { ClientConnection } from '../src/wire/client-connection.ts'
import { Execution } from '../src/wire/execution.ts'
import { Output } from '../src/wire/output.ts'
import type { ServerPeer } from '../src/wire/server-peer.ts'
import { ask, query, startup, sync } from './frontend-bytes.ts'

beforeAll(loadSqlParser)

/** A server with one connection. `changed` modifies its session. */
function serve(changed: (session: Session) => Session = (session) => session) {
  const database = new Database({ nowUs: () => 0, after: () => () => {}, chance: () => 0, unsupported: () => {} })
  let said = ''
  const peer: ServerPeer = {
    connect: (given) => changed(database.connect(given)),
    ...{ cancel() {}, executes: () => true, executed() {}, close() {}, later() {}, unsupported() {} },
    send: (bytes) => {
      said += bytes
    },
  }
  const client = new ClientConnection(peer)
  const turn = (bytes: string): string => {
    said = ''
    client.feed(bytes)
    while (client.step());
    return said
  }
  return { client, peer, turn }
}

/** Overrides members of the session. */
const withMembers = (session: Session, members: Partial<Session>): Session =>
  new Proxy(session, {
    get: (target, name) => Reflect.get(members, name) ?? bound(target, Reflect.get(target, name)),
  })
const bound = (target: Session, member: unknown) => (typeof member === 'function' ? member.bind(target) : member)

const readies = (said: string): number => said.split('Z\0\0\0\u0005').length - 1

it('a query and a Sync have one ReadyForQuery each', () => {
  const { turn } = serve()
  expect(readies(turn(startup()))).toBe(1)
  expect(readies(turn(query('SELECT 1') + ask('SELECT 1') + sync))).toBe(3)
})

it('a second end of an implicit transaction is detected', () => {
  const twice = serve((session) =>
    withMembers(session, {
      endImplicit(_ok, done) {
        done(null)
        done(null)
      },
    }),
  )
  twice.turn(startup())
  expect(() => twice.turn(ask('SELECT 1'))).toThrow('a statement has one outcome')
})

it('a message that is taken before the server is ready is detected', () => {
  // The end of the transaction is never reported, although no statement is running.
  const silent = serve((session) => withMembers(session, { endImplicit() {} }))
  silent.turn(startup())
  const end = Execution.prototype.endImplicit
  Execution.prototype.endImplicit = () => {}
  try {
    expect(() => silent.turn(ask('SELECT 1') + query('SELECT 2'))).toThrow('ready before it takes the next message')
  } finally {
    Execution.prototype.endImplicit = end
  }
})

it('a second outcome of a statement and a second concurrent statement are detected', () => {
  const twice = serve((session) =>
    withMembers(session, {
      execute(_statement, _parameters, done) {
        for (let time = 0; time < 2; time++) done({ ok: true, tag: 'SELECT 0', fields: null, rows: [] })
      },
    }),
  )
  twice.turn(startup())
  expect(() => twice.turn(query('SELECT 1'))).toThrow('one outcome')

  const { peer } = serve()
  const session = peer.connect({ user: 'postgres', database: 'postgres', parameters: {} })
  const execution = new Execution(peer, session, new Output(peer), { discarded() {}, lost() {} })
  execution.busy = true
  const [statement] = session.parse('SELECT 1')
  expect(() => execution.execute(statement!, [], () => {})).toThrow('one statement at a time')
})

it('characters that are not bytes and a notification without a session are detected', () => {
  const { client, turn } = serve()
  expect(() => client.feed('\u0100')).toThrow('sends bytes')
  expect(() => client.notified('channel', '', 1)).toThrow('a session that lasts')
  expect(readies(turn(startup()))).toBe(1)
})
