import { describe, expect, it } from 'vitest'
import { ServerByHand } from './server-by-hand.ts'

function described(...commands: string[]) {
  const world = new ServerByHand()
  const client = world.client()
  for (const command of commands) client.run(command)
  return world.server.describeKeys()
}

describe('describeKeys', () => {
  it('returns equal descriptions for equal data, regardless of the commands that produced the data', () => {
    expect(described('SET a 1', 'HSET h x 1 y 2', 'SADD s b a')).toEqual(
      described('SADD s a', 'HSET h y 2', 'INCR a', 'SADD s b', 'HSET h x 1'),
    )
  })

  it('returns different descriptions if a value, a deadline, a type or a database differs', () => {
    const plain = described('SET a 1')
    expect(described('SET a 2')).not.toEqual(plain)
    expect(described('SET a 1 PX 10')).not.toEqual(plain)
    expect(described('RPUSH a 1')).not.toEqual(plain)
    expect(described('SELECT 1', 'SET a 1')).not.toEqual(plain)
  })

  it('omits expired keys', () => {
    expect(described('SET a 1', 'SET b 1 PXAT 1')).toEqual(described('SET a 1'))
  })
})

describe('SCAN', () => {
  it('returns every key that exists from the first call to the last, even if other keys are added and deleted', () => {
    const client = new ServerByHand().client()
    for (let n = 0; n < 100; n++) client.run(`SET stays:${n} x`)
    const seen = new Set<string>()
    let cursor = '0'
    do {
      const [next, ...keys] = client
        .run(`SCAN ${cursor} COUNT 7`)
        .split('\r\n')
        .filter((line) => line !== '' && !/^[*$]/.test(line)) as [string, ...string[]]
      for (const key of keys) seen.add(key)
      cursor = next
      client.run(`DEL passes:${seen.size}`)
      client.run(`SET passes:${seen.size + 1} x`)
    } while (cursor !== '0')
    expect([...seen].filter((key) => key.startsWith('stays:'))).toHaveLength(100)
  })
})

describe('an unknown command', () => {
  it('is reported as unsupported only if real Redis has the command, for a client and in a script', () => {
    const world = new ServerByHand()
    const client = world.client()
    expect(client.run('LOLWUT h 1')).toBe("-ERR unknown command 'LOLWUT', with args beginning with: 'h' '1' \r\n")
    expect(client.run('MEMORY DOCTOR')).toBe("-ERR unknown subcommand 'DOCTOR'. Try MEMORY HELP.\r\n")
    expect(world.unsupported).toEqual(['LOLWUT', 'MEMORY DOCTOR'])
    client.run('NOSUCH a')
    client.run('CLIENT SETINFO lib-name x')
    expect(world.unsupported).toHaveLength(2)
    expect(client.raw("EVAL \"return redis.call('LOLWUT','a','b')\" 0\r\n")).toMatch(
      /^-ERR Unknown Redis command called from script/,
    )
    expect(world.unsupported).toEqual(['LOLWUT', 'MEMORY DOCTOR', 'LOLWUT'])
  })
})

describe('a script that runs for long', () => {
  it('is reported if it never ends, and keeps the server busy until it is killed', () => {
    const world = new ServerByHand({ scriptStepBudget: 100_000 })
    const [client, other] = [world.client(), world.client()]
    expect(client.raw('EVAL "while true do end" 0\r\n')).toBe('')
    expect(world.unsupported).toEqual(['a script that runs for too long'])
    expect(other.raw('PING\r\n')).toMatch(/^-BUSY /)
    expect(other.raw('SCRIPT KILL\r\n')).toBe('+OK\r\n')
    expect(client.raw('EVAL "for i = 1, 100 do end return 1" 0\r\n')).toMatch(/Script killed by user.*\r\n:1\r\n$/)
  })

  it('cannot be killed once it has written', () => {
    const world = new ServerByHand({ scriptStepBudget: 100_000 })
    const [client, other] = [world.client(), world.client()]
    client.raw(`EVAL "redis.call('SET','a','1') while true do end" 0\r\n`)
    expect(other.raw('SCRIPT KILL\r\n')).toMatch(/^-UNKILLABLE /)
    expect(other.raw('GET a\r\n')).toMatch(/^-BUSY /)
  })

  it('ends by itself, and is not reported, if it stays within the step budget', () => {
    const world = new ServerByHand({ busyReplyThreshold: 10 })
    const [client, other] = [world.client(), world.client()]
    expect(client.raw(`EVAL "redis.call('SET', 'a', '1') for i = 1, 2000000 do end return 1" 0\r\n`)).toBe('')
    expect(other.raw('GET a\r\n')).toMatch(/^-BUSY /)
    expect(other.raw('SCRIPT KILL\r\n')).toMatch(/^-UNKILLABLE /)
    expect(other.raw('SHUTDOWN\r\n')).toMatch(/^-BUSY /)
    world.pass(15)
    expect(other.raw('GET a\r\n')).toMatch(/^-BUSY /)
    world.pass(10)
    expect(client.taken()).toBe(':1\r\n')
    expect(other.raw('GET a\r\n')).toBe('$1\r\n1\r\n')
    expect(world.unsupported).toEqual([])
  })

  it('does not prevent SHUTDOWN NOSAVE, which calls `exit` of the environment', () => {
    let exits = 0
    const world = new ServerByHand({ scriptStepBudget: 100_000 }, { exit: () => exits++ })
    const [client, other] = [world.client(), world.client()]
    client.raw(`EVAL "redis.call('SET','a','1') while true do end" 0\r\n`)
    expect(other.raw('SHUTDOWN SAVE\r\n')).toMatch(/^-BUSY /)
    expect(other.raw('SHUTDOWN NOSAVE SAVE\r\n')).toBe('-ERR syntax error\r\n')
    expect(exits).toBe(0)
    expect(other.raw('SHUTDOWN NOSAVE\r\n')).toBe('')
    expect(exits).toBe(1)
  })

  it('is not reported if it only makes many calls', () => {
    const world = new ServerByHand()
    const script = "for i = 1, 250000 do redis.call('SET', 'foo', i) end return redis.call('GET', 'foo')"
    expect(world.client().raw(`EVAL "${script}" 0\r\n`)).toBe('$6\r\n250000\r\n')
    expect(world.unsupported).toEqual([])
  })

  it('is answered immediately if it takes less time than busy-reply-threshold', () => {
    const client = new ServerByHand({ busyReplyThreshold: 21 }).client()
    expect(client.raw('EVAL "for i = 1, 2000000 do end return 1" 0\r\n')).toBe(':1\r\n')
  })

  it('does not affect other clients after its end if its caller has disconnected', () => {
    const world = new ServerByHand({ busyReplyThreshold: 10 })
    const [client, other] = [world.client(), world.client()]
    client.raw('EVAL "for i = 1, 2000000 do end return 1" 0\r\n')
    client.connection.close()
    expect(other.raw('PING\r\n')).toMatch(/^-BUSY /)
    world.pass(21)
    expect(other.raw('PING\r\n')).toBe('+PONG\r\n')
  })

  it('ends as if killed if it never ends inside a transaction', () => {
    const world = new ServerByHand({ scriptStepBudget: 100_000 })
    const client = world.client()
    expect(client.raw('MULTI\r\nEVAL "while true do end" 0\r\nEXEC\r\n')).toMatch(/\*1\r\n-ERR .*killed by user/)
    expect(client.raw('PING\r\n')).toBe('+PONG\r\n')
  })
})
