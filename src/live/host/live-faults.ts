/**
 * For every kind of planned fault: the requirements to inject it live, or why that is impossible.
 */
import type { Plan, PlannedFault } from '../../contract/api/plan.ts'
import type { Shape } from '../../contract/api/store.ts'
import type { NotMadeLive } from '../../contract/results/results.ts'
import type { Armed } from '../../run/boundaries.ts'
import { postgresClock } from '../../run/faults/machine.ts'
import type { Power } from '../servers/live-server.ts'
import { directions } from './link.ts'

/**
 * How the effect of a fault is verified (src/live/evidence). `word`: not measured, because the
 * harness itself is the broker and the sink, or because the server replied to the harness.
 */
export type SeenBy = 'word' | 'exit' | 'standstill' | 'clock' | 'command' | 'link' | 'server standstill' | 'cut link'

/**
 * What a kind of fault requires: a power over the server. Or a reason why all or some faults of the
 * kind cannot be injected.
 */
export interface LiveFault {
  readonly seenBy: SeenBy
  readonly needs?: Power
  /** The server over which this power is needed. Absent: Redis. */
  readonly of?: 'postgres'
  readonly cannot?: (fault: PlannedFault, where: FaultConditions) => string | null
}

/** Faults of the machines of a deployment. */
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

/** The conditions under which faults are to be injected live. */
export interface FaultConditions {
  readonly shape: Shape
  /** Why the servers do not allow the power; null if they allow it. */
  refuses(power: Power, of: 'redis' | 'postgres'): string | null
  /** True if the proxies can forget connections: `LinkProxy.forgets`. */
  readonly forgets: boolean
  /** True for several servers that follow a schedule. */
  readonly isHeld?: boolean
  /** The maximum duration of a run. */
  readonly longestMs: number
}

/**
 * Splits a plan's faults into those that are armed and those that are only listed with a reason.
 */
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

/**
 * The kinds of faults that are possible for several servers that follow a schedule, and for their
 * Sentinels.
 */
const ofHeld: ReadonlySet<string> = new Set(['redis-restart', 'machine-restart', 'machine-cut-off', 'slow-redis'])

/** The powers that several servers allow, and why other faults are impossible. */
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

/**
 * True if the fault affects the reply to a command. Such a fault must be in place before the
 * command leaves.
 */
export function strikesReply({ kind, node, way }: PlannedFault): boolean {
  return (
    kind === 'lost-reply' ||
    kind === 'half-open' ||
    (kind === 'partition' && node !== 'sink' && node !== 'broker' && way !== directions[0])
  )
}
