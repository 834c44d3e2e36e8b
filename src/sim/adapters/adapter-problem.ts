import {
  type Implementation,
  keylessPolicies,
  mechanisms,
  permissions,
  rareMechanisms,
} from '../../contract/api/implementation.ts'
import { acceptsProblem } from '../../contract/api/risk.ts'
import { sinkKinds } from '../../contract/api/sink.ts'
import { shapes, storeKinds } from '../../contract/api/store.ts'

const lists = {
  sinks: sinkKinds,
  leavesNoDoubtOn: sinkKinds,
  stores: storeKinds,
  shapes,
  lacks: mechanisms,
  has: rareMechanisms,
  allow: permissions,
} as const

/** Members in whole milliseconds, and the least value of each. */
const leastMs = { answersWithinMs: 1, minLeaseMs: 1, maxClockSkewMs: 0 } as const

/** The problem of an exported adapter, in one clause; null if it can be used. */
export function adapterProblem(exported: unknown): string | null {
  if (typeof exported !== 'object' || exported === null)
    return 'no default export made by defineImplementation({ id, create })'
  const adapter = exported as { readonly [name in keyof Implementation]?: unknown }
  const { id, create, deploy, expect, recoveryBoundMs } = adapter
  if (typeof id !== 'string' || id === '') return 'its default export has no `id` (a string)'
  if (typeof create !== 'function') return `the implementation ${id} has no \`create\` (a function)`
  if (deploy !== undefined && typeof deploy !== 'function')
    return `\`deploy\` of the implementation ${id} is not a function`
  if (expect !== undefined && expect !== 'holds' && expect !== 'broken')
    return `\`expect\` of the implementation ${id} is neither holds nor broken`
  // With a bound that is not a number, every layer would pass.
  if (recoveryBoundMs !== undefined && !(typeof recoveryBoundMs === 'number' && recoveryBoundMs >= 0))
    return `\`recoveryBoundMs\` of the implementation ${id} is not a number of milliseconds`
  for (const [name, least] of Object.entries(leastMs) as [keyof typeof leastMs, number][]) {
    const ms = adapter[name]
    if (ms !== undefined && !(Number.isInteger(ms) && Number(ms) >= least))
      return `\`${name}\` of the implementation ${id} is not a whole number of milliseconds ${least === 0 ? 'from' : 'above'} 0`
  }
  for (const name of ['bindsProducedAt', 'serial'] as const)
    if (adapter[name] !== undefined && adapter[name] !== true)
      return `\`${name}\` of the implementation ${id} is not true; remove it`
  if (adapter.broker !== undefined && adapter.broker !== 'partitions')
    return `\`broker\` of the implementation ${id} is not 'partitions'; remove it`
  const { withoutKey } = adapter
  if (withoutKey !== undefined && !(keylessPolicies as readonly unknown[]).includes(withoutKey))
    return `\`withoutKey\` of the implementation ${id} is neither ${keylessPolicies.join(' nor ')}`
  if (adapter.deadLetterReasons !== undefined && !areDeadLetterReasons(adapter.deadLetterReasons))
    return `\`deadLetterReasons\` of the implementation ${id} must have failed ({ reason, attempts, retry? }), vanished (a reason), or both`
  const unacceptable = adapter.accepts === undefined ? null : acceptsProblem(adapter.accepts)
  if (unacceptable !== null) return `\`accepts\` of the implementation ${id} ${unacceptable}`
  for (const [name, known] of Object.entries(lists) as [keyof typeof lists, readonly string[]][]) {
    const list = adapter[name]
    if (list === undefined) continue
    if (!Array.isArray(list)) return `\`${name}\` of the implementation ${id} is not an array`
    const wrong = list.find((one) => !known.includes(one))
    if (wrong !== undefined)
      return `\`${name}\` of the implementation ${id} has an unknown ${String(wrong)}; known: ${known.join(', ')}`
  }
  if ((adapter.sinks as readonly string[] | undefined)?.includes('transactional') && !usesPostgres(adapter.stores))
    return `the implementation ${id} uses a transactional sink but no store with transactions; add stores: ['postgres']`
  return null
}

/** Rejects misspelled members, because they would disable the check. */
function areDeadLetterReasons(said: unknown): boolean {
  if (typeof said !== 'object' || said === null) return false
  const { failed, vanished, ...more } = said as { readonly failed?: unknown; readonly vanished?: unknown }
  if (Object.keys(more).length > 0 || (failed === undefined && vanished === undefined)) return false
  if (vanished !== undefined && !isReason(vanished)) return false
  if (failed === undefined) return true
  if (typeof failed !== 'object' || failed === null) return false
  const { reason, attempts, retry, ...others } = failed as { readonly [member: string]: unknown }
  if (Object.keys(others).length > 0 || (retry !== undefined && !isReason(retry))) return false
  return isReason(reason) && Number.isInteger(attempts) && Number(attempts) >= 1
}

const isReason = (said: unknown): boolean => typeof said === 'string' && said !== ''

const usesPostgres = (stores: unknown): boolean => Array.isArray(stores) && stores.includes('postgres')
