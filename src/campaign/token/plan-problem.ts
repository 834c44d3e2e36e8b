import { boundaries, commandBoundaries, picks, type RedisPlan, resultStyles } from '../../contract/api/plan.ts'

/**
 * The reason why the data is not a plan, in one clause; null if it is a plan. In faults, it checks
 * only the fields that many kinds share.
 */
export function planProblem(data: unknown): string | null {
  if (!isObject(data)) return 'it has no plan'
  const wrong = planNumbers.find((name) => !isCount(data[name]))
  if (wrong !== undefined) return numberProblem(wrong, data[wrong])
  const broken = wholeNumbers.find((name) => !isWhole(data[name]))
  if (broken !== undefined) return `its plan's \`${broken}\` is ${data[broken]}; it must be a whole number from 1`
  if (!Array.isArray(data.messages) || !data.messages.every(isMessage)) return 'its plan has no list of messages'
  const odd = oddMember(data)
  if (odd !== null) return odd
  if (!Array.isArray(data.faults)) return 'its plan has no list of faults'
  const time = timeProblem(data)
  if (time !== null) return time
  const at = data.faults.findIndex((fault) => !isFault(fault))
  if (at !== -1) return `its plan's fault ${at + 1} lacks a kind, a time or a duration`
  const astray = data.faults.findIndex(({ when }) => when.of !== undefined && !isAim(when.of, when.at))
  if (astray === -1) return redisProblem(data.redis)
  return (
    `its plan's fault ${astray + 1} has no target: \`of\` must be a label or a \`pick\` below ${picks}, ` +
    'at a boundary of commands, with a key only before the reply'
  )
}

/**
 * Names a malformed optional member; null if all are well-formed. Plans of earlier versions lack
 * these members.
 */
function oddMember(plan: Record<string, unknown>): string | null {
  const { serial, broker, startsWithinMs, work, sinkRemembersMs, results, postgres } = plan
  if (startsWithinMs !== undefined && !isWhole(startsWithinMs))
    return "its plan's `startsWithinMs` must be a whole number of milliseconds from 1"
  if (serial !== undefined && serial !== true) return "its plan's `serial` must be true or absent"
  if (broker !== undefined && !(isObject(broker) && isWhole(broker.partitions) && isWhole(broker.batch)))
    return "its plan's `broker` has no number of partitions or no batch size"
  if (work !== undefined && !(isObject(work) && isCount(work.beforeMs) && isCount(work.afterMs)))
    return "its plan's `work` has no time before or after the effect"
  if (sinkRemembersMs !== undefined && !isCount(sinkRemembersMs))
    return "its plan's `sinkRemembersMs` must be a number of milliseconds"
  if (postgres !== undefined && !isPostgres(postgres))
    return "its plan's `postgres` lacks its commit mode, client limit, recovery time or standby"
  if (results !== undefined && !(resultStyles as readonly unknown[]).includes(results))
    return `its plan's \`results\` must be one of ${resultStyles.join(', ')}`
  return null
}

function isPostgres(data: unknown): boolean {
  if (!isObject(data) || typeof data.synchronousCommit !== 'boolean') return false
  if (![undefined, 'synchronous', 'asynchronous'].includes(data.standby as undefined)) return false
  if (data.standbyLagMs !== undefined && (data.standby !== 'synchronous' || !isCount(data.standbyLagMs))) return false
  return isWhole(data.maxConnections) && isCount(data.recoveryMs)
}

function redisProblem(redis: unknown): string | null {
  if (redis === undefined) return null
  if (!isObject(redis)) return "its plan's `redis` must be an object"
  const wrong = redisNumbers.find((name) => !isCount(redis[name]))
  if (wrong !== undefined) return `its plan's \`redis\` has no \`${wrong}\` (a number)`
  for (const name of machineCounts) {
    const machines = redis[name]
    if (machines !== undefined && !(isCount(machines) && Number.isInteger(machines)))
      return `its plan's \`redis.${name}\` is ${machines}; it must be a whole number`
  }
  if (redis.shards !== undefined && !isWhole(redis.shards)) return "its plan's `redis.shards` must be 1 or more"
  if (redis.independent !== undefined && !isAlone(redis))
    return "its plan's `redis.independent` must be 1 or more, without shards, replicas, spares and Sentinels"
  return typeof redis.keeps === 'string' ? null : "its plan's `redis` has no `keeps` (the persistence of its disk)"
}

/**
 * True if the deployment has only independent servers: no shards, replicas, spares or Sentinels.
 */
function isAlone({ independent, shards, replicas, spares = 0, sentinels }: Record<string, unknown>): boolean {
  return isWhole(independent) && shards === undefined && replicas === 0 && spares === 0 && sentinels === 0
}

function numberProblem(name: string, value: unknown): string {
  if (typeof value === 'number' && value < 0) return `its plan's \`${name}\` is ${value}; it must not be negative`
  return `its plan has no \`${name}\` (a number)`
}

/**
 * Names a time that is not a whole number of microseconds, the unit of a run's clock; null if
 * all times are.
 */
function timeProblem(data: object): string | null {
  for (const [name, value] of Object.entries(data)) {
    if (typeof value === 'number' && /^ms$|Ms$/.test(name) && !Number.isInteger(value * 1000))
      return `its plan's \`${name}\` is ${value}; it must be a whole number of microseconds`
    const within = name !== 'payload' && typeof value === 'object' && value !== null ? timeProblem(value) : null
    if (within !== null) return within
  }
  return null
}

const planNumbers = [
  'consumers',
  'leaseMs',
  'retentionMs',
  'visibilityMs',
  'redeliveryMs',
  'maxAttempts',
  'effectMs',
  'effectTimeoutMs',
] as const

const redisNumbers = [
  'replicas',
  'sentinels',
  'downAfterMs',
  'failoverTimeoutMs',
  'minReplicasToWrite',
  'fullSyncMs',
  'loadingMs',
] as const satisfies readonly (keyof RedisPlan)[]

const machineCounts = [
  'shards',
  'independent',
  'replicas',
  'neverPromoted',
  'spares',
  'sentinels',
] as const satisfies readonly (keyof RedisPlan)[]

const wholeNumbers = ['consumers', 'maxAttempts'] as const

function isMessage(data: unknown): boolean {
  if (!isObject(data) || typeof data.key !== 'string' || !isCount(data.publishAtMs)) return false
  const { keyless } = data
  if (keyless !== undefined && !(keyless === true && data.key === '')) return false
  return 'payload' in data && (data.stampOffMs === undefined || Number.isInteger(data.stampOffMs))
}

function isFault(data: unknown): boolean {
  if (!isObject(data) || typeof data.kind !== 'string' || !isObject(data.when)) return false
  const { healAfterMs, message, near } = data
  if (healAfterMs !== undefined && !isCount(healAfterMs)) return false
  if (message !== undefined && !(isCount(message) && Number.isInteger(message))) return false
  if (near !== undefined && !(isObject(near) && isCount(near.limit) && typeof near.byMs === 'number')) return false
  const { at, ms, consumer, nth } = data.when
  if (at === 'time') return isCount(ms)
  return (boundaries as readonly unknown[]).includes(at) && isCount(consumer) && isWhole(nth)
}

/**
 * True for a valid aim of a fault at commands. An aim is valid only at the boundary of a command.
 * An aim at a received reply must not name a key.
 */
function isAim(of: unknown, at: unknown): boolean {
  if (!isObject(of) || !(commandBoundaries as readonly unknown[]).includes(at)) return false
  const { pick, label, key } = of
  if (pick !== undefined) return isCount(pick) && Number.isInteger(pick) && Number(pick) < picks
  return typeof label === 'string' && (key === undefined || (typeof key === 'string' && at !== 'reply-received'))
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}

function isWhole(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 1
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
