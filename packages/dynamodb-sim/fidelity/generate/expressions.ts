import type { Random } from 'test-servers'
import { anyValue, attributes, many, set, value } from './values.ts'

/**
 * The placeholders in the expressions of one request, collected while the expressions are
 * generated.
 */
export class Written {
  readonly names: Record<string, string> = {}
  readonly values: Record<string, object> = {}

  constructor(readonly random: Random) {}

  /** Generates an attribute name, literally or as a placeholder. Some names are reserved words. */
  name(): string {
    const { random } = this
    const name = random.pick(attributes)
    const isReserved = name === 'status' || name === 'ttl'
    if (random.chance(isReserved ? 5 : 70)) return name
    return this.#named(name)
  }

  #named(name: string): string {
    const token = `#${name}${this.random.below(2)}`
    if (!this.random.chance(1)) this.names[token] = name
    return token
  }

  path(): string {
    const { random } = this
    const steps = random.chance(80)
      ? []
      : many(random, 2, () => (random.chance(50) ? `[${random.below(3)}]` : `.${this.name()}`))
    return this.name() + steps.join('')
  }

  value(of: () => object = () => anyValue(this.random)): string {
    const token = `:v${Object.keys(this.values).length}`
    if (!this.random.chance(1)) this.values[token] = of()
    return token
  }

  get members(): object {
    const { names, values, random } = this
    if (random.chance(1)) names['#unused'] = 'a'
    if (random.chance(1)) values[':unused'] = value(random)
    return {
      ...(Object.keys(names).length > 0 && { ExpressionAttributeNames: names }),
      ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
    }
  }
}

const comparators = ['=', '<>', '<', '<=', '>', '>=']

export function condition(written: Written, depth = 0): string {
  const { random } = written
  const inner = () => condition(written, depth + 1)
  return random.weighted<() => string>([
    [depth > 2 ? 0 : 2, () => `${inner()} AND ${inner()}`],
    [depth > 2 ? 0 : 2, () => `${inner()} ${random.chance(20) ? 'or' : 'OR'} ${inner()}`],
    [depth > 2 ? 0 : 1, () => `NOT ${random.chance(50) ? `(${inner()})` : leaf(written)}`],
    [depth > 2 ? 0 : 1, () => `(${inner()})`],
    [10, () => leaf(written)],
  ])()
}

function leaf(written: Written): string {
  const { random } = written
  const operand = () => anyOperand(written)
  return random.weighted<() => string>([
    [10, () => `${operand()} ${random.pick(comparators)} ${operand()}`],
    [4, () => `attribute_exists(${written.path()})`],
    [6, () => `attribute_not_exists(${written.path()})`],
    [3, () => `${operand()} BETWEEN ${bound(written)} AND ${bound(written)}`],
    [3, () => `${operand()} IN (${options(written)})`],
    [3, () => `begins_with(${written.path()}, ${written.value()})`],
    [3, () => `contains(${written.path()}, ${written.value()})`],
    [
      2,
      () =>
        `attribute_type(${written.path()}, ${written.value(() => ({ S: random.pick(['S', 'N', 'L', 'M', 'SS', 'X']) }))})`,
    ],
    [1, () => broken(written)],
  ])()
}

/**
 * Generates the operands of IN. Only values are generated, because dynalite crashes if an operand
 * is a missing attribute.
 */
function options(written: Written): string {
  return [written.value(), ...many(written.random, 2, () => written.value())].join(', ')
}

function bound(written: Written): string {
  return written.value(() => ({ N: String(written.random.below(5)) }))
}

function anyOperand(written: Written): string {
  return written.random.weighted<() => string>([
    [6, () => written.path()],
    [6, () => written.value()],
    [1, () => `size(${written.path()})`],
    [1, () => `(${written.path()})`],
  ])()
}

/** Generates an expression that the service refuses. */
function broken(written: Written): string {
  const path = written.path()
  return written.random.pick([
    `size(${path})`,
    `attribute_exists(${path}, ${path})`,
    `unknown(${path})`,
    `contains(${path})`,
    `attribute_exists(${written.value()})`,
    `${path} =`,
    `= ${path}`,
    `((${path} = ${written.value()}))`,
    `attribute_exists(size(${path}))`,
    `${path} = attribute_exists(${path})`,
    `${path} = ${path}`,
    `NOT NOT ${path} = ${written.value()}`,
    `${path} ! ${path}`,
    `begins_with(${path}, size(${path}))`,
    '',
  ])
}

export function update(written: Written): string {
  const { random } = written
  const sections = random.weighted<() => string[]>([
    [6, () => [`SET ${list(written, assignment)}`]],
    [2, () => [`REMOVE ${list(written, (w) => w.path())}`]],
    [2, () => [`ADD ${list(written, (w) => `${w.path()} ${addend(w)}`)}`]],
    [2, () => [`DELETE ${list(written, (w) => `${w.path()} ${w.value(() => set(random))}`)}`]],
    [2, () => [`SET ${assignment(written)}`, `REMOVE ${written.path()}`]],
    [1, () => [`SET ${assignment(written)}`, `ADD ${written.path()} ${addend(written)}`]],
    [1, () => [brokenUpdate(written)]],
  ])()
  return sections.join(' ')
}

function list(written: Written, one: (written: Written) => string): string {
  return [one(written), ...many(written.random, 2, () => one(written))].join(', ')
}

function addend(written: Written): string {
  const { random } = written
  return written.value(() =>
    random.chance(50) ? { N: String(random.below(9)) } : random.chance(80) ? set(random) : value(random),
  )
}

function assignment(written: Written): string {
  const { random } = written
  const number = () => written.value(() => ({ N: random.pick(['1', '2.5', '-4']) }))
  const right = random.weighted<() => string>([
    [6, () => written.value()],
    [2, () => written.path()],
    [2, () => `${written.path()} + ${number()}`],
    [2, () => `${written.path()} - ${number()}`],
    [2, () => `if_not_exists(${written.path()}, ${written.value()})`],
    [1, () => `if_not_exists(${written.path()}, ${number()}) + ${number()}`],
    [2, () => `list_append(${written.path()}, ${written.value(() => ({ L: many(random, 2, () => value(random)) }))})`],
    [
      1,
      () =>
        `list_append(if_not_exists(${written.path()}, ${written.value(() => ({ L: [] }))}), ${written.value(() => ({ L: [value(random)] }))})`,
    ],
    [1, () => `(${number()} + ${number()})`],
  ])()
  return `${written.path()} = ${right}`
}

function brokenUpdate(written: Written): string {
  const path = written.path()
  return written.random.pick([
    `SET ${path} = ${written.value()} SET b = ${written.value()}`,
    `SET ${path}`,
    `SET ${path} = unknown(${path})`,
    `SET ${path} = list_append(${path})`,
    `SET ${path} = if_not_exists(${written.value()}, ${path})`,
    `SET k = ${written.value()}`,
    `SET k.a = ${written.value()}`,
    `REMOVE k`,
    `ADD ${path} ${path}`,
    `${path} = ${written.value()}`,
    `SET a = ${written.value()}, a.b = ${written.value()}`,
    `SET a.b = ${written.value()}, a[1] = ${written.value()}`,
    '',
  ])
}

export function projection(written: Written): string {
  return list(written, (w) => w.path())
}
