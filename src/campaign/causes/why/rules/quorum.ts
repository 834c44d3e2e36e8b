/**
 * A rule for independent servers, where an attempt relies on the replies of a majority. A Redis key
 * is then a separate key on each server, so its fate is determined for each server.
 */
import type { Attempt } from '../../../../check/repeat.ts'
import { isOfSeveral } from '../../../../check/repeat.ts'
import type { Plan } from '../../../../contract/api/plan.ts'
import { durationText } from '../../../../contract/results/time-text.ts'
import { independentName } from '../../../../run/independent-servers.ts'
import type { ExecutedCommand } from '../../../../sim/world.ts'
import { commandsOf, replyClass } from '../../deciding-step.ts'
import { changeOf, foundNothing, isClaim, isLook, isScript, isWrite, keysNamedBy, lifetimeOf } from '../commands.ts'
import type { Evidence, Rule } from '../evidence.ts'
import { atUsOf, nodeOf } from '../fate.ts'
import { stoodStill } from './leases.ts'

/** The number of independent servers; 0 in any other deployment. */
export const independentIn = ({ history }: Evidence): number =>
  (history.header.plan as Pick<Plan, 'redis'> | undefined)?.redis?.independent ?? 0

/** A lock that a majority granted to an attempt: the granted commands of each server, in order. */
interface Held {
  readonly attempt: Attempt
  readonly granted: ReadonlyMap<string, readonly ExecutedCommand[]>
  readonly refused: number
}

/** Why a server no longer had the lock when the other attempt requested it. */
type Gone =
  | { readonly how: 'lost'; readonly text: string }
  /** The time to live of the lock had passed. */
  | { readonly how: 'ended' }
  /** The holder released the lock, or the reason is unknown. */
  | { readonly how: 'other' }

export const lostQuorum: Rule = (evidence) => {
  const servers = independentIn(evidence)
  const { attempts } = evidence
  if (servers === 0 || attempts === null || isOfSeveral(attempts.first) || isOfSeveral(attempts.again)) return null
  return lockLost(evidence, servers) ?? markLost(evidence, servers)
}

/**
 * The reason if both attempts had the lock: the servers that granted the lock to both had lost it
 * between the two attempts, or its time to live had passed.
 */
function lockLost(evidence: Evidence, servers: number): string | null {
  const quorum = Math.floor(servers / 2) + 1
  const { first, again } = evidence.attempts!
  const one = lockOf(first, evidence, quorum)
  const other = lockOf(again, evidence, quorum)
  if (one === null || other === null || one.key !== other.key) return null
  const [holder, taker] = beganSeq(one) < beganSeq(other) ? [one, other] : [other, one]
  const both = [...taker.granted].flatMap(([server, [taken]]) => {
    const had = holder.granted.get(server)?.findLast(({ seq }) => seq < taken!.seq)
    return had === undefined ? [] : [{ server, gone: goneOf(evidence, server, taker.key, had, taken!) }]
  })
  if (both.length === 0 || both.some(({ gone }) => gone.how === 'other')) return null
  const takenAt = beganSeq(taker)
  const heldBy = listed([...holder.granted].filter(([, [had]]) => had!.seq < takenAt).map(([server]) => server))
  const took = `${listed([...taker.granted.keys()])(servers)} then granted it to ${otherThan(holder.attempt, taker.attempt)}`
  const refused = taker.refused === 0 ? '' : `, and ${taker.refused} refused it`
  const held = `${holder.attempt.process} held the lock on ${heldBy(servers)}`
  if (both.some(({ gone }) => gone.how === 'ended')) {
    const stood = stoodStill(evidence, holder.attempt.process, beganSeq(holder), takenAt)
    const late = appliedSeq(holder) > appliedSeq(taker) ? ', and its holder performed after that anyway' : ''
    return `${held}, and it ended there while its holder ${stood ? 'stalled' : 'was still at work'}: ${took}${refused}${late}`
  }
  // If the servers that lost the lock had refused it, there would have been no majority.
  if (taker.granted.size - both.length >= quorum) return null
  const lost = both.flatMap(({ gone }) => (gone.how === 'lost' ? [gone.text] : []))
  return `${held}; ${lost.join(', ')}, and ${took}${refused}`
}

/**
 * The reason if the first attempt released the lock and left a mark, and a majority replied to the
 * second attempt that there was no mark.
 */
function markLost(evidence: Evidence, servers: number): string | null {
  const quorum = Math.floor(servers / 2) + 1
  const { first, again } = evidence.attempts!
  const looks = own(again, evidence).filter((one) => isLook(one) && foundNothing(one))
  for (const key of new Set(looks.flatMap(keysNamedBy))) {
    const asked = byServer(
      evidence,
      looks.filter((one) => keysNamedBy(one).includes(key)),
    )
    const lookedAt = Math.min(...[...asked.values()].map(([one]) => one!.seq))
    const written = byServer(
      evidence,
      evidence.executed.filter(
        (one) =>
          one.seq < lookedAt &&
          isOf(first, one, evidence) &&
          isWrite(one) &&
          changeOf(one) === 'written' &&
          keysNamedBy(one).includes(key),
      ),
    )
    if (written.size < quorum || asked.size < quorum) continue
    const both = [...asked].flatMap(([server, [look]]) => {
      const mark = written.get(server)?.at(-1)
      return mark === undefined ? [] : [goneOf(evidence, server, key, mark, look!)]
    })
    if (both.length === 0 || !both.every((gone) => gone.how === 'lost')) continue
    const lost = both.flatMap((gone) => (gone.how === 'lost' ? [gone.text] : []))
    return `the mark of ${first.process} was on ${listed([...written.keys()])(servers)}; ${lost.join(', ')}, and ${listed([...asked.keys()])(servers)} answered ${otherThan(first, again)} that they had no mark`
  }
  return null
}

/**
 * The lock that a majority granted before the attempt sent its effect, by one script or claim with
 * the same words on each server. Null if no majority granted one.
 */
function lockOf(attempt: Attempt, evidence: Evidence, quorum: number): (Held & { readonly key: string }) | null {
  const asked = own(attempt, evidence).filter((one) => isScript(one) || isClaim(one))
  for (const words of [...new Set(asked.map(wordsOf))].toReversed()) {
    const round = asked.filter((one) => wordsOf(one) === words)
    const granted = byServer(evidence, round.filter(isGranted))
    const [key] = keysNamedBy(round[0]!)
    if (key === undefined || granted.size < quorum) continue
    const others = byServer(
      evidence,
      round.filter((one) => !isGranted(one)),
    )
    const refused = [...others.keys()].filter((server) => !granted.has(server)).length
    return { attempt, granted, refused, key }
  }
  return null
}

/**
 * The words that identify a lock. They exclude the script, which differs between EVALSHA, EVAL and
 * a script that extends the lock.
 */
const wordsOf = (command: ExecutedCommand): string =>
  JSON.stringify(isScript(command) ? command.args.slice(2) : command.args)

const isGranted = (command: ExecutedCommand): boolean =>
  isClaim(command) ? changeOf(command) === 'written' : ['1', 'a number', 'OK'].includes(replyClass(command.reply))

const own = ({ delivery, sent }: Attempt, { executed, reading }: Evidence): ExecutedCommand[] =>
  delivery === undefined ? [] : commandsOf(delivery, sent.seq, executed, reading)

const isOf = ({ delivery, process }: Attempt, one: ExecutedCommand, { reading }: Evidence): boolean => {
  if (delivery === undefined || one.process !== process) return false
  return one.sentFor === undefined
    ? reading
        .deliveriesOf(delivery.delivered.key)
        .every((other) => other === delivery || other.delivered.process !== process)
    : one.sentFor === delivery.delivered.deliveryId
}

function byServer(evidence: Evidence, commands: readonly ExecutedCommand[]): Map<string, ExecutedCommand[]> {
  const found = new Map<string, ExecutedCommand[]>()
  for (const one of commands) {
    const server = nodeOf(one, evidence)
    if (server !== null) found.set(server, [...(found.get(server) ?? []), one])
  }
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)))
}

const appliedSeq = ({ attempt }: Held): number => attempt.request?.applied?.seq ?? attempt.sent.seq

const beganSeq = ({ granted }: Held): number => Math.min(...[...granted.values()].map(([one]) => one!.seq))

/** What happened to the key on `server` between the two commands. */
function goneOf(evidence: Evidence, server: string, key: string, had: ExecutedCommand, next: ExecutedCommand): Gone {
  const { executed, reading } = evidence
  const between = ({ seq }: { readonly seq: number }) => seq > had.seq && seq < next.seq
  const changed = executed.some(
    (one) =>
      between(one) &&
      !isLook(one) &&
      keysNamedBy(one).includes(key) &&
      nodeOf(one, evidence) === server &&
      isChange(one),
  )
  const lost = reading
    .of('data-lost')
    .findLast((loss) => loss.node === server && between(loss) && loss.redisKeys?.includes(key))
  if (changed || lost === undefined) return { how: 'other' }
  if (lost.cause === 'restart') return { how: 'lost', text: `${server} came back from its restart without it` }
  if (lost.cause !== 'expiry') return { how: 'other' }
  const ttlMs = ttlMsOf(had, evidence)
  if (ttlMs === null) return { how: 'other' }
  if (lost.atUs - atUsOf(evidence, had) >= ttlMs * 1000 - oneMs) return { how: 'ended' }
  const clock = reading
    .of('fault-struck')
    .findLast(
      ({ index, fault, seq }) => seq < lost.seq && fault.startsWith('clock-') && machineOf(index, evidence) === server,
    )
  if (clock === undefined) return { how: 'other' }
  return { how: 'lost', text: `${clock.sentence}, so that it expired there before its TTL of ${durationText(ttlMs)}` }
}

const oneMs = 1000

const isChange = (one: ExecutedCommand): boolean => (isScript(one) ? isGranted(one) : changeOf(one) !== 'none')

/**
 * The time to live that the command set. For a script: the lease, if it is one of the script's
 * arguments.
 */
function ttlMsOf(command: ExecutedCommand, { history }: Evidence): number | null {
  const { leaseMs } = history.header
  return isScript(command) ? (command.args.includes(String(leaseMs)) ? leaseMs : null) : lifetimeOf(command)
}

function machineOf(index: number, { history }: Evidence): string | null {
  const { faults } = history.header.plan as unknown as Plan
  const machine = Number(faults[index]?.machine)
  return machine < 0 ? independentName(-machine) : null
}

const otherThan = (one: Attempt, other: Attempt): string =>
  other.process === one.process ? `another attempt in ${other.process}` : other.process

/** The names of servers as text: `3 of 5 servers (redis-1, redis-2, redis-3)`. */
const listed =
  (names: readonly string[]) =>
  (servers: number): string =>
    names.length === servers
      ? `all ${servers} servers`
      : `${names.length} of ${servers} servers (${[...names].sort().join(', ')})`
