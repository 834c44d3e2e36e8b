/**
 * Stories about processes that are killed and restarted: their remaining data, and the reaction of
 * their replicas.
 */
import type { Config, Play, ReplicationStory } from '../test-bed.ts'

async function pair(play: Play, config: Config = {}): Promise<void> {
  await play.testBed.start('a', config)
  await play.run('a', 'SET', 'k', '1')
  await play.testBed.start('b', {}, 'a')
  await play.caughtUp('b', 'a')
  await play.run('a', 'SET', 'k', '2')
  await play.caughtUp('b', 'a')
}

/** Notes the data after a restart of the primary. */
async function whatIsLeft(play: Play): Promise<void> {
  await play.caughtUp('b', 'a')
  for (const name of ['a', 'b']) {
    await play.noteRun(name, 'GET', 'k')
    await play.noteRun(name, 'DBSIZE')
  }
  await play.syncs('a')
}

async function backEmpty(play: Play): Promise<void> {
  await pair(play)
  await play.testBed.kill('a')
  await play.testBed.again('a', 'lost')
  await whatIsLeft(play)
}

/**
 * Without persistence options, no data survives, and a primary does not keep a file of a data set
 * that it sent.
 */
async function backWithoutPersistence(play: Play): Promise<void> {
  await pair(play)
  await play.testBed.kill('a')
  await play.testBed.again('a', 'kept')
  await whatIsLeft(play)
}

async function backFromSnapshot(play: Play): Promise<void> {
  await pair(play)
  await play.run('a', 'SAVE')
  await play.testBed.kill('a')
  await play.testBed.again('a', 'kept')
  const { master_replid, master_replid2, second_repl_offset, master_repl_offset } = await play.info('a')
  play.note('ids', [master_replid, master_replid2, Number(second_repl_offset) - Number(master_repl_offset) <= 1])
  await whatIsLeft(play)
}

async function backFromOldSnapshot(play: Play): Promise<void> {
  await pair(play)
  await play.run('a', 'SAVE')
  await play.run('a', 'SET', 'k', '3')
  await play.caughtUp('b', 'a')
  await play.testBed.kill('a')
  await play.testBed.again('a', 'kept')
  await whatIsLeft(play)
}

async function backFromLog(play: Play): Promise<void> {
  const config = { appendonly: 'yes' }
  await pair(play, config)
  await play.run('a', 'SCRIPT', 'LOAD', 'return 1')
  await play.run('a', 'EVAL', "redis.call('SET', 'x', '1') redis.call('SET', 'y', '1', 'EX', '1000')", '0')
  await play.testBed.kill('a')
  await play.testBed.again('a', 'kept', config)
  await play.noteRun('a', 'EVALSHA', 'e0e1f9fabfc9d4800c877a703b823ac0578ff8db', '0')
  play.note('y expires', Number((await play.run('a', 'TTL', 'y')).slice(1)) > 900)
  await whatIsLeft(play)
}

/** A replica without save points keeps the file that it received, which contains old data. */
async function replicaBack(play: Play): Promise<void> {
  await pair(play)
  await play.testBed.kill('b')
  await play.run('a', 'SET', 'k', '3')
  await play.testBed.again('b', 'kept', {}, 'a')
  await play.caughtUp('b', 'a')
  await play.noteRun('b', 'GET', 'k')
  await play.syncs('a')
}

async function replicaBackAlone(play: Play): Promise<void> {
  await pair(play)
  await play.testBed.kill('b')
  await play.testBed.kill('a')
  await play.testBed.again('b', 'kept')
  await play.noteRun('b', 'GET', 'k')
}

async function replicaBackEmptyAndPromoted(play: Play): Promise<void> {
  await pair(play)
  const writer = await play.testBed.client('a')
  await writer.run('SET', 'k', 'precious')
  play.note('WAIT', await writer.run('WAIT', '1', '1000'))
  await play.testBed.kill('b')
  await play.testBed.kill('a')
  await play.testBed.again('b', 'lost', {}, 'a')
  await play.testBed.follow('b', null)
  await play.noteRun('b', 'GET', 'k')
}

async function flushedWithSavePoints(play: Play): Promise<void> {
  const config = { save: '3600 1000' }
  await play.testBed.start('a', config)
  await play.run('a', 'SET', 'k', '1')
  await play.run('a', 'SAVE')
  await play.run('a', 'FLUSHALL')
  await play.testBed.kill('a')
  await play.testBed.again('a', 'kept', config)
  await play.noteRun('a', 'DBSIZE')
}

/** A key that expires after SAVE is in the file, but is not loaded. */
async function expiredMeanwhile(play: Play): Promise<void> {
  await play.testBed.start('a')
  await play.run('a', 'SET', 'k', '1', 'PX', '200')
  await play.run('a', 'SET', 'l', '1')
  await play.run('a', 'SAVE')
  await play.testBed.kill('a')
  await play.testBed.sleep(300)
  await play.testBed.again('a', 'kept')
  await play.noteRun('a', 'KEYS', '*')
}

export const restarts: readonly ReplicationStory[] = [
  { name: 'a primary back empty', report: backEmpty },
  { name: 'a primary back that kept nothing', report: backWithoutPersistence },
  { name: 'a primary back from its snapshot', report: backFromSnapshot },
  { name: 'a primary back from a snapshot that is too old', report: backFromOldSnapshot },
  { name: 'a primary back from its append-only file', report: backFromLog },
  { name: 'a replica back on its disk', report: replicaBack },
  { name: 'a replica back on its disk, alone', report: replicaBackAlone },
  { name: 'an acknowledging replica back empty, and promoted', report: replicaBackEmptyAndPromoted },
  { name: 'FLUSHALL where there are save points', report: flushedWithSavePoints },
  { name: 'a snapshot with an expired key', report: expiredMeanwhile },
]
