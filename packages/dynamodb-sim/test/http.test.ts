import { describe, expect, it } from 'vitest'
import { authorization, requestText } from '../fidelity/request-text.ts'
import { HttpConnection } from '../src/index.ts'
import { TablesLab } from './tables-lab.ts'

class Client {
  received = ''
  ended = false
  readonly connection = new HttpConnection(new TablesLab().tables, {
    write: (bytes) => {
      this.received += bytes
    },
    close: () => {
      this.ended = true
    },
  })

  send(bytes: string): string {
    this.received = ''
    this.connection.receive(bytes)
    return this.received
  }
}

const listTables = requestText('ListTables', {})
const head = (more: readonly string[]) =>
  [
    'POST / HTTP/1.1',
    'Content-Type: application/x-amz-json-1.0',
    'X-Amz-Target: DynamoDB_20120810.ListTables',
    'X-Amz-Date: 20260101T000000Z',
    `Authorization: ${authorization}`,
    ...more,
    '\r\n',
  ].join('\r\n')

describe('the HTTP side of the simulated DynamoDB', () => {
  it('answers with length, checksum, request id and date', () => {
    const response = new Client().send(listTables)
    expect(response).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(response).toContain('\r\nContent-Type: application/x-amz-json-1.0\r\n')
    // The CRC-32 of {"TableNames":["tab"]}, computed with gzip.
    expect(response).toContain('\r\nx-amz-crc32: 1739884542\r\n')
    expect(response).toMatch(/\r\nx-amzn-RequestId: [A-Z2-7]{52}\r\n/)
    expect(response).toContain('\r\nDate: Thu, 01 Jan 2026 00:00:00 GMT\r\n')
    expect(response.endsWith('Content-Length: 22\r\n\r\n{"TableNames":["tab"]}')).toBe(true)
  })

  it('accepts requests in pieces of any size, and several requests in one piece', () => {
    const client = new Client()
    for (const byte of listTables.slice(0, -1)) expect(client.send(byte)).toBe('')
    expect(client.send(listTables.slice(-1))).toContain('200 OK')
    expect(client.send(listTables + listTables).split('200 OK')).toHaveLength(3)
    expect(client.ended).toBe(false)
  })

  it('accepts a chunked body', () => {
    const client = new Client()
    expect(
      client.send(`${head(['Transfer-Encoding: chunked'])}1\r\n{\r\n1;x=y\r\n}\r\n0\r\nTrailer: a\r\n\r\n`),
    ).toContain('{"TableNames":["tab"]}')
    expect(client.send(listTables)).toContain('200 OK')
  })

  it('closes the connection if the client requests it', () => {
    const client = new Client()
    client.send(`${head(['Connection: close', 'Content-Length: 2'])}{}`)
    expect([client.ended, client.connection.isClosed]).toEqual([true, true])
  })

  it.each([
    ['no HTTP', 'PING\r\n\r\n', '400'],
    ['a body that is too long', head(['Content-Length: 99999999']), '413'],
    ['a length that is none', head(['Content-Length: many']), '400'],
    ['a chunk without a length', `${head(['Transfer-Encoding: chunked'])}zz\r\n`, '400'],
  ])('answers invalid bytes with an error status, and closes the connection: %s', (_what, bytes, status) => {
    const client = new Client()
    expect(client.send(bytes)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(client.ended).toBe(true)
  })

  it.each([
    [
      'is not signed',
      (text: string) => text.replace(/Authorization: .*\r\n/, ''),
      'MissingAuthenticationTokenException',
    ],
    ['has half a signature', (text: string) => text.replace(/, Signature=0/, ''), 'IncompleteSignatureException'],
    [
      'has a target of another service',
      (text: string) => text.replace('DynamoDB_20120810', 'SQS'),
      'UnknownOperationException',
    ],
    ['is no JSON', (text: string) => text.replace(/\{\}$/, '{]'), 'SerializationException'],
  ])('refuses a request that %s', (_what, changed, error) => {
    const response = new Client().send(changed(listTables))
    expect(response).toMatch(/^HTTP\/1\.1 400 /)
    expect(response).toContain(`#${error}"`)
  })

  it('returns the bytes of UTF-8 text unchanged', () => {
    const client = new Client()
    client.send(requestText('PutItem', { TableName: 'tab', Item: { k: { S: 'ключ \u{1f600}' } } }))
    const response = client.send(requestText('Scan', { TableName: 'tab', ConsistentRead: true }))
    expect(Buffer.from(response, 'latin1').toString()).toContain('ключ \u{1f600}')
  })
})
