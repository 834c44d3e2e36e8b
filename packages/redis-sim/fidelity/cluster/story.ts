/**
 * The story of the Cluster comparison: the queries and faults to execute, and the observations to
 * compare.
 */
import { type ClusterName, clusterNames } from 'test-servers'
import type { ClusterTestBed } from './test-bed.ts'

export interface ClusterObservation {
  /** Reply bytes by query, without the parts that differ between any two runs. */
  readonly replies: Readonly<Record<string, string>>
  readonly times: Readonly<Record<string, Span>>
}

/**
 * Bounds of a measured duration. The duration is observed by polling, so its start and its end each
 * lie between two polls, which may be far apart on a busy machine.
 */
export interface Span {
  readonly leastMs: number
  readonly mostMs: number
}

/**
 * Each entry is a node, and the commands sent to it on one connection. The slot of the key {b} is
 * 3300, on node `a`; of key c, 7365, on node `b`; of key a, 15495, on node `c`.
 */
const questions: readonly (readonly [ClusterName, ...string[]])[] = [
  ['a', 'SET {b}x 1', 'GET {b}x', 'SET a 1', 'GET c', 'PING', 'SELECT 1', 'SELECT 0', 'ASKING', 'GET a'],
  ['a', 'MSET {b}x 1 {b}y 2', 'MSET b 1 c 2', 'MSET b 1 f 2', 'DEL {b}y a', 'SUNION {b}x {b}z', 'EXISTS b b'],
  ['a', 'MULTI', 'SET {b}x 2', 'GET {b}x', 'EXEC', 'MULTI', 'SET a 1', 'SET {b}x 3', 'EXEC', 'GET {b}x'],
  ['a', 'MULTI', 'GET b', 'GET f', 'EXEC', 'MULTI', 'MSET b 1 c 2', 'EXEC', 'WATCH a', 'WATCH {b}x', 'UNWATCH'],
  [
    'a',
    'EVAL return(1) 0',
    'EVAL return(1) 1 a',
    'EVAL return(1) 2 b c',
    "EVAL return(redis.call('get',KEYS[1])) 1 {b}x",
  ],
  ['a', "EVAL return(redis.call('get','a')) 0", "EVAL return(redis.pcall('get','a')) 1 {b}x"],
  ['a', "EVAL return(redis.call('mget','b','f')) 0", "EVAL return({redis.call('get','b'),redis.call('get','f')}) 0"],
  ['a', 'EVAL_RO return(1) 1 a', 'EVALSHA 0123456789012345678901234567890123456789 1 a', 'REPLICAOF NO ONE'],
  [
    'a',
    'MOVE {b}x 1',
    'SWAPDB 0 1',
    'COPY {b}x {b}z DB 1',
    'SORT {b}l BY w_*',
    'SORT {b}l GET #',
    'SORT {b}l BY nosort',
  ],
  ['a', 'SSUBSCRIBE a', 'SPUBLISH a m', 'SPUBLISH {b}c m', 'BLPOP a 1', 'OBJECT ENCODING a', 'OBJECT ENCODING {b}x'],
  [
    'a',
    'CLUSTER KEYSLOT foo',
    'CLUSTER KEYSLOT {}b',
    'CLUSTER KEYSLOT {b}x',
    'CLUSTER KEYSLOT x{b}{c}',
    'CLUSTER MYID',
  ],
  ['a', 'CLUSTER COUNTKEYSINSLOT 3300', 'CLUSTER COUNTKEYSINSLOT 16384', 'CLUSTER COUNTKEYSINSLOT x'],
  [
    'a',
    'CLUSTER GETKEYSINSLOT 3300 1',
    'CLUSTER GETKEYSINSLOT 3300 -1',
    'CLUSTER GETKEYSINSLOT 0 5',
    'CLUSTER NOTHING',
  ],
  [
    'a',
    'CLUSTER REPLICAS x',
    `CLUSTER REPLICAS ${'a1'.repeat(20)}`,
    `CLUSTER COUNT-FAILURE-REPORTS ${'b0'.repeat(20)}`,
  ],
  ['a', `CLUSTER REPLICAS ${'b0'.repeat(20)}`, 'READONLY', 'GET a', 'READWRITE', 'CONFIG GET cluster-enabled'],
  [
    'a1',
    'GET {b}x',
    'SET {b}x 4',
    'READONLY',
    'GET {b}x',
    'SET {b}x 4',
    'GET a',
    'MULTI',
    'GET {b}x',
    'EXEC',
    'READWRITE',
  ],
  [
    'a1',
    'READONLY',
    'MULTI',
    'SET {b}x 4',
    'EXEC',
    'EVAL return(1) 1 {b}x',
    'EVAL_RO return(1) 1 {b}x',
    'RESET',
    'GET {b}x',
  ],
]
const descriptions = ['CLUSTER SLOTS', 'CLUSTER NODES', 'CLUSTER SHARDS', 'CLUSTER INFO']

const nothing = async () => {}

/** Executes the story, which takes about 15 s on a real Cluster. */
export async function reportCluster(testBed: ClusterTestBed): Promise<ClusterObservation> {
  const replies: Record<string, string> = {}
  const times: Record<string, Span> = {}
  const ask = async (node: ClusterName, ...commands: string[]) => {
    const bytes = await testBed.ask(node, ...commands.map((command) => command.split(' ')))
    replies[`${Object.keys(replies).length} ${node}: ${commands.join('; ')}`] = masked(bytes)
  }
  const describeAll = async (node: ClusterName) => {
    for (const what of descriptions) await ask(node, what)
  }
  const isOk = async (node: ClusterName) => (await testBed.ask(node, ['CLUSTER', 'INFO'])).includes('cluster_state:ok')
  const leads = async (node: ClusterName) => (await testBed.ask(node, ['ROLE'])).includes('master')
  /** Measures the time from `cause` until `holds` is true. */
  const time = async (
    what: string,
    cause: () => Promise<void>,
    holds: () => Promise<boolean>,
    causedMs = testBed.nowMs(),
  ) => {
    await cause()
    const begunMs = testBed.nowMs()
    for (let lookedMs = begunMs; ; await testBed.wait(10)) {
      const nowMs = testBed.nowMs()
      if (await holds()) return void (times[what] = { leastMs: lookedMs - begunMs, mostMs: testBed.nowMs() - causedMs })
      if (nowMs - begunMs > 15_000) throw new Error(`not within 15 s: ${what}`)
      lookedMs = nowMs
    }
  }
  const allOk = async (...except: ClusterName[]) => {
    const states = await Promise.all(clusterNames.filter((name) => !except.includes(name)).map(isOk))
    return states.every((ok) => ok)
  }

  const refused = () => ask('a', 'SET {b}x 1', 'GET {b}x', 'PING', 'MULTI', 'GET {b}x', 'EXEC')
  await time('from the start until all nodes serve', refused, allOk, testBed.launchedMs)
  // The replication offsets are 0 until the primaries have pinged their replicas.
  await testBed.wait(200)
  for (const [node, ...commands] of questions) {
    await ask(node, ...commands)
    await testBed.wait(20)
  }
  await ask('b', 'SET c 1')
  await ask('c', 'SET a 1')
  await testBed.wait(1200)
  await describeAll('a')
  await describeAll('a1')

  await testBed.dawdle()
  const pause = async () => {
    await testBed.pause('b')
    await testBed.pause('c')
  }
  await time('from the pause of two primaries until the third refuses', pause, async () => !(await isOk('a')))
  await ask('a', 'SET {b}x 5', 'GET {b}x', 'GET a', 'PING', 'MULTI', 'GET {b}x', 'EXEC', 'EVAL return(1) 1 {b}x')
  await ask('a', "EVAL return(redis.call('get','b')) 0", 'CONFIG SET cluster-allow-reads-when-down yes', 'GET {b}x')
  await ask(
    'a',
    'SET {b}x 5',
    "EVAL return(redis.call('set','b','1')) 0",
    'CONFIG SET cluster-allow-reads-when-down no',
  )
  const resume = async () => {
    await testBed.resume('b')
    await testBed.resume('c')
  }
  await time('from their return until all serve again', resume, allOk)
  await testBed.wait(2500)

  await testBed.dawdle()
  await time(
    'from the death of a primary until its replica leads',
    () => testBed.kill('a'),
    () => leads('a1'),
  )
  await time('from then until all others serve', nothing, () => allOk('a'))
  await ask('b', 'GET {b}x')
  await ask('a1', 'GET {b}x', 'SET {b}x 6')
  await testBed.wait(1500)
  await describeAll('a1')
  await time(
    'from its return until it is a replica',
    () => testBed.revive('a'),
    async () => !(await leads('a')),
  )
  await time('from then until it has the data', nothing, async () =>
    (await testBed.ask('a', ['ROLE'])).includes('connected'),
  )
  await testBed.wait(1500)
  await ask('a', 'GET {b}x', 'READONLY', 'GET {b}x')
  await describeAll('c')
  return { replies, times }
}

/**
 * Removes times, message counts and offsets, which differ between runs, and sorts the nodes, whose
 * order is random in real Redis.
 */
function masked(bytes: string): string {
  let text = bytes.replace(/^\$\d+\r\n(?=[0-9a-f]{40} 127|cluster_state)/, '')
  text = text.replace(/^cluster_stats_messages.*\r\n/gm, '').replace(/\d+ \d+ (\d+ (dis)?connected)/g, 'TIMES $1')
  text = text.replace(/(replication-offset\r\n):\d+/g, '$1:OFFSET')
  if (/^[0-9a-f]{40} 127/.test(text)) text = text.trim().split('\n').sort().join('\n')
  if (text.includes('$5\r\nslots')) text = text.split('*4\r\n').sort().join('*4\r\n')
  return text
}
