/** Stories about promotions, about partial and full resyncs, and about lost writes. */
import type { Play, ReplicationStory } from '../test-bed.ts'

async function three(play: Play, config = {}): Promise<void> {
  await play.testBed.start('a', config)
  for (const name of ['b', 'c']) await play.testBed.start(name, config, 'a')
  await play.run('a', 'SET', 'k', '1')
  for (const name of ['b', 'c']) await play.caughtUp(name, 'a')
}

async function ids(play: Play, ...names: string[]): Promise<void> {
  for (const name of names) {
    const { role, master_replid, master_replid2 } = await play.info(name)
    play.note(`${name}: role and ids`, [role, master_replid, master_replid2])
  }
}

async function cutLink(play: Play): Promise<void> {
  await three(play)
  await play.testBed.cut('b', 'a')
  await play.run('a', 'SET', 'k', '2')
  await play.testBed.heal()
  await play.caughtUp('b', 'a')
  await play.noteRun('b', 'GET', 'k')
  await play.syncs('a')
}

async function cutForTooLong(play: Play): Promise<void> {
  await three(play, { 'repl-backlog-size': '16384' })
  await play.testBed.cut('b', 'a')
  for (let at = 0; at < 120; at++) await play.run('a', 'SET', `k${at % 10}`, 'x'.repeat(1000))
  await play.testBed.heal()
  await play.caughtUp('b', 'a')
  await play.noteRun('b', 'DBSIZE')
  await play.syncs('a')
}

async function siblings(play: Play): Promise<void> {
  await three(play)
  const before = await play.info('b')
  await ids(play, 'a', 'b')
  await play.testBed.follow('b', null)
  play.note('second offset', Number((await play.info('b')).second_repl_offset) - Number(before.master_repl_offset))
  await play.testBed.follow('c', 'b')
  await play.run('b', 'SET', 'k', '2')
  await play.caughtUp('c', 'b')
  await play.noteRun('c', 'GET', 'k')
  await ids(play, 'b', 'c')
  await play.syncs('b')
}

async function lostWrites(play: Play): Promise<void> {
  await three(play)
  await play.testBed.cut('b', 'a')
  await play.testBed.cut('c', 'a')
  play.note('acknowledged', await play.run('a', 'SET', 'k', 'lost'))
  await play.testBed.follow('b', null)
  await play.run('b', 'SET', 'other', '1')
  await play.testBed.heal()
  await play.testBed.follow('a', 'b')
  await play.caughtUp('a', 'b')
  await play.noteRun('a', 'GET', 'k')
  await play.noteRun('a', 'GET', 'other')
  await play.syncs('b')
  await ids(play, 'a', 'b')
}

async function thereAndBack(play: Play): Promise<void> {
  await three(play)
  await play.testBed.follow('b', null)
  await play.testBed.follow('a', 'b')
  await play.run('b', 'SET', 'k', '2')
  await play.caughtUp('a', 'b')
  await play.syncs('b')
  await play.testBed.follow('a', null)
  await play.testBed.follow('b', 'a')
  await play.run('a', 'SET', 'k', '3')
  await play.caughtUp('b', 'a')
  await play.noteRun('b', 'GET', 'k')
  await play.syncs('a')
  await ids(play, 'a', 'b')
}

async function twoInARow(play: Play): Promise<void> {
  await three(play)
  for (const [up, follower] of [
    ['b', 'c'],
    ['c', 'b'],
  ] as const) {
    await play.testBed.follow(up, null)
    await play.run(up, 'SET', 'by', up)
    await play.testBed.follow(follower, up)
    await play.caughtUp(follower, up)
  }
  await play.testBed.follow('a', 'c')
  await play.caughtUp('a', 'c')
  await play.noteRun('a', 'GET', 'by')
  await play.syncs('c')
  await ids(play, 'a', 'b', 'c')
}

/**
 * Promotes a replica during a transfer. The ten keys are written slowly, so that the transfer of
 * the data set takes a second.
 */
async function promotedMidway(play: Play): Promise<void> {
  await play.testBed.start('a', { 'rdb-key-save-delay': '100000' })
  for (let at = 0; at < 10; at++) await play.run('a', 'SET', `new${at}`, '1')
  await play.testBed.start('b')
  await play.run('b', 'SET', 'old', '1')
  await play.testBed.follow('b', 'a')
  await play.until('b is being sent', async () => (await play.info('b')).master_sync_in_progress === '1')
  const during = await play.info('b')
  play.note('fields meanwhile', Object.keys(during))
  play.note('link and state', [during.master_link_status, /\$4\r\nsync\r\n:-1/.test(await play.run('b', 'ROLE'))])
  play.note('state on the primary', /state=(\w+)/.exec((await play.info('a')).slave0!)![1])
  await play.noteRun('b', 'GET', 'old')
  play.note('NO ONE', await play.testBed.follow('b', null))
  await play.noteRun('b', 'KEYS', '*')
  await play.noteRun('b', 'SET', 'own', '1')
  await play.until('a has let go', async () => (await play.info('a')).connected_slaves === '0')
}

/**
 * Executes FLUSHALL during a transfer, which makes the transferred data set obsolete, so the
 * transfer restarts.
 */
async function flushedMidway(play: Play): Promise<void> {
  await play.testBed.start('a', { 'rdb-key-save-delay': '100000' })
  for (let at = 0; at < 10; at++) await play.run('a', 'SET', `new${at}`, '1')
  await play.testBed.start('b', {}, 'a')
  await play.until('b is being sent', async () => (await play.info('b')).master_sync_in_progress === '1')
  await play.noteRun('a', 'FLUSHALL')
  await play.run('a', 'SET', 'newer', '1')
  await play.caughtUp('b', 'a')
  await play.noteRun('b', 'KEYS', '*')
  await play.syncs('a')
}

async function neverSynced(play: Play): Promise<void> {
  await three(play)
  await play.testBed.kill('a')
  await play.testBed.start('d', {}, 'a')
  await play.testBed.sleep(1200)
  play.note('its role', (await play.run('d', 'ROLE')).includes('slave'))
  await play.testBed.follow('d', null)
  await play.testBed.follow('b', 'd')
  await play.caughtUp('b', 'd')
  await play.noteRun('b', 'DBSIZE')
  await play.syncs('d')
}

export const promotions: readonly ReplicationStory[] = [
  { name: 'a cut link goes on where it was', report: cutLink },
  { name: 'a link that was cut for too long', report: cutForTooLong },
  { name: 'siblings of a promoted replica', report: siblings },
  { name: 'acknowledged writes that were not replicated', report: lostWrites },
  { name: 'primary, replica, primary', report: thereAndBack },
  { name: 'two promotions in a row', report: twoInARow },
  { name: 'a promotion in the middle of a full resync', report: promotedMidway },
  { name: 'FLUSHALL in the middle of a full resync', report: flushedMidway },
  { name: 'a replica that never synced is promoted', report: neverSynced },
]
