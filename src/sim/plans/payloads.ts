import type { JsonValue } from '../../contract/api/json.ts'
import { picked } from '../../run/seldom.ts'

/** Styles of payloads as producers send them. */
export type PayloadStyle = keyof typeof styles

/** `version` is 0, or 1 for the payload of a producer that wrongly reuses the key. */
export function payloadOf(style: PayloadStyle, order: number, version: number): JsonValue {
  return styles[style](order, version)
}

/** Two thirds of the payloads are objects with a few members, none of which is falsy. */
export const payloadStyles = picked<PayloadStyle>(
  ...(['plain', 'plain', 'plain', 'plain', 'plain', 'plain', 'plain', 'plain', 'plain', 'plain'] as const),
  ...(['falsy', 'empty', 'sparse', 'nested', 'large'] as const),
)

/** About the length of a page of text. */
const page = 'x'.repeat(10_000)

const styles = {
  plain: (order: number, version: number): JsonValue => ({ order, amountCents: 100 * order + version }),
  /** Both versions are falsy, so code that tests only for truthiness cannot distinguish them. */
  falsy: (order: number, version: number): JsonValue => (order % 2 === 1 ? [0, false] : ['', null])[version]!,
  empty: (_order: number, version: number): JsonValue => (version === 0 ? {} : []),
  /** The versions differ in a falsy member. */
  sparse: (order: number, version: number): JsonValue => (version === 0 ? { order } : { order, discount: 0 }),
  nested: (order: number, version: number): JsonValue => ({
    lines: [[], [{ sku: 'a', tax: 0, note: null, gift: false, text: '', at: { place: [order, version] } }]],
    more: {},
  }),
  large: (order: number, version: number): JsonValue => ({ order, page, version }),
}
