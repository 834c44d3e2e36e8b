import { describe, expect, it } from 'vitest'
import { openNamedPostgres } from '../../../src/live/servers/named-postgres.ts'
import { readServerUrl } from '../../../src/live/servers/server-url.ts'

describe('the URL of a server that the user names', () => {
  it('is taken apart, with names and passwords as they are meant', () => {
    expect(readServerUrl('postgres://a%40b:c%2Fd@[::1]:5433/orders', 'write one')).toEqual({
      ...{ protocol: 'postgres:', hostname: '::1', port: '5433', search: '' },
      ...{ username: 'a@b', password: 'c/d', pathname: '/orders' },
    })
  })

  it.each(['postgres://a:secret@[/x', 'redis://:secret@host:99999', 'postgres://a:secret%zz@host/db'])(
    'that is none is refused with its remedy and without its password: %s',
    (url) => {
      expect(() => readServerUrl(url, 'write one')).toThrow(/^--with \w+:\/\/…@.*: write one$/)
    },
  )

  it('that is none of a PostgreSQL is no failure of the harness', async () => {
    await expect(openNamedPostgres('postgres://a:b@host:99999/db')).rejects.toThrow(
      '--with postgres://…@host:99999/db: give user, host and database',
    )
  })
})
