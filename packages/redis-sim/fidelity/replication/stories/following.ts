/** Stories about a replica that follows its primary: its data, its reports and its refusals. */
import type { Play, ReplicationStory } from '../test-bed.ts'

async function pair(play: Play, ofPrimary = {}, ofReplica = {}): Promise<void> {
  await play.testBed.start('a', ofPrimary)
  await play.run('a', 'SET', 'before', '1')
  await play.testBed.start('b', ofReplica, 'a')
  await play.caughtUp('b', 'a')
}

async function rolesAndInfo(play: Play): Promise<void> {
  await pair(play)
  await play.run('a', 'SET', 'after', '2')
  await play.caughtUp('b', 'a')
  const [a, b] = [await play.info('a'), await play.info('b')]
  play.note('fields of a primary', Object.keys(a))
  play.note('fields of a replica', Object.keys(b))
  for (const name of ['role', 'connected_slaves', 'master_failover_state', 'master_replid', 'master_replid2']) {
    play.note(name, [a[name], b[name]])
  }
  for (const name of ['second_repl_offset', 'repl_backlog_active', 'repl_backlog_size', 'slave_priority']) {
    play.note(name, [a[name], b[name]])
  }
  play.note('same offset', [a.master_repl_offset === b.slave_repl_offset, b.slave_read_only, b.replica_announced])
  const first = (info: Record<string, string>) => Number(info.repl_backlog_first_byte_offset)
  play.note('backlog of the primary', [first(a), Number(a.master_repl_offset) - Number(a.repl_backlog_histlen)])
  play.note(
    'slave0',
    a
      .slave0!.replace(/port=\d+/, 'port')
      .replace(/ip=[\d.]+/, 'ip')
      .replace(/offset=\d+/, 'offset')
      .replace(/lag=[01]$/, 'lag=a second at most'),
  )
  for (const key of ['before', 'after']) await play.noteRun('b', 'GET', key)
  play.note('HELLO', /role\r\n\$\d+\r\n(\w+)/.exec(await play.run('b', 'HELLO'))![1])
  play.note(
    'ROLE of a replica',
    (await play.run('b', 'ROLE'))
      .replace(/^(\*5\r\n\$5\r\nslave\r\n).*(\$\d+\r\n\w+\r\n:\d+\r\n)$/s, '$1$2')
      .replace(/:\d+/, ':n'),
  )
  play.note('ROLE of a primary', (await play.run('a', 'ROLE')).replace(/\d+\.\d+\.\d+\.\d+|\d+/g, 'n'))
}

async function refusals(play: Play): Promise<void> {
  await pair(play)
  await play.noteRun('b', 'SET', 'k', 'v')
  await play.noteRun('b', 'WAIT', '0', '0')
  await play.noteRun('b', 'EVAL', "return redis.call('SET', 'k', 'v')", '0')
  await play.noteRun('b', 'EVAL', "#!lua\nreturn redis.call('GET', 'before')", '0')
  await play.noteRun('b', 'EVAL', "#!lua flags=no-writes\nreturn redis.call('GET', 'before')", '0')
  await play.noteRun('b', 'PUBLISH', 'channel', 'message')
  await play.noteRun('b', 'FLUSHALL')
  const client = await play.testBed.client('b')
  await client.run('MULTI')
  play.note('queued', await client.run('INCR', 'n'))
  play.note('EXEC', await client.run('EXEC'))
  await play.noteRun('b', 'REPLICAOF', 'somewhere', '70000')
  await play.noteRun('b', 'CONFIG', 'GET', 'slave-priority')
  await play.noteRun('b', 'CONFIG', 'SET', 'replica-priority', '-1')
  await play.noteRun('b', 'CONFIG', 'SET', 'replica-read-only', 'no')
  await play.noteRun('b', 'SET', 'own', '1')
  await play.noteRun('a', 'EXISTS', 'own')
}

async function staleData(play: Play): Promise<void> {
  await pair(play)
  await play.testBed.cut('b', 'a')
  await play.until('b is down', async () => (await play.info('b')).master_link_status === 'down')
  play.note('fields of a replica that is down', Object.keys(await play.info('b')))
  await play.noteRun('b', 'GET', 'before')
  await play.noteRun('b', 'CONFIG', 'SET', 'replica-serve-stale-data', 'no')
  await play.noteRun('b', 'GET', 'before')
  await play.noteRun('b', 'PING')
  await play.noteRun('b', 'SET', 'k', 'v')
  await play.noteRun('b', 'EVAL', "return redis.call('GET', 'before')", '0')
  await play.noteRun('b', 'PSYNC', '?', '-1')
  await play.testBed.heal()
  await play.linked('b')
  await play.noteRun('b', 'GET', 'before')
}

async function expiry(play: Play): Promise<void> {
  await pair(play)
  await play.run('a', 'SET', 'k', 'v', 'PX', '2000')
  await play.caughtUp('b', 'a')
  await play.testBed.cut('b', 'a')
  await play.testBed.sleep(2500)
  for (const words of [
    ['GET', 'k'],
    ['EXISTS', 'k'],
    ['TTL', 'k'],
    ['TYPE', 'k'],
    ['KEYS', 'k'],
    ['SCAN', '0'],
    ['DBSIZE'],
  ]) {
    await play.noteRun('b', ...words)
  }
  await play.run('a', 'GET', 'k')
  await play.testBed.heal()
  await play.caughtUp('b', 'a')
  await play.noteRun('b', 'DBSIZE')
}

async function chain(play: Play): Promise<void> {
  await pair(play)
  await play.testBed.start('c', {}, 'b')
  await play.caughtUp('c', 'b')
  await play.run('a', 'SET', 'k', '1')
  await play.caughtUp('b', 'a')
  await play.caughtUp('c', 'a')
  await play.noteRun('c', 'GET', 'k')
  const [b, c] = [await play.info('b'), await play.info('c')]
  play.note('replid, connected', [b.master_replid, c.master_replid, b.connected_slaves])
  await play.testBed.follow('b', null)
  await play.run('b', 'SET', 'k', '2')
  await play.caughtUp('c', 'b')
  await play.noteRun('c', 'GET', 'k')
  await play.syncs('b')
  const after = await play.info('c')
  play.note('ids after', [after.master_replid, after.master_replid2])
}

export const following: readonly ReplicationStory[] = [
  { name: 'roles, and INFO line by line', report: rolesAndInfo },
  { name: 'what a replica refuses', report: refusals },
  { name: 'a replica without its primary', report: staleData },
  { name: 'a replica does not expire keys', report: expiry },
  { name: 'a replica of a replica', report: chain },
]
