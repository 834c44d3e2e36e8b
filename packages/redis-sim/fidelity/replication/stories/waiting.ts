/**
 * Stories about WAIT, min-replicas-to-write, and clients that are blocked while the role changes.
 */
import type { Play, ReplicationStory } from '../test-bed.ts'

async function pair(play: Play, config = {}): Promise<void> {
  await play.testBed.start('a', config)
  await play.testBed.start('b', {}, 'a')
  await play.caughtUp('b', 'a')
  await play.acknowledged('a')
}

async function wait(play: Play): Promise<void> {
  await pair(play)
  const writer = await play.testBed.client('a')
  await writer.run('SET', 'k', '1')
  play.note('acknowledged', await writer.run('WAIT', '1', '1000'))
  play.note('more than there are', await writer.run('WAIT', '2', '200'))
  play.note('none', await writer.run('WAIT', '0', '0'))
  play.note('negative', await writer.run('WAIT', '-1', '0'))
  play.note('no number', await writer.run('WAIT', 'x', '0'))
  play.note('negative time', await writer.run('WAIT', '1', '-1'))
  await writer.run('MULTI')
  await writer.run('WAIT', '0', '0')
  play.note('in MULTI', await writer.run('EXEC'))
}

async function waitAgain(play: Play): Promise<void> {
  await pair(play)
  await play.testBed.cut('b', 'a')
  await play.until('b is gone', async () => (await play.info('a')).connected_slaves === '0')
  const writer = await play.testBed.client('a')
  await writer.run('SET', 'k', '1')
  await writer.send('WAIT', '1', '0')
  await play.noteRun('a', 'WAIT', '1', '100')
  await play.testBed.heal()
  await play.linked('b')
  await play.until('b is online', async () => /state=online/.test((await play.info('a')).slave0 ?? ''))
  play.note('the first WAIT', await writer.receive(1))
}

/** The replica is connected but frozen, so it acknowledges no new write. */
async function waitOnFreshConnection(play: Play): Promise<void> {
  await pair(play)
  await play.testBed.freeze('b')
  const writer = await play.testBed.client('a')
  await writer.run('SET', 'k', '1')
  play.note('on its own connection', await writer.run('WAIT', '1', '200'))
  const [fresh, used] = [await play.testBed.client('a'), await play.testBed.client('a')]
  play.note('as the first command of another', await fresh.run('WAIT', '1', '200'))
  await used.run('PING')
  play.note('after another command', await used.run('WAIT', '1', '200'))
  await play.testBed.thaw('b')
  play.note('when it is awake', await used.run('WAIT', '1', '1000'))
}

async function minReplicas(play: Play): Promise<void> {
  await pair(play, { 'min-replicas-to-write': '1', 'min-replicas-max-lag': '2' })
  await play.until('writes are taken', async () => (await play.run('a', 'SET', 'k', '0')) === '+OK\r\n')
  play.note('fields', Object.keys(await play.info('a')))
  await play.testBed.cut('b', 'a')
  await play.until('writes are refused', async () => (await play.run('a', 'SET', 'k', '1')) !== '+OK\r\n')
  await play.noteRun('a', 'SET', 'k', '1')
  await play.noteRun('a', 'GET', 'k')
  await play.noteRun('a', 'EVAL', "return redis.call('SET', 'k', 'v')", '0')
  const client = await play.testBed.client('a')
  await client.run('MULTI')
  play.note('in MULTI', await client.run('SET', 'k', 'v'))
  play.note('EXEC', await client.run('EXEC'))
  play.note('good', (await play.info('a')).min_slaves_good_slaves)
}

async function unblocked(play: Play): Promise<void> {
  await pair(play)
  const [blocked, subscriber, idle] = [
    await play.testBed.client('a'),
    await play.testBed.client('a'),
    await play.testBed.client('a'),
  ]
  await idle.run('PING')
  await subscriber.run('SUBSCRIBE', 'channel')
  await blocked.send('BLPOP', 'list', '0')
  await play.testBed.sleep(50)
  await play.testBed.follow('b', null)
  play.note('REPLICAOF', await play.testBed.follow('a', 'b'))
  play.note('again', (await play.testBed.follow('a', 'b')).slice(0, 30))
  play.note('who was blocked', await blocked.receive(1))
  play.note('who was idle', await idle.run('PING'))
  await play.linked('a')
  await play.run('a', 'PUBLISH', 'channel', 'message')
  play.note('who subscribed', await subscriber.receive(1))
}

export const waiting: readonly ReplicationStory[] = [
  { name: 'WAIT', report: wait },
  { name: 'WAIT while the replica is gone', report: waitAgain },
  { name: 'WAIT on a fresh connection', report: waitOnFreshConnection },
  { name: 'min-replicas-to-write', report: minReplicas },
  { name: 'clients of a primary that turns replica', report: unblocked },
]
