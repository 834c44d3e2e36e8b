/**
 * The stories of the comparison: each is a fixed list of commands and faults for real and simulated
 * Sentinels.
 */
import { masked } from './masked.ts'
import {
  byPart,
  delayTo,
  kindsOf,
  leaderOf,
  type Observation,
  promotedIn,
  refuseRareCourse,
  sequence,
  switched,
} from './observe.ts'
import {
  type Heard,
  type MachineName,
  type Plain,
  type SentinelName,
  type SentinelTestBed,
  type Setting,
  sentinelNames,
  until,
} from './test-bed.ts'

export interface SentinelStory {
  readonly name: string
  readonly setting: Setting
  report(testBed: SentinelTestBed): Promise<Observation>
}

const usual: Setting = { downAfterMs: 500, failoverTimeoutMs: 5000, quorum: 2 }

/** Waits until every Sentinel knows the replicas and both other Sentinels. */
async function settled(testBed: SentinelTestBed, replicas = 2): Promise<void> {
  const deadline = testBed.nowMs() + 15_000
  for (const sentinel of sentinelNames) {
    while (!(await knowsAll(testBed, sentinel, replicas))) {
      if (testBed.nowMs() > deadline) throw new Error(`${sentinel} does not find the others`)
      await testBed.wait(50)
    }
  }
  // During this time, the Sentinels publish hellos through the replicas, and read INFO again after
  // the replication links came up.
  await testBed.wait(500)
}

async function knowsAll(testBed: SentinelTestBed, sentinel: SentinelName, replicas: number): Promise<boolean> {
  const known = await knownTo(testBed, sentinel)
  return known('num-slaves') === String(replicas) && known('num-other-sentinels') === '2'
}

/** The state of the primary, as a Sentinel reports it. */
async function knownTo(testBed: SentinelTestBed, sentinel: SentinelName): Promise<(name: string) => string> {
  const fields = (await testBed.command(sentinel, 'SENTINEL', 'MASTER', 'mymaster')) as string[]
  return (name) => fields[fields.indexOf(name) + 1]!
}

/** Waits for a condition by querying the servers, because no event reports the condition. */
async function come(testBed: SentinelTestBed, what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = testBed.nowMs() + 15_000
  while (!(await holds())) {
    if (testBed.nowMs() > deadline) throw new Error(`not within 15 s: ${what}`)
    await testBed.wait(20)
  }
}

/** The states of the primary's replicas, from INFO. */
async function attachedTo(testBed: SentinelTestBed, primary: MachineName): Promise<string[]> {
  const text = (await testBed.command(primary, 'INFO', 'replication')) as string
  return [...text.matchAll(/^slave\d+:.*\bstate=(\w+)/gm)].map(([, state]) => state!)
}

/**
 * True if there are this many replicas and each has acknowledged something. A replica is `online`
 * after its transfer, but it receives no writes until it has loaded the data set. WAIT does not
 * count the replica before it has loaded, and the time until then depends on the machine.
 */
async function areFollowing(testBed: SentinelTestBed, primary: MachineName, many: number): Promise<boolean> {
  const text = (await testBed.command(primary, 'INFO', 'replication')) as string
  const attached = [...text.matchAll(/^slave\d+:.*\bstate=(\w+),offset=(\d+)/gm)]
  return attached.length === many && attached.every(([, state, offset]) => state === 'online' && offset !== '0')
}

/**
 * The number of replicas according to INFO, ROLE, a Sentinel, and a WAIT for `wanted` replicas
 * after a write. At least `wanted` replicas must exist. Only the number of acknowledgments is
 * compared. Their time depends on the machine: a busy real replica took 300 ms.
 */
async function countedBy(testBed: SentinelTestBed, wanted: number): Promise<Record<string, Plain>> {
  await testBed.command('P', 'SET', 'key', 'value')
  const info = (await testBed.command('P', 'INFO', 'replication')) as string
  return {
    WAIT: await testBed.command('P', 'WAIT', String(wanted), '10000'),
    INFO: [/connected_slaves:(\d+)/.exec(info)![1]!, ...(await attachedTo(testBed, 'P'))],
    ROLE: ((await testBed.command('P', 'ROLE')) as Plain[][])[2]!.length,
    'SENTINEL MASTER': (await knownTo(testBed, 'S1'))('num-slaves'),
    'SENTINEL REPLICAS': ((await testBed.command('S1', 'SENTINEL', 'REPLICAS', 'mymaster')) as Plain[]).length,
  }
}

function labelled(label: string, facts: Record<string, Plain>): Record<string, Plain> {
  return Object.fromEntries(Object.entries(facts).map(([name, fact]) => [`${label}: ${name}`, fact]))
}

/**
 * Makes Sentinels request INFO every second instead of every ten seconds, so that they discover
 * instances faster.
 */
async function hurry(testBed: SentinelTestBed): Promise<void> {
  for (const sentinel of sentinelNames) await testBed.command(sentinel, 'SENTINEL', 'DEBUG', 'info-period', '1000')
}

/**
 * The observation of one failover, from the primary's death to a stable deployment. `heard` begins
 * with the death.
 */
function failover(heard: readonly Heard[], fromMs: number, witnesses: readonly SentinelName[]): Observation {
  refuseRareCourse(heard)
  const leader = leaderOf(heard)
  const promoted = promotedIn(heard)
  const parts: Record<string, string> = { [leader]: 'leader' }
  for (const name of ['R1', 'R2']) parts[name] = name === promoted ? 'promoted' : 'replica'
  const others = witnesses.filter((name) => name !== leader)
  return {
    facts: {
      leader: byPart(sequence(heard, leader), parts),
      others: others.map((name) => byPart(sequence(heard, name).filter(isAdoption), parts)),
    },
    kinds: kindsOf(heard, leader),
    times: {
      'to +sdown': delayTo(heard, fromMs, '+sdown'),
      'to +odown': delayTo(heard, fromMs, '+odown'),
      'to +promoted-slave': delayTo(heard, fromMs, '+promoted-slave'),
      'to the leader’s +switch-master': delayTo(heard, fromMs, '+switch-master', leader),
    },
  }
}

/**
 * True for the events of a Sentinel that adopts the failover of another Sentinel. Other events,
 * such as those of a candidate that lost, are not compared.
 */
function isAdoption(line: string): boolean {
  return /^\+(config-update-from|switch-master|slave) /.test(line)
}

/**
 * The replicas in the order in which a Sentinel would promote them, best first, from what the
 * Sentinel knew when the primary died.
 */
async function byMerit(testBed: SentinelTestBed, sentinel: SentinelName): Promise<string[]> {
  const replicas = (await testBed.command(sentinel, 'SENTINEL', 'REPLICAS', 'mymaster')) as string[][]
  const merits = replicas.map((fields) => {
    const field = (name: string) => fields[fields.indexOf(name) + 1]!
    return {
      runId: field('runid'),
      offset: Number(field('slave-repl-offset')),
      priority: Number(field('slave-priority')),
    }
  })
  merits.sort((a, b) => a.priority - b.priority || b.offset - a.offset || (a.runId < b.runId ? -1 : 1))
  return merits.map(({ runId }) => runId)
}

function asLine({ type, message }: Heard): string {
  return `${type} ${message}`
}

async function runIdOf(testBed: SentinelTestBed, machine: MachineName): Promise<string> {
  return /run_id:(\w+)/.exec((await testBed.command(machine, 'INFO', 'server')) as string)![1]!
}

async function roleOf(testBed: SentinelTestBed, machine: MachineName): Promise<Plain> {
  return ((await testBed.command(machine, 'ROLE')) as Plain[])[0]!
}

export const sentinelStories: readonly SentinelStory[] = [
  {
    name: 'the primary dies',
    setting: usual,
    async report(testBed) {
      await settled(testBed)
      const merits = new Map<SentinelName, string[]>()
      for (const sentinel of sentinelNames) merits.set(sentinel, await byMerit(testBed, sentinel))
      const fromMs = testBed.nowMs()
      const before = testBed.heard.length
      await testBed.kill('P')
      await switched(testBed, sentinelNames, 1)
      await testBed.wait(1500)
      const heard = testBed.named().slice(before)
      const reported = failover(heard, fromMs, sentinelNames)
      const promoted = promotedIn(heard) as MachineName
      const best = merits.get(leaderOf(heard))![0]
      return {
        ...reported,
        facts: {
          ...reported.facts,
          'the best that the leader knew': (await runIdOf(testBed, promoted)) === best ? 'yes' : 'no',
          role: await roleOf(testBed, promoted),
          'what clients are told': await Promise.all(
            sentinelNames.map(async (name) => {
              const [, port] = (await testBed.command(
                name,
                'SENTINEL',
                'GET-MASTER-ADDR-BY-NAME',
                'mymaster',
              )) as string[]
              return port === undefined ? 'nobody' : 'somebody'
            }),
          ),
        },
      }
    },
  },
  {
    name: 'priority decides',
    setting: { ...usual, priorities: { R2: 10 } },
    async report(testBed) {
      await settled(testBed)
      const fromMs = testBed.nowMs()
      const before = testBed.heard.length
      await testBed.kill('P')
      await switched(testBed, sentinelNames, 1)
      await testBed.wait(1000)
      const heard = testBed.named().slice(before)
      const reported = failover(heard, fromMs, sentinelNames)
      return { ...reported, facts: { ...reported.facts, promoted: promotedIn(heard) } }
    },
  },
  {
    name: 'the offset decides, against the run id',
    setting: usual,
    async report(testBed) {
      await settled(testBed)
      await hurry(testBed)
      const [r1, r2] = [await runIdOf(testBed, 'R1'), await runIdOf(testBed, 'R2')]
      const behind = r1 < r2 ? 'R1' : 'R2'
      // This replica follows an unreachable server, so it misses all later writes.
      await testBed.command(behind, 'REPLICAOF', '127.0.0.1', '1')
      for (let at = 0; at < 50; at++) await testBed.command('P', 'SET', `key:${at}`, 'x'.repeat(100))
      await testBed.wait(2500)
      const fromMs = testBed.nowMs()
      const before = testBed.heard.length
      await testBed.kill('P')
      await switched(testBed, sentinelNames, 1)
      const heard = testBed.named().slice(before)
      refuseRareCourse(heard)
      return {
        facts: { promoted: promotedIn(heard) === behind ? 'the one behind' : 'the one ahead' },
        kinds: [],
        times: { 'to +odown': delayTo(heard, fromMs, '+odown') },
      }
    },
  },
  {
    name: 'no good replica',
    setting: { ...usual, priorities: { R1: 0, R2: 0 } },
    async report(testBed) {
      await settled(testBed)
      const fromMs = testBed.nowMs()
      const before = testBed.heard.length
      await testBed.kill('P')
      await until(
        testBed,
        'the failover is given up',
        () => testBed.heard.some(({ type }) => type.startsWith('-failover-abort')),
        10_000,
      )
      await testBed.wait(1500)
      const heard = testBed.named().slice(before)
      refuseRareCourse(heard)
      const leader = leaderOf(heard)
      return {
        facts: {
          leader: byPart(sequence(heard, leader), { [leader]: 'leader' }),
          roles: [await roleOf(testBed, 'R1'), await roleOf(testBed, 'R2')],
        },
        kinds: kindsOf(heard, leader),
        times: { 'to the end': delayTo(heard, fromMs, '-failover-abort-no-good-slave') },
      }
    },
  },
  {
    name: 'too few Sentinels for the quorum',
    setting: usual,
    async report(testBed) {
      await settled(testBed)
      const before = testBed.heard.length
      await testBed.pause('S2')
      await testBed.pause('S3')
      const fromMs = testBed.nowMs()
      await testBed.kill('P')
      await testBed.wait(4000)
      const heard = testBed
        .named()
        .slice(before)
        .filter(({ by }) => by === 'S1')
      return {
        facts: {
          reported: heard.map(asLine).sort(),
          quorum: await testBed.command('S1', 'SENTINEL', 'CKQUORUM', 'mymaster'),
          roles: [await roleOf(testBed, 'R1'), await roleOf(testBed, 'R2')],
        },
        kinds: kindsOf(heard, null),
        times: {
          'to +sdown': delayTo(
            heard.filter(({ message }) => message.startsWith('master')),
            fromMs,
            '+sdown',
          ),
        },
      }
    },
  },
  {
    name: 'a Sentinel that learns late, and an old primary that comes back',
    setting: usual,
    async report(testBed) {
      await settled(testBed)
      await hurry(testBed)
      const before = testBed.heard.length
      await testBed.pause('S3')
      const fromMs = testBed.nowMs()
      await testBed.kill('P')
      await switched(testBed, ['S1', 'S2'], 1)
      await testBed.wait(500)
      const failedOver = failover(testBed.named().slice(before), fromMs, ['S1', 'S2'])
      const resumedMs = testBed.nowMs()
      await testBed.resume('S3')
      await switched(testBed, ['S3'], 1)
      const late = testBed.named().slice(before)
      const promoted = promotedIn(late)
      const parts = { [leaderOf(late)]: 'leader', [promoted]: 'promoted', [promoted === 'R1' ? 'R2' : 'R1']: 'replica' }
      const afterSwitch = testBed.heard.length
      const revivedMs = testBed.nowMs()
      await testBed.revive('P')
      await until(
        testBed,
        '+convert-to-slave',
        () => testBed.heard.some(({ type }) => type === '+convert-to-slave'),
        15_000,
      )
      await testBed.wait(1500)
      const back = testBed.named().slice(afterSwitch)
      const converted = back.find(({ type }) => type === '+convert-to-slave')!
      return {
        facts: {
          ...failedOver.facts,
          late: byPart(
            late.filter(({ by, type }) => by === 'S3' && /tilt|config-update|switch/.test(type)).map(asLine),
            { ...parts, S1: 'another', S2: 'another' },
          ).sort(),
          converted: byPart([converted.message], parts),
          role: await roleOf(testBed, 'P'),
        },
        kinds: failedOver.kinds,
        times: {
          ...failedOver.times,
          'from waking to +switch-master': delayTo(
            late.filter(({ by }) => by === 'S3'),
            resumedMs,
            '+switch-master',
          ),
          'from coming back to +convert-to-slave': converted.atMs - revivedMs,
        },
      }
    },
  },
  {
    name: 'two failovers in a row',
    setting: usual,
    async report(testBed) {
      await settled(testBed)
      await testBed.kill('P')
      await switched(testBed, sentinelNames, 1)
      await testBed.wait(2500)
      const first = promotedIn(testBed.named()) as MachineName
      const before = testBed.heard.length
      const fromMs = testBed.nowMs()
      await testBed.kill(first)
      await switched(testBed, sentinelNames, 2)
      const heard = testBed.named().slice(before)
      refuseRareCourse(heard)
      const second = promotedIn(heard) as MachineName
      const master = (await testBed.command('S1', 'SENTINEL', 'MASTER', 'mymaster')) as string[]
      return {
        facts: {
          promoted: first !== second && second.startsWith('R') ? 'the other replica' : second,
          role: await roleOf(testBed, second),
          replicas: master[master.indexOf('num-slaves') + 1]!,
        },
        kinds: [],
        times: { 'to the second +promoted-slave': delayTo(heard, fromMs, '+promoted-slave') },
      }
    },
  },
  {
    name: 'a failover that is asked for',
    setting: usual,
    async report(testBed) {
      await settled(testBed)
      const before = testBed.heard.length
      const fromMs = testBed.nowMs()
      const replies = [
        await testBed.command('S1', 'SENTINEL', 'FAILOVER', 'mymaster'),
        await testBed.command('S1', 'SENTINEL', 'FAILOVER', 'mymaster'),
        await testBed.command('S1', 'SENTINEL', 'FAILOVER', 'nobody'),
      ]
      await switched(testBed, sentinelNames, 1)
      const heard = testBed.named().slice(before)
      refuseRareCourse(heard)
      const promoted = promotedIn(heard)
      const parts = { S1: 'leader', [promoted]: 'promoted', [promoted === 'R1' ? 'R2' : 'R1']: 'replica' }
      return {
        facts: { replies, leader: byPart(sequence(heard, 'S1'), parts) },
        kinds: kindsOf(heard, 'S1'),
        times: { 'to +switch-master': delayTo(heard, fromMs, '+switch-master', 'S1') },
      }
    },
  },
  {
    name: 'one more replica, of which nobody was told, comes and goes',
    setting: { ...usual, apart: 'R2', priorities: { R2: 0 } },
    async report(testBed) {
      await settled(testBed, 1)
      await hurry(testBed)
      const before = await countedBy(testBed, 1)

      const comesMs = testBed.nowMs()
      const primary = (await testBed.command('S1', 'SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'mymaster')) as string[]
      const reported = await testBed.command('R2', 'REPLICAOF', ...primary)
      await come(testBed, 'R2 is attached', () => areFollowing(testBed, 'P', 2))
      const isNews = ({ by, type, message, atMs }: Heard) =>
        by === 'S1' && type === '+slave' && message.startsWith('slave R2') && atMs >= comesMs
      await until(testBed, 'S1 finds R2', () => testBed.named().some(isNews), 15_000)
      const found = testBed.named().filter(isNews)
      const together = await countedBy(testBed, 2)
      const link = ((await testBed.command('R2', 'ROLE')) as Plain[])[3]!

      // The other replica acknowledges instead of the dead one.
      await testBed.kill('R1')
      await come(testBed, 'R1 is gone', () => areFollowing(testBed, 'P', 1))
      const inItsPlace = await countedBy(testBed, 1)
      await testBed.revive('R1')
      await come(testBed, 'R1 is back', () => areFollowing(testBed, 'P', 2))

      await testBed.kill('R2')
      await come(testBed, 'R2 is gone', () => areFollowing(testBed, 'P', 1))
      await testBed.wait(1500)
      const remembered = await countedBy(testBed, 1)
      const reset = await testBed.command('S1', 'SENTINEL', 'RESET', 'mymaster')
      await come(testBed, 'S1 knows R1 again', async () => (await knownTo(testBed, 'S1'))('num-slaves') !== '0')
      await testBed.wait(2500)
      const forgotten = await countedBy(testBed, 1)
      return {
        facts: {
          reported,
          link,
          reset,
          'what S1 heard of': found.map(({ message }) => message),
          ...labelled('before', before),
          ...labelled('both are there', together),
          ...labelled('the other one is away', inItsPlace),
          ...labelled('it is gone', remembered),
          ...labelled('it is forgotten', forgotten),
        },
        kinds: [],
        times: { 'to +slave': found[0]!.atMs - comesMs },
      }
    },
  },
  {
    name: 'what a calm Sentinel answers',
    setting: usual,
    async report(testBed) {
      await settled(testBed)
      const facts: Record<string, Plain> = {}
      for (const words of questions) facts[words] = masked(await testBed.command('S1', ...words.split(' ')))
      return { facts, kinds: [], times: {} }
    },
  },
]

const questions = [
  ...['SENTINEL MASTERS', 'SENTINEL MASTER mymaster', 'SENTINEL MASTER nobody', 'SENTINEL MASTER'],
  ...['SENTINEL REPLICAS mymaster', 'SENTINEL SLAVES mymaster', 'SENTINEL SENTINELS mymaster', 'SENTINEL SLAVES x'],
  ...['SENTINEL GET-MASTER-ADDR-BY-NAME mymaster', 'SENTINEL GET-MASTER-ADDR-BY-NAME nobody'],
  ...['SENTINEL CKQUORUM mymaster', 'SENTINEL CKQUORUM nobody', 'SENTINEL MYID', 'SENTINEL PENDING-SCRIPTS'],
  ...['SENTINEL IS-MASTER-DOWN-BY-ADDR 127.0.0.1 1 0 *', 'SENTINEL IS-MASTER-DOWN-BY-ADDR 127.0.0.1 x 0 *'],
  ...['SENTINEL', 'SENTINEL NOTHING', 'SENTINEL DEBUG', 'SENTINEL DEBUG nothing 1', 'SENTINEL DEBUG ask-period 0'],
  ...[
    'SENTINEL CONFIG GET *',
    'SENTINEL CONFIG SET nothing 1',
    'SENTINEL CONFIG SET announce-port x',
    'SENTINEL CONFIG X y',
  ],
  ...['SENTINEL SET nobody quorum 1', 'SENTINEL SET mymaster nothing 1', 'SENTINEL SET mymaster quorum 0'],
  ...['SENTINEL SET mymaster down-after-milliseconds 600 quorum x', 'SENTINEL SET mymaster quorum 2 parallel-syncs'],
  ...['SENTINEL SET mymaster notification-script /x', 'SENTINEL SET mymaster failover-timeout 5000'],
  ...[
    'SENTINEL MONITOR mymaster 127.0.0.1 1 2',
    'SENTINEL MONITOR other a.name 1 2',
    'SENTINEL MONITOR other 127.0.0.1 1 0',
  ],
  ...[
    'SENTINEL MONITOR other 127.0.0.1 70000 1',
    'SENTINEL MONITOR other 127.0.0.1 1 x',
    'SENTINEL MONITOR other ::1 1 1',
  ],
  ...['SENTINEL REMOVE other', 'SENTINEL RESET nothing*'],
  ...[
    'PING',
    'PING hello',
    'ROLE',
    'AUTH secret',
    'GET x',
    'SELECT 1',
    'MULTI',
    'QUIT',
    'RESET',
    'CONFIG GET port',
    'INFO sentinel',
  ],
  ...['HELLO', 'HELLO 4', 'CLIENT SETNAME me', 'CLIENT SETINFO lib-name x', 'ACL WHOAMI'],
  ...['PUBLISH other x', 'PUBLISH __sentinel__:hello nonsense', 'COMMAND COUNT', 'INFO replication', 'INFO nothing'],
]
