/**
 * Adapters and scenarios of users may use names of earlier versions. The code that reads them
 * translates these to the current names, which `docs/reference/adapter.md` lists for authors.
 * Digests in tokens keep the earliest names.
 */

const adapterMembers = { parkReasons: 'deadLetterReasons', bindsBirths: 'bindsProducedAt' } as const

const words: ReadonlyMap<unknown, string> = new Map([
  ['park', 'dead-letter'],
  ['parking', 'dead-lettering'],
  ['parkReasons.failed', 'deadLetterReasons.failed'],
  ['parkReasons.failed.retry', 'deadLetterReasons.failed.retry'],
  ['parkReasons.vanished', 'deadLetterReasons.vanished'],
  ['bindsBirths', 'bindsProducedAt'],
  ['a-message-was-parked-in-doubt', 'a-message-was-dead-lettered-in-doubt'],
  ['a-broker-committed-past-an-unfinished-message', 'a-broker-skipped-the-offset-of-an-unfinished-message'],
])

/** The current name of a status, a mechanism, a declaration or a goal. */
export function currentWord<T>(word: T): T {
  return (words.get(word) as T | undefined) ?? word
}

/** The name of a status, or of the way in which a message was settled, as digests contain it. */
export function wordInDigest(word: string): string {
  if (word === 'dead-letter') return 'park'
  return word === 'dead-lettered' ? 'parked' : word
}

/** The adapter with current names; the same object if it uses no earlier names. */
export function currentAdapter<T>(adapter: T): T {
  return withMembers(adapter, (given) => {
    const renamed = Object.entries(adapterMembers).flatMap(([former, name]) =>
      given[former] === undefined || given[name] !== undefined ? [] : [[name, given[former]] as const],
    )
    return { ...Object.fromEntries(renamed), ...listed('lacks', given, currentWord) }
  })
}

/** The scenario with current names; the same object if it uses no earlier names. */
export function currentScenario<T>(scenario: T): T {
  return withMembers(scenario, (given) => ({
    ...listed('goals', given, currentWord),
    ...listed('invariants', given, currentInvariant),
    ...listed('own', given, currentInvariant),
    ...withAimed(given.aimed),
  }))
}

const currentInvariant = (invariant: unknown): unknown =>
  withMembers(invariant, ({ needs }) => (currentWord(needs) === needs ? {} : { needs: currentWord(needs) }))

function withAimed(aimed: unknown): Members {
  const current = withMembers(aimed, (given) =>
    listed('draws', given, (draw) => withMembers(draw, (one) => listed('goals', one, currentWord))),
  )
  return current === aimed ? {} : { aimed: current }
}

type Members = { readonly [name: string]: unknown }

function listed(name: string, given: Members, current: (one: unknown) => unknown): Members {
  const list = given[name]
  if (!Array.isArray(list)) return {}
  const changed = list.map(current)
  return changed.every((one, at) => one === list[at]) ? {} : { [name]: changed }
}

function withMembers<T>(value: T, changesOf: (given: Members) => Members): T {
  if (typeof value !== 'object' || value === null) return value
  const changes = changesOf(value as Members)
  if (Object.keys(changes).length === 0) return value
  return Object.assign(Object.create(Object.getPrototypeOf(value)), value, changes)
}
