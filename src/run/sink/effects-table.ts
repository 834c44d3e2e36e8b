/**
 * The table for effects of a `transactional` sink. Every host creates it before anything else is
 * deployed.
 */
import type { EffectStatement, Receipt } from '../../contract/api/sink.ts'
import type { EffectGift } from './effect-gift.ts'

export const effectsTable = 'onceproof_effects'

export const effectsSchema = `CREATE TABLE ${effectsTable} (effect_id text NOT NULL, key text NOT NULL, payload text NOT NULL)`

/**
 * The statement that inserts an effect. `text`: the payload as the row stores it. `gives`: the
 * value that the caller gets instead of the receipt.
 */
export function effectStatement(receipt: Receipt, text: string, gives: EffectGift | undefined): EffectStatement {
  return {
    text: `INSERT INTO ${effectsTable} (effect_id, key, payload) VALUES ($1, $2, $3)`,
    values: [receipt.effectId, receipt.key, text],
    result: gives === undefined ? receipt : gives.value,
  }
}

export const effectIdOf = (requestId: number): string => `effect-${requestId}`

/** The number of the request in an effect id; null if the text is not an effect id. */
export function requestIdOf(effectId: string): number | null {
  const [, requestId] = /^effect-(\d+)$/.exec(effectId) ?? []
  return requestId === undefined ? null : Number(requestId)
}

/** The receipt for an effect row. */
export function receiptOf(requestId: number, key: string, text: string): Receipt {
  return { effectId: effectIdOf(requestId), key, payload: JSON.parse(text) }
}
