/** Every kind of planned fault: what it takes to make it live, or why it cannot be made. */
import type { Plan, PlannedFault } from '../../contract/api/plan.ts'
import type { Shape } from '../../contract/api/store.ts'
import type { NotMadeLive } from '../../contract/results/results.ts'
import type { Armed } from '../../run/boundaries.ts'
import { postgresClock } from '../../run/faults/machine.ts'
import type { Power } from '../servers/live-server.ts'
import { directions } from './link.ts'

/**
 * By what its effect is seen (src/live/evidence). `word`: broker and sink are the harness's own,
 * and what a server answers to the harness itself is so.
 */
export type SeenBy = 'word' | 'exit' | 'standstill' | 'clock' | 'command' | 'link' | 'server standstill' | 'cut link'

/**
 * What a kind of fault takes: a power over the server, or a reason why this one, or none of its
 * kind, can be made.
 */
export interface LiveFault {
  readonly seenBy: SeenBy
  readonly needs?: Power
  /** Whose power that is. Absent: Redis's. */
  readonly of?: 'postgres'
  readonly cannot?: (fault: PlannedFault, where: FaultConditions) => string | null
}

/** What is done to machines of a deployment. */
const onlyPrimary = 'with several servers, only the primary can be killed live'
const ofMachines = (needs: Power): LiveFault => ({
  needs,
  seenBy: 'word',
  cannot: (_, { shape }) => (shape === 'cluster' ? null : onlyPrimary),
})

const never = (why: string): LiveFault => ({ seenBy: 'word', cannot: () => why })
const always = (seenBy: SeenBy): LiveFault => ({ seenBy })
const ofClocks: LiveFault = { seenBy: 'clock' }
const ofServer = (needs: Power, seenBy: SeenBy = 'word'): LiveFault => ({ needs, seenBy })

const ofPostgres = (needs: Power, seenBy: SeenBy = 'word'): LiveFault => ({ needs, seenBy, of: 'postgres' })
const noDynamoDB = 'live runs have no DynamoDB'

export const liveFaults: Readonly<Record<string, LiveFault>> = {
  crash: always('exit'),
  pause: always('standstill'),
  partition: always('link'),
  'slow-link': always('link'),
  'connection-reset': always('link'),
  'half-open': {
    ...always('link'),
    cannot: (_, { forgets }) =>
      forgets ? null : 'Toxiproxy does not support half-open connections; use --proxy builtin',
  },
  'lost-reply': always('command'),
  'lost-request': always('command'),
  'duplicate-delivery': always('word'),
  'commit-past': always('word'),
  redelivery: always('word'),
  'lost-acknowledgement': always('word'),
  'out-of-order': always('word'),
  'late-copy': always('word'),
  poison: always('word'),
  'slow-effect': always('word'),
  'effect-fails-before': always('word'),
  'effect-fails-after': always('word'),
  'clock-step': ofClocks,
  'clock-drift': ofClocks,
  'clock-frozen': ofClocks,
  'redis-restart': ofServer('restart'),
  'redis-flushed': ofServer('flush'),
  'scripts-flushed': ofServer('flush'),
  eviction: ofServer('configure'),
  'redis-out-of-memory': ofServer('configure'),
  'redis-busy': ofServer('configure'),
  'connection-limit': ofServer('configure'),
  'slow-redis': ofServer('freeze', 'server standstill'),
  'machine-cut-off': {
    ...ofServer('cut-off', 'cut link'),
    cannot: ({ who, from }, { shape }) =>
      shape === 'cluster' || (who === 'primary' && from === 'machines')
        ? null
        : 'only a primary can be cut off live, and only from other machines',
  },
  'machine-restart': ofMachines('restart'),
  'machine-forgotten': never(onlyPrimary),
  'machine-added': never('live servers all start with the run'),
  'error-reply': never('the proxy would have to parse RESP to answer one command instead of Redis'),
  'redis-loading': never('the loading time of a server cannot be set'),
  'postgres-restart': ofPostgres('restart'),
  'postgres-failover': never('live runs have one PostgreSQL server, without a standby'),
  'slow-postgres': ofPostgres('freeze', 'server standstill'),
  'postgres-connections': ofPostgres('configure'),
  'slow-dynamodb': never(noDynamoDB),
  'dynamodb-throttled': never(noDynamoDB),
  'dynamodb-error': never(noDynamoDB),
  'dns-failure': never('consumers get addresses instead of names'),
}

/** Where faults are to be made live. */
export interface FaultConditions {
  readonly shape: Shape
  /** Why its servers do not let that happen; null where they do. */
  refuses(power: Power, of: 'redis' | 'postgres'): string | null
  /** Whether the proxies before them do: `LinkProxy.forgets`. */
  readonly forgets: boolean
  /** Several servers that keep to a schedule. */
  readonly isHeld?: boolean
  /** What a run may last. */
  readonly longestMs: number
}

/** Splits a plan's faults into those that are armed and those that are only named. */
export function sortFaults(plan: Plan, conditions: FaultConditions): { armed: Armed[]; notMade: NotMadeLive[] } {
  const armed: Armed[] = []
  const notMade: NotMadeLive[] = []
  plan.faults.forEach((fault, index) => {
    const why = whyNot(fault, conditions)
    if (why === null) armed.push({ index, fault })
    else notMade.push({ fault: fault.kind, why })
  })
  return { armed, notMade }
}

/** What is done to several servers that keep to a schedule, and to their Sentinels. */
const ofHeld: ReadonlySet<string> = new Set(['redis-restart', 'machine-restart', 'machine-cut-off', 'slow-redis'])

/** What several servers let happen to them, and why nothing else. */
const ofSeveral: { readonly [shape in Shape]?: { readonly powers: readonly Power[]; readonly why: string } } = {
  sentinel: {
    powers: ['restart', 'cut-off'],
    why: 'with several servers, only the primary can be killed or cut off live',
  },
  cluster: {
    powers: ['restart', 'cut-off', 'freeze'],
    why: 'nodes of a Cluster can only be killed, stopped or cut off live',
  },
  independent: {
    powers: ['restart', 'freeze', 'flush', 'configure', 'clock'],
    why: 'independent servers have no connections to cut off',
  },
}

function whyNot(fault: PlannedFault, where: FaultConditions): string | null {
  const { shape, refuses, longestMs, isHeld = false } = where
  if (isHeld && ofHeld.has(fault.kind)) return null
  const live = liveFaults[fault.kind]
  if (live === undefined) return `the kind ${fault.kind} is not supported live`
  const clock = live === ofClocks && Number(fault.machine) < 0 ? ('clock' as const) : undefined
  const needs = live.needs ?? clock
  const of = fault.machine === postgresClock ? 'postgres' : (live.of ?? 'redis')
  const several = ofSeveral[shape]
  if (needs !== undefined && several !== undefined && !several.powers.includes(needs)) return several.why
  const refused = needs === undefined ? null : refuses(needs, of)
  if (refused !== null) return refused
  if ((fault.healAfterMs ?? 0) > longestMs)
    return `it lasts ${fault.healAfterMs} ms, but a live run at most ${longestMs} ms`
  return live.cannot?.(fault, where) ?? null
}

/** What it is about is the reply to a command: it must be in place before the command leaves. */
export function strikesReply({ kind, node, way }: PlannedFault): boolean {
  return (
    kind === 'lost-reply' ||
    kind === 'half-open' ||
    (kind === 'partition' && node !== 'sink' && node !== 'broker' && way !== directions[0])
  )
}
