import { describe, expect, it } from 'vitest'
import { encodeCommand } from '../../src/resp/encode-command.ts'
import { ClientByHand, encode, ServerByHand } from '../server-by-hand.ts'

/**
 * A server, a client, and the effects sent to replicas; each effect is a text of database and
 * words.
 */
function listening() {
  const machine = new ServerByHand()
  const reported: string[] = []
  machine.server.propagation.listen('replicas', (database, words) => reported.push(`${database} ${words.join(' ')}`))
  return { machine, client: machine.client(), reported }
}

function reportedBy(...commands: (string | string[])[]): string[] {
  const { client, reported } = listening()
  for (const words of commands) client.raw(typeof words === 'string' ? encode(words) : encodeCommand(words))
  return reported.map((line) => line.replace(/17\d{11}/, 'T'))
}

describe('the stream to replicas', () => {
  it.each([
    ['SET k v EX 10', '0 SET k v PXAT T'],
    ['SET k v NX GET', '0 SET k v NX'],
    ['PSETEX k 1000 v', '0 SET k v PXAT T'],
    ['GETSET k v', '0 SET k v'],
    ['INCRBYFLOAT n 1.5', '0 SET n 1.5 KEEPTTL'],
    ['HINCRBYFLOAT h f 1.5', '0 HSET h f 1.5'],
    ['PUBLISH c m', '0 PUBLISH c m'],
    ['FLUSHALL', '0 FLUSHALL'],
    ['GEOADD g 1 1 m', '0 zadd g 3377699720527872 m'],
  ])('for the command %s, contains %s', (command, effect) => {
    expect(reportedBy(command).map((line) => line.replace(/g \d+/, 'g 3377699720527872'))).toEqual([effect])
  })

  it.each([
    'GET k',
    'DEL none',
    'SADD s a',
    'SET k v NX',
    'EXPIRE none 10',
    'SCRIPT LOAD return(1)',
    'LTRIM l 0 -1',
    'INCR s',
  ])('for the command %s, which changes nothing, is empty', (command) => {
    const { client, reported } = listening()
    for (const before of ['SET k v', 'SADD s a', 'RPUSH l a']) client.run(before)
    reported.length = 0
    client.run(command)
    expect(reported).toEqual([])
  })

  it('contains absolute deadlines, and deletions instead of deadlines that have passed', () => {
    expect(
      reportedBy(
        'SET k v',
        'EXPIRE k 10 NX',
        'PEXPIREAT k 1',
        'SET k v',
        'GETEX k PX 5',
        'GETEX k PERSIST',
        'GETDEL k',
      ),
    ).toEqual([
      ...['0 SET k v', '0 PEXPIREAT k T NX', '0 DEL k'],
      ...['0 SET k v', '0 PEXPIREAT k T', '0 PERSIST k', '0 DEL k'],
    ])
  })

  it('contains the elements that were chosen randomly or popped', () => {
    expect(
      reportedBy('SADD s a', 'SPOP s', 'SADD s a b', 'SPOP s 2', 'RPUSH l a b c', 'LMPOP 2 none l RIGHT COUNT 9'),
    ).toEqual([...['0 SADD s a', '0 SREM s a', '0 SADD s a b', '0 DEL s', '0 RPUSH l a b c', '0 RPOP l 3']])
  })

  it('contains the generated stream ids, and each delivery separately', () => {
    expect(
      reportedBy('XADD s 5-* f v', 'XGROUP CREATE s g 0', 'XREADGROUP GROUP g c STREAMS s >', 'XACK s g 5-0'),
    ).toEqual([
      ...['0 XADD s 5-0 f v', '0 XGROUP CREATE s g 0'],
      '0 XCLAIM s g c 0 5-0 TIME T RETRYCOUNT 1 FORCE JUSTID LASTID 5-0',
      '0 XACK s g 5-0',
    ])
  })

  it('contains the deletion of an expired key together with the command that found the key', () => {
    const { machine, client, reported } = listening()
    client.run('SET k v PX 1')
    client.run('SET l v PX 1')
    machine.pass(10)
    reported.length = 0
    client.run('GET k')
    client.run('SET l w')
    expect(reported).toEqual(['0 DEL k', '0 MULTI', '0 DEL l', '0 SET l w', '0 EXEC'])
  })

  it('contains the deletion of each evicted key separately, as UNLINK with lazyfree-lazy-eviction', () => {
    const { machine, client, reported } = listening()
    client.run('MSET a 1 b 1')
    client.run('CONFIG SET lazyfree-lazy-eviction yes')
    reported.length = 0
    machine.server.evict(() => true)
    expect(reported).toEqual(['0 UNLINK a', '0 UNLINK b'])
  })

  it('contains a single effect of a transaction or script alone, and several effects between MULTI and EXEC', () => {
    const two = ['EVAL', "redis.call('SET','a','1') redis.call('GET','a') redis.call('INCR','a')", '0']
    const one = ['EVAL', "return redis.call('SET','b','1')", '0']
    const none = ['EVAL', "redis.set_repl(redis.REPL_AOF) return redis.call('SET','c','1')", '0']
    expect(reportedBy(two, one, none, 'MULTI', 'SELECT 3', 'SET d 1', 'GET d', 'INCR d', 'EXEC')).toEqual([
      ...['0 MULTI', '0 SET a 1', '0 INCR a', '0 EXEC', '0 SET b 1'],
      ...['3 MULTI', '3 SET d 1', '3 INCR d', '3 EXEC'],
    ])
  })

  it('contains a separate command for a client that a write unblocked', () => {
    const { machine, client, reported } = listening()
    new ClientByHand(machine.server).run('BLPOP l 0')
    new ClientByHand(machine.server).run('BLMOVE m n LEFT RIGHT 0')
    client.run('RPUSH l a')
    client.run('RPUSH m a')
    expect(reported).toEqual(['0 RPUSH l a', '0 LPOP l', '0 RPUSH m a', '0 LMOVE m n left right'])
  })

  it('is empty while there are no listeners', () => {
    const machine = new ServerByHand()
    expect(machine.server.propagation.active).toBe(false)
    machine.client().run('SET k v')
    expect(machine.server.replicationOffset).toBe(0)
  })
})
