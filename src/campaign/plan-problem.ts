import { boundaries } from '../contract/plan.ts'

/**
 * What keeps some data from being a plan, in one clause; null when it is one. Of faults, only what many kinds share.
 */
export function planProblem(data: unknown): string | null {
  if (!isObject(data)) return 'it has no plan'
  const wrong = planNumbers.find((name) => !isCount(data[name]))
  if (wrong !== undefined) return `its plan has no \`${wrong}\` (a number)`
  const broken = wholeNumbers.find((name) => !isWhole(data[name]))
  if (broken !== undefined) return `its plan's \`${broken}\` is ${data[broken]}; it must be a whole number from 1`
  if (!Array.isArray(data.messages) || !data.messages.every(isMessage)) return 'its plan has no list of messages'
  if (!Array.isArray(data.faults)) return 'its plan has no list of faults'
  const at = data.faults.findIndex((fault) => !isFault(fault))
  return at === -1 ? null : `its plan's fault ${at + 1} says not what, when, or for how long`
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

const wholeNumbers = ['consumers', 'maxAttempts'] as const

function isMessage(data: unknown): boolean {
  return isObject(data) && typeof data.key === 'string' && isCount(data.publishAtMs) && 'payload' in data
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

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}

function isWhole(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 1
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
