/** A request that is sent to the judge (dynalite, see `EmulatorTarget`) and to the simulation. */
export interface Call {
  readonly operation: string
  readonly input: object
}

export interface Outcome {
  readonly status: number
  /** The normalized body: see `comparable`. */
  readonly body: unknown
}

export interface Target {
  call(call: Call): Promise<Outcome>
  close(): Promise<void>
}

/** Members that each side generates itself: times, ids, the account. */
const madeUp = new Set([
  'CreationDateTime',
  'LastUpdateToPayPerRequestDateTime',
  'TableId',
  'TableArn',
  'TableSizeBytes',
  'ItemCount',
])

/**
 * Normalizes the parts of an answer that the service does not define: the order in sets and
 * batches, ids and times. Sizes and counts of a table are removed, because they are "updated
 * approximately every six hours" (API reference, TableDescription).
 */
export function comparable(body: unknown, operation: string): unknown {
  return withoutOrder(body, operation === 'BatchGetItem' ? ['Responses'] : [])
}

function withoutOrder(value: unknown, inAnyOrder: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((member) => withoutOrder(member, []))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value)
    .filter(([name]) => !madeUp.has(name))
    .map(([name, member]) => {
      const plain = withoutOrder(member, [])
      if (['SS', 'NS', 'BS', 'AttributeDefinitions'].includes(name) && Array.isArray(plain))
        return [name, sorted(plain)]
      if (inAnyOrder.includes(name)) return [name, eachSorted(plain)]
      return [name, plain]
    })
  return Object.fromEntries((members as [string, unknown][]).sort(([one], [other]) => (one < other ? -1 : 1)))
}

function eachSorted(tables: unknown): unknown {
  if (typeof tables !== 'object' || tables === null) return tables
  return Object.fromEntries(
    Object.entries(tables).map(([name, items]) => [name, Array.isArray(items) ? sorted(items) : items]),
  )
}

function sorted(members: readonly unknown[]): unknown[] {
  return [...members].sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1))
}
