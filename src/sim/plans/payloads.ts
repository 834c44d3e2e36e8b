import type { JsonValue } from '../../contract/api/json.ts'
import { picked } from '../../run/seldom.ts'

/** Payloads as producers send them. */
export type PayloadStyle = keyof typeof styles

/**
 * `version`: 0, or 1 for what a producer sends under the same key that it should not have used
 * again.
 */
export function payloadOf(style: PayloadStyle, order: number, version: number): JsonValue {
  return styles[style](order, version)
}

/** Two thirds are a few members, none of them falsy. */
export const payloadStyles = picked<PayloadStyle>(
  ...(['plain', 'plain', 'plain', 'plain', 'plain', 'plain', 'plain', 'plain', 'plain', 'plain'] as const),
  ...(['falsy', 'empty', 'sparse', 'nested', 'large'] as const),
)

/** As long as a page of text. */
const page = 'x'.repeat(10_000)

const styles = {
  plain: (order: number, version: number): JsonValue => ({ order, amountCents: 100 * order + version }),
  /** Its versions are the same to code that tests them for truth, or adds them to a string. */
  falsy: (order: number, version: number): JsonValue => (order % 2 === 1 ? [0, false] : ['', null])[version]!,
  empty: (_order: number, version: number): JsonValue => (version === 0 ? {} : []),
  /** Its versions differ in a member that is falsy. */
  sparse: (order: number, version: number): JsonValue => (version === 0 ? { order } : { order, discount: 0 }),
  nested: (order: number, version: number): JsonValue => ({
    lines: [[], [{ sku: 'a', tax: 0, note: null, gift: false, text: '', at: { place: [order, version] } }]],
    more: {},
  }),
  large: (order: number, version: number): JsonValue => ({ order, page, version }),
}
