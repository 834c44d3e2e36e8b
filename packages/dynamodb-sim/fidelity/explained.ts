import { isDeepStrictEqual } from 'node:util'
import type { Call, Outcome } from './call.ts'

/**
 * A known difference between the judge (dynalite) and the simulation. The documentation of the
 * service supports the simulation.
 */
export interface Explained {
  readonly id: string
  /** The behavior of the judge, the behavior of the service, and the source for the latter. */
  readonly why: string
  /** True if this entry explains the difference between the two answers. */
  applies(call: Call, judge: Outcome, simulated: Outcome): boolean
}

const messageOf = ({ body }: Outcome): string => String((body as { message?: string; Message?: string }).message ?? '')
const typeOf = ({ body }: Outcome): string => String((body as { __type?: string }).__type)
const withoutMessage = ({ status, body }: Outcome) => ({ status, body: { ...(body as object), message: '' } })
const alikeButMessage = (one: Outcome, other: Outcome) =>
  one.status !== 200 && isDeepStrictEqual(withoutMessage(one), withoutMessage(other))

const conformance = 'paritysuite/dynamodb-conformance (recorded from the service)'

/** Messages of errors that an update raises for some stored items only. */
const updateFaults = [
  'An operand in the update expression has an incorrect data type',
  'The document path provided in the update expression is invalid for update',
  'The provided expression refers to an attribute that does not exist in the item',
]

export const explained: readonly Explained[] = [
  {
    id: 'syntax-error-text',
    why: `The judge tells what its grammar expected; the service names the token and the text around it: ${conformance}, tests/tier3/validation-ordering/transactions.test.ts, tests/tier3/error-messages/updateItem.test.ts.`,
    applies: (_call, judge, simulated) => {
      const prefix = /^Invalid \w+: Syntax error; /
      return (
        alikeButMessage(judge, simulated) &&
        prefix.exec(messageOf(judge))?.[0] === prefix.exec(messageOf(simulated))?.[0] &&
        prefix.test(messageOf(judge)) &&
        / (?:found|Expected) ?/.test(messageOf(judge))
      )
    },
  },
  {
    id: 'empty-key-text',
    why: `The judge tells of empty values in a key by "were invalid:"; the service by "are not valid.", as of items: ${conformance}, tests/tier3/error-messages/updateItem.test.ts.`,
    applies: (_call, judge, simulated) =>
      alikeButMessage(judge, simulated) &&
      messageOf(judge).replace('were invalid:', 'are not valid.') === messageOf(simulated) &&
      messageOf(judge).includes('cannot contain an empty'),
  },
  {
    id: 'table-exists-text',
    why: 'The judge answers without a text; the service says "Table already exists: <name>" (API reference, CreateTable, ResourceInUseException).',
    applies: ({ operation }, judge, simulated) =>
      operation === 'CreateTable' &&
      messageOf(judge) === '' &&
      alikeButMessage(judge, simulated) &&
      typeOf(judge).endsWith('ResourceInUseException'),
  },
  {
    id: 'delete-return-values',
    why: 'The judge takes any ReturnValues; "DeleteItem does not recognize any values other than NONE or ALL_OLD" (API reference, DeleteItem).',
    applies: ({ operation, input }, _judge, simulated) =>
      operation === 'DeleteItem' &&
      !['NONE', 'ALL_OLD'].includes((input as { ReturnValues: string }).ReturnValues) &&
      messageOf(simulated) === 'ReturnValues can only be ALL_OLD or NONE',
  },
  {
    id: 'arithmetic-out-of-range',
    why: 'The judge stores results of more than 38 digits or beyond the range; "exceeding this results in an exception" (developer guide, "Data types", Number). Where another action of the update is at fault as well, each tells of the one that it finds first.',
    applies: ({ operation }, judge, simulated) =>
      operation === 'UpdateItem' &&
      (judge.status === 200 || updateFaults.includes(messageOf(judge))) &&
      /^(Number (over|under)flow|Attempting to store more than 38)/.test(messageOf(simulated)),
  },
  {
    id: 'order-of-unordered',
    why: `The judge compares texts of any type; the service refuses a constant without an order: ${conformance}, "an ordering comparison on an unordered operand".`,
    applies: (_call, _judge, simulated) =>
      /: Incorrect operand type for operator or function; operator or function: (<|<=|>|>=|BETWEEN), operand type: (BOOL|NULL|[SNB]S|L|M)$/.test(
        messageOf(simulated),
      ),
  },
  {
    id: 'keys-of-other-attributes',
    why: 'The judge compares the values of keys without the names: two keys of different attributes are no duplicates, and one of them is no key of the table (API reference, BatchGetItem, KeysAndAttributes).',
    applies: ({ operation }, judge, simulated) =>
      operation === 'BatchGetItem' &&
      messageOf(judge) === 'Provided list of item keys contains duplicates' &&
      messageOf(simulated) === 'The provided key element does not match the schema',
  },
]

/** The entry that explains the difference; null if no entry explains it. */
export function explanationOf(call: Call, judge: Outcome, simulated: Outcome): Explained | null {
  return explained.find((one) => one.applies(call, judge, simulated)) ?? null
}
