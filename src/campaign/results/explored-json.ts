/** Converts the result of an exploration to JSON and back, for other machines and for files. */
import type { JsonValue } from '../../contract/api/json.ts'
import type { BrokenOrder, Explored } from '../play/explore-tasks.ts'
import { packedLists, unpackedLists } from '../token/packed-lists.ts'
import { boundsProblem } from '../token/plan-bounds.ts'
import { planProblem } from '../token/plan-problem.ts'

const counts = ['orders', 'runs', 'events', 'known', 'broke', 'beyondLatency'] as const

export function exploredToJson({ unknown, outcomes, passed, broken, ...rest }: Explored): JsonValue {
  const lists = { unknown: [...unknown], outcomes: [...outcomes], passed: [...passed] }
  const orders = broken.map((order) => ({ ...order, choices: packedLists(order.choices) }))
  return { ...rest, ...lists, broken: orders } as unknown as JsonValue
}

/** Validates everything. Null if the data are not the result of an exploration. */
export function exploredFromJson(data: unknown): Explored | null {
  if (!isObject(data)) return null
  const { isCut, unknown, outcomes, passed, broken, ...numbers } = data
  const isCounted = counts.every((name) => isCount(numbers[name])) && Object.keys(numbers).length === counts.length
  if (!isCounted || typeof isCut !== 'boolean') return null
  if (!isTexts(unknown) || !isTexts(outcomes) || !isPassed(passed) || !Array.isArray(broken)) return null
  const orders = broken.map(orderOf)
  if (orders.includes(null)) return null
  const sets = { unknown: new Set(unknown), outcomes: new Set(outcomes), passed: new Map(passed) }
  return { ...(numbers as Record<(typeof counts)[number], number>), isCut, ...sets, broken: orders as BrokenOrder[] }
}

function orderOf(data: unknown): BrokenOrder | null {
  if (!isObject(data) || typeof data.invariant !== 'string' || typeof data.kind !== 'string') return null
  if (planProblem(data.plan) !== null) return null
  const plan = data.plan as BrokenOrder['plan']
  const choices = unpackedLists(data.choices)
  if (choices === null || choices === 'too many' || boundsProblem(plan) !== null) return null
  return { plan, choices, invariant: data.invariant, kind: data.kind }
}

function isPassed(data: unknown): data is [string, boolean[]][] {
  return Array.isArray(data) && data.every((one) => Array.isArray(one) && typeof one[0] === 'string' && isSeen(one[1]))
}

function isSeen(data: unknown): boolean {
  return Array.isArray(data) && data.every((one) => typeof one === 'boolean')
}

function isTexts(data: unknown): data is string[] {
  return Array.isArray(data) && data.every((one) => typeof one === 'string')
}

function isCount(data: unknown): boolean {
  return Number.isSafeInteger(data) && Number(data) >= 0
}

function isObject(data: unknown): data is Record<string, unknown> {
  return typeof data === 'object' && data !== null && !Array.isArray(data)
}
