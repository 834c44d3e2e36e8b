/** Every kind of planned fault: what it takes to make it live, or why it cannot be made. */
import type { Plan, PlannedFault } from '../contract/plan.ts'
import type { NotMadeLive } from '../contract/results.ts'
import type { Armed } from '../run/boundaries.ts'
import type { LiveShape } from './environment.ts'
import { directions } from './link.ts'
import type { Power } from './servers/live-server.ts'

/** What a kind of fault takes: a power over the server, or a reason why this one, or none of its kind, can be made. */
export interface LiveFault {
  readonly needs?: Power
  readonly cannot?: (fault: PlannedFault) => string | null
}

const never = (why: string): LiveFault => ({ cannot: () => why })
const always: LiveFault = {}
const ofClocks: LiveFault = {}

export const liveFaults: Readonly<Record<string, LiveFault>> = {
  crash: always,
  pause: always,
  partition: always,
  'slow-link': always,
  'connection-reset': always,
  'lost-reply': always,
  'lost-request': always,
  'duplicate-delivery': always,
  'commit-past': always,
  redelivery: always,
  'lost-acknowledgement': always,
  'out-of-order': always,
  'late-copy': always,
  poison: always,
  'slow-effect': always,
  'effect-fails-before': always,
  'effect-fails-after': always,
  'clock-step': ofClocks,
  'clock-drift': ofClocks,
  'clock-frozen': ofClocks,
  'redis-restart': { needs: 'restart' },
  'redis-flushed': { needs: 'flush' },
  'scripts-flushed': { needs: 'flush' },
  eviction: { needs: 'configure' },
  'redis-out-of-memory': { needs: 'configure' },
  'redis-busy': { needs: 'configure' },
  'connection-limit': { needs: 'configure' },
  'slow-redis': { needs: 'freeze' },
  'machine-cut-off': {
    needs: 'cut-off',
    cannot: ({ who, from }) =>
      who === 'primary' && from === 'machines' ? null : 'only a primary is cut off live, and from the other machines',
  },
  'machine-restart': never('of several servers, only the primary is killed live'),
  'machine-forgotten': never('of several servers, only the primary is killed live'),
  'error-reply': never('to answer one command in place of Redis, the proxy would have to read RESP'),
  'redis-loading': never('a server cannot be told to load for so long'),
  'dns-failure': never('consumers are given addresses, not names'),
}

/** Where faults are to be made live. */
export interface FaultConditions {
  readonly shape: LiveShape
  /** Why the servers do not let that happen; null where they do. */
  refuses(power: Power): string | null
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

/** What a store of several servers carries out. */
const ofSeveral: ReadonlySet<Power> = new Set(['restart', 'cut-off'])

function whyNot(fault: PlannedFault, { shape, refuses, longestMs }: FaultConditions): string | null {
  const live = liveFaults[fault.kind]
  if (live === undefined) return `no host of real servers knows the kind ${fault.kind}`
  const clock = live === ofClocks && fault.machine === -1 ? ('clock' as const) : undefined
  const needs = live.needs ?? clock
  if (shape === 'sentinel' && needs !== undefined && !ofSeveral.has(needs))
    return 'of several servers, only the primary is killed or cut off live'
  const refused = needs === undefined ? null : refuses(needs)
  if (refused !== null) return refused
  if ((fault.healAfterMs ?? 0) > longestMs)
    return `it lasts ${fault.healAfterMs} ms, a live run ${longestMs} ms at most`
  return live.cannot?.(fault) ?? null
}

/** What it is about is the reply to a command: it must be in place before the command leaves. */
export function strikesReply({ kind, node, way }: PlannedFault): boolean {
  return kind === 'lost-reply' || (kind === 'partition' && node === 'redis' && way !== directions[0])
}
