import { describe, expect, it } from 'vitest'
import { openNamedPostgres } from '../../../src/live/servers/named-postgres.ts'
import { readServerUrl } from '../../../src/live/servers/server-url.ts'

describe('the URL of a user’s server', () => {
  it('is parsed with decoded names and passwords', () => {
    expect(readServerUrl('postgres://a%40b:c%2Fd@[::1]:5433/orders', 'write one')).toEqual({
      ...{ protocol: 'postgres:', hostname: '::1', port: '5433', search: '' },
      ...{ username: 'a@b', password: 'c/d', pathname: '/orders' },
    })
  })

  it.each(['postgres://a:secret@[/x', 'redis://:secret@host:99999', 'postgres://a:secret%zz@host/db'])(
    'is rejected with advice and without its password if it is invalid: %s',
    (url) => {
      expect(() => readServerUrl(url, 'write one')).toThrow(/^--with \w+:\/\/…@.*: write one$/)
    },
  )

  it('is not a harness failure if it is not a URL of PostgreSQL', async () => {
    await expect(openNamedPostgres('postgres://a:b@host:99999/db')).rejects.toThrow(
      '--with postgres://…@host:99999/db: give user, host and database',
    )
  })
})
