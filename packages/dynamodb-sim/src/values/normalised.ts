import { validation } from '../errors.ts'
import { type AttributeType, type AttributeValue, type Item, printed } from './attribute-value.ts'
import { type Decimal, decimalText, magnitude, parseDecimal, significant } from './decimal.ts'

const invalid = 'One or more parameter values were invalid: '

/**
 * Maximum nesting of maps and lists, including the item (developer guide, "Constraints": 32
 * levels).
 */
const deepest = 32

/**
 * Returns the value with its numbers in the service's format.
 * @throws ServiceError if the value is invalid: empty sets, several types, numbers out of range,
 * duplicates, too deep
 */
export function normalised(value: AttributeValue, depth = 1): AttributeValue {
  const types = Object.keys(value) as AttributeType[]
  if (types.length === 0)
    throw validation('Supplied AttributeValue is empty, must contain exactly one of the supported datatypes')
  const all = types.map((type) => of(type, value, depth))
  if (all.length > 1)
    throw validation(
      'Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes',
    )
  return all[0]!
}

export function normalisedItem(item: Item, depth = 1): Item {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, normalised(value, depth)]))
}

function of(type: AttributeType, value: AttributeValue, depth: number): AttributeValue {
  switch (type) {
    case 'N':
      return { N: numberText(value.N!) }
    case 'NULL':
      if (!value.NULL) throw validation(`${invalid}Null attribute value types must have the value of true`)
      return { NULL: true }
    case 'SS':
      if (value.SS!.length === 0) throw validation(`${invalid}An string set  may not be empty`)
      if (repeats(value.SS!)) throw validation(`${invalid}Input collection ${printed(value.SS)} contains duplicates.`)
      return value
    case 'NS':
      return { NS: numberSet(value.NS!) }
    case 'BS':
      if (value.BS!.length === 0) throw validation(`${invalid}Binary sets should not be empty`)
      if (repeats(value.BS!))
        throw validation(`${invalid}Input collection ${printed(value.BS)}of type BS contains duplicates.`)
      return value
    case 'M':
      return { M: normalisedItem(value.M!, deeper(depth)) }
    case 'L':
      return { L: value.L!.map((member) => normalised(member, deeper(depth))) }
    default:
      return value
  }
}

function deeper(depth: number): number {
  if (depth === deepest)
    throw validation(
      'Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit',
    )
  return depth + 1
}

function numberSet(texts: readonly string[]): readonly string[] {
  if (texts.length === 0) throw validation(`${invalid}An number set  may not be empty`)
  const numbers = texts.map(numberText)
  if (repeats(numbers)) throw validation('Input collection contains duplicates')
  return numbers
}

function repeats(members: readonly string[]): boolean {
  return new Set(members).size !== members.length
}

function numberText(text: string): string {
  if (text === '') throw validation('The parameter cannot be converted to a numeric value')
  const decimal = parseDecimal(text)
  if (decimal === null) throw validation(`The parameter cannot be converted to a numeric value: ${text}`)
  return decimalText(inRange(decimal))
}

/**
 * Numbers have at most 38 digits, between 1E-130 and 9.99…E+125 (developer guide, "Naming rules and
 * data types").
 */
export function inRange(decimal: Decimal): Decimal {
  const power = magnitude(decimal)
  if (power > 125)
    throw validation('Number overflow. Attempting to store a number with magnitude larger than supported range')
  if (power < -130)
    throw validation('Number underflow. Attempting to store a number with magnitude smaller than supported range')
  if (significant(decimal).length > 38)
    throw validation('Attempting to store more than 38 significant digits in a Number')
  return decimal
}
