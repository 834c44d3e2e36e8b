import { describe, expect, it } from 'vitest'
import { identityOfInfo, identityOfProgram } from '../../src/live/servers/server-identity.ts'

const lines = (...some: string[]) => ['# Server', ...some, 'gcc_version:12.2.0', 'process_id:1', ''].join('\r\n')

describe('the identity of a server', () => {
  it.each([
    ['Redis 7.0.15', lines('redis_version:7.0.15', 'redis_mode:standalone')],
    ['Valkey 8.1.1', lines('redis_version:7.2.4', 'server_name:valkey', 'valkey_version:8.1.1')],
    ['Dragonfly df-v1.2.3', lines('redis_version:7.4.0', 'dragonfly_version:df-v1.2.3')],
    ['a server of an unknown version', lines()],
  ])('is read from INFO: %s', (name, info) => expect(identityOfInfo(info)).toBe(name))

  it.each([
    ['Redis 7.0.15', 'Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64 build=1\n'],
    ['Valkey 8.1.1', 'Valkey server v=8.1.1 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64 build=1\n'],
    [null, 'GNU coreutils 9.1\n'],
  ])('is read from the output of its program: %s', (name, printed) => expect(identityOfProgram(printed)).toBe(name))
})
