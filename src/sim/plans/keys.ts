import { picked } from '../../run/seldom.ts'

/**
 * Styles of keys as producers make them. In each style, a layer may confuse two keys, or treat one
 * key as two.
 */
export type KeyStyle = keyof typeof styles

/** The key of an order, counted from 1. Keys of one style differ. */
export function keyOf(style: KeyStyle, order: number): string {
  return styles[style](order)
}

/** About half of the plans have short, plain keys like those of an example. */
export const keyStyles = picked<KeyStyle>(
  ...(['plain', 'plain', 'plain', 'plain', 'plain', 'plain', 'separated', 'latin'] as const),
  ...(['long', 'case', 'unicode', 'punctuated'] as const),
)

const styles = {
  plain: (order: number) => `order-${order}`,
  /** The common prefix is longer than the length to which most layers truncate keys. */
  long: (order: number) =>
    `customer-1000000042-region-eu-west-1-ledger-2026-account-00000000000000000042-order-${order}`,
  /**
   * Five letters give 32 spellings. A suffix is added to the word, because names of constant keys
   * contain the word alone.
   */
  case: (order: number) => `${cased('order', (order - 1) % 32)}-1${later(order, 32)}`,
  unicode: (order: number) => oneOf(alikeInUnicode, order),
  punctuated: (order: number) => oneOf(alikeInPunctuation, order),
  separated: (order: number) => oneOf(alikeButForSeparators, order),
  /** Equal in latin1, because Node writes only the low byte of a character that latin1 lacks. */
  latin: (order: number) => `caf${String.fromCodePoint(0xe9 + 0x100 * ((order - 1) % 8))}${later(order, 8)}`,
}

/** Pairs that are equal after normalization, case folding, or truncation between UTF-16 units. */
const alikeInUnicode = [
  // NFC and NFD of one word.
  'caf\u00e9',
  'cafe\u0301',
  // These two share their first surrogate.
  '\u{1f600}',
  '\u{1f601}',
  // NFC maps the second (OHM SIGN) to the first.
  '\u03a9',
  '\u2126',
  // Upper case makes them equal.
  'stra\u00dfe',
  'strasse',
]

/**
 * Separators that layers join keys with, and characters that Redis interprets in names: hash tags
 * and patterns.
 */
const alikeInPunctuation = [
  'order:1',
  'order:1:lock',
  'lock:order:1',
  '{order}:1',
  'order:{1}',
  'order:1:result',
  'order 1',
  'order*',
]

/** Equal if everything except letters and digits is removed, or replaced by one character. */
const alikeButForSeparators = ['order-1', 'order_1', 'order.1', 'order/1', 'order+1', 'order,1', 'order@1', 'order~1']

function oneOf(keys: readonly string[], order: number): string {
  return `${keys[(order - 1) % keys.length]!}${later(order, keys.length)}`
}

/** A suffix for orders after all keys of the style were used. */
function later(order: number, many: number): string {
  return order > many ? `-${Math.ceil(order / many)}` : ''
}

function cased(word: string, bits: number): string {
  return [...word].map((letter, at) => ((bits >> at) & 1 ? letter.toUpperCase() : letter)).join('')
}
