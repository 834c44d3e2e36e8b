import type { JsonValue } from '../../contract/api/json.ts'
import type { ResultStyle } from '../../contract/api/plan.ts'
import type { Receipt } from '../../contract/api/sink.ts'

/** What a caller of the sink is handed in place of the receipt; without `value`, nothing at all. */
export interface EffectGift {
  readonly value?: JsonValue
}

/**
 * As long as a page of text: longer than what fits into a line of a log or a field of a fixed
 * length.
 */
const longText = 'x'.repeat(10_000)

const gifts: Readonly<Record<ResultStyle, (receipt: Receipt) => EffectGift>> = {
  nothing: () => ({}),
  null: () => ({ value: null }),
  false: () => ({ value: false }),
  zero: () => ({ value: 0 }),
  'empty-text': () => ({ value: '' }),
  empty: () => ({ value: {} }),
  // Falsy members too: a layer that drops them has another result.
  nested: (receipt) => ({ value: { receipt, lines: [[], [{ tax: 0, note: null, paid: false, text: '' }]], more: {} } }),
  large: (receipt) => ({ value: { effectId: receipt.effectId, page: longText } }),
}

/** The same for the same receipt, whenever it is asked. */
export function givenFor(style: ResultStyle, receipt: Receipt): EffectGift {
  return gifts[style](receipt)
}
