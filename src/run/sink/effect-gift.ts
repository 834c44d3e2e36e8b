import type { JsonValue } from '../../contract/api/json.ts'
import type { ResultStyle } from '../../contract/api/plan.ts'
import type { Receipt } from '../../contract/api/sink.ts'

/**
 * The value that a caller of the sink gets instead of the receipt; without `value`, the caller gets
 * `undefined`.
 */
export interface EffectGift {
  readonly value?: JsonValue
}

/** 10,000 characters, more than a log line or a field of fixed length can hold. */
const longText = 'x'.repeat(10_000)

const gifts: Readonly<Record<ResultStyle, (receipt: Receipt) => EffectGift>> = {
  nothing: () => ({}),
  null: () => ({ value: null }),
  false: () => ({ value: false }),
  zero: () => ({ value: 0 }),
  'empty-text': () => ({ value: '' }),
  empty: () => ({ value: {} }),
  // Contains falsy members, so that a layer that drops such members returns another result.
  nested: (receipt) => ({ value: { receipt, lines: [[], [{ tax: 0, note: null, paid: false, text: '' }]], more: {} } }),
  large: (receipt) => ({ value: { effectId: receipt.effectId, page: longText } }),
}

/** The value for an effect. It depends only on the style and the receipt. */
export function givenFor(style: ResultStyle, receipt: Receipt): EffectGift {
  return gifts[style](receipt)
}
