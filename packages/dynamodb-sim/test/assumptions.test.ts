/**
 * Violates each assumption about the callers of the service. The assertion that checks it must
 * fail.
 */
import { expect, it } from 'vitest'
import { responseBytes } from '../src/http/response.ts'
import { HttpConnection } from '../src/index.ts'
import { TablesLab } from './tables-lab.ts'

it('the clock of the service shows whole milliseconds', () => {
  const lab = new TablesLab()
  lab.now += 0.5
  expect(() => lab.get('a')).toThrow('whole milliseconds')
})

it('a conflict is possible for a write, but not for a read', () => {
  const lab = new TablesLab()
  lab.faults = ['conflict', 'conflict']
  expect(lab.put('a').status).toBe(400)
  expect(() => lab.get('a')).toThrow('only writes and transactions')
})

it('a response has a status that the service knows', () => {
  expect(() => responseBytes(418, {}, '')).toThrow('a status that the service knows')
})

it('a client sends only characters from U+0000 to U+00FF (bytes)', () => {
  const connection = new HttpConnection(new TablesLab().tables, { write() {}, close() {} })
  expect(() => connection.feed('\u0100')).toThrow('sends bytes')
})

it('the server does not hang up on a connection that is already closed', () => {
  const connection: HttpConnection = new HttpConnection(new TablesLab().tables, {
    write: () => connection.close(),
    close() {},
  })
  expect(() => connection.receive('no request\r\n\r\n')).toThrow('hangs up once')
})
