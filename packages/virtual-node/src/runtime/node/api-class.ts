/**
 * What code in a process gets from a member of Node's API
 * (docs/how-it-works/what-a-process-sees.md).
 */
export interface ApiClasses {
  /** Deterministic as it is: its answer depends on its arguments alone. */
  readonly asIs?: string
  /** Another answer stands in its place: a fixed one, or one of the simulated world. */
  readonly simulated?: string
  /** Throws in a process, and the run is unknown; a value reads as `undefined` there. */
  readonly refused?: string
  /** Works in a process, and the run is unknown: it gives something else in every run. */
  readonly unrepeatable?: string
}

export type ApiClass = keyof ApiClasses

/**
 * By what the members belong to: a module's name, or the place of an object. Members are separated
 * by blanks.
 */
export type ApiTable = Readonly<Record<string, ApiClasses>>

/** Numbers and texts that Node names so never change: `Z_BEST_SPEED`, `EOL`. */
export const isConstant = (name: string, value: unknown): boolean =>
  /^[A-Z][A-Za-z0-9]*(_[A-Za-z0-9]+)*$/.test(name) && (typeof value === 'number' || typeof value === 'string')

const parsed = new WeakMap<ApiClasses, ReadonlyMap<string, ApiClass>>()

/** The classes of all members, by name. */
export function classesOf(members: ApiClasses): ReadonlyMap<string, ApiClass> {
  let classes = parsed.get(members)
  if (classes === undefined) parsed.set(members, (classes = parse(members)))
  return classes
}

function parse(members: ApiClasses): ReadonlyMap<string, ApiClass> {
  const classes = new Map<string, ApiClass>()
  for (const [apiClass, names = ''] of Object.entries(members) as [ApiClass, string | undefined][])
    for (const name of names.split(/\s+/)) if (name !== '') classes.set(name, apiClass)
  return classes
}
