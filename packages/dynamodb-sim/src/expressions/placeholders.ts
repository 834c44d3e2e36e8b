import { validation } from '../errors.ts'
import { type AttributeValue, memberOf } from '../values/attribute-value.ts'
import { normalised } from '../values/normalised.ts'

/**
 * ExpressionAttributeNames and ExpressionAttributeValues of one request. Records which of them the
 * expressions of the request use.
 */
export class Placeholders {
  readonly #names: Readonly<Record<string, string>>
  readonly #values: Readonly<Record<string, AttributeValue>>
  readonly #unusedNames: Set<string>
  readonly #unusedValues: Set<string>

  /** @throws ServiceError if one of the two maps is empty, or a name or a value is invalid */
  constructor(names: Readonly<Record<string, string>> | undefined, values?: Readonly<Record<string, AttributeValue>>) {
    checkKeys('ExpressionAttributeNames', names, /^#[0-9a-zA-Z_]+$/)
    checkKeys('ExpressionAttributeValues', values, /^:[0-9a-zA-Z_]+$/)
    this.#names = names ?? {}
    this.#values = Object.fromEntries(Object.entries(values ?? {}).map(([key, value]) => [key, checked(key, value)]))
    this.#unusedNames = new Set(Object.keys(this.#names))
    this.#unusedValues = new Set(Object.keys(this.#values))
  }

  /**
   * The attribute name for a placeholder; undefined if the request does not define the placeholder.
   */
  name(token: string): string | undefined {
    this.#unusedNames.delete(token)
    return memberOf(this.#names, token)
  }

  value(token: string): AttributeValue | undefined {
    this.#unusedValues.delete(token)
    return memberOf(this.#values, token)
  }

  /**
   * Called after all expressions were parsed. @throws ServiceError if a name or a value was not
   * used
   */
  close(): void {
    refuseUnused('ExpressionAttributeNames', this.#unusedNames)
    refuseUnused('ExpressionAttributeValues', this.#unusedValues)
  }
}

function checkKeys(member: string, map: Readonly<Record<string, unknown>> | undefined, grammar: RegExp): void {
  if (map === undefined) return
  const keys = Object.keys(map)
  if (keys.length === 0) throw validation(`${member} must not be empty`)
  for (const key of keys)
    if (!grammar.test(key)) throw validation(`${member} contains invalid key: Syntax error; key: "${key}"`)
}

function checked(key: string, value: AttributeValue): AttributeValue {
  try {
    return normalised(value)
  } catch (problem) {
    const { message } = problem as Error
    throw validation(`ExpressionAttributeValues contains invalid value: ${message} for key ${key}`)
  }
}

function refuseUnused(member: string, unused: ReadonlySet<string>): void {
  if (unused.size > 0)
    throw validation(`Value provided in ${member} unused in expressions: keys: {${[...unused].join(', ')}}`)
}
