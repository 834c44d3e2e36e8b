/**
 * A `transactional` sink's effects as rows: the table, which every host makes before anything else
 * is deployed.
 */
import type { EffectStatement, Receipt } from '../../contract/api/sink.ts'
import type { EffectGift } from './effect-gift.ts'

export const effectsTable = 'onceproof_effects'

export const effectsSchema = `CREATE TABLE ${effectsTable} (effect_id text NOT NULL, key text NOT NULL, payload text NOT NULL)`

/**
 * `text`: the payload, as the row has it. `gives`: what the caller is handed in place of the
 * receipt.
 */
export function effectStatement(receipt: Receipt, text: string, gives: EffectGift | undefined): EffectStatement {
  return {
    text: `INSERT INTO ${effectsTable} (effect_id, key, payload) VALUES ($1, $2, $3)`,
    values: [receipt.effectId, receipt.key, text],
    result: gives === undefined ? receipt : gives.value,
  }
}

export const effectIdOf = (requestId: number): string => `effect-${requestId}`

/** Null for what is no such id. */
export function requestIdOf(effectId: string): number | null {
  const [, requestId] = /^effect-(\d+)$/.exec(effectId) ?? []
  return requestId === undefined ? null : Number(requestId)
}

/** The receipt of the effect that a request asks for. */
export function receiptOf(requestId: number, key: string, text: string): Receipt {
  return { effectId: effectIdOf(requestId), key, payload: JSON.parse(text) }
}
