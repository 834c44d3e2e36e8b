import { picked } from '../../run/seldom.ts'

/**
 * Keys as producers make them; each style is a way in which keys are taken for one another, or come
 * apart.
 */
export type KeyStyle = keyof typeof styles

/** The key of the order of that number, from 1. Those of one style differ. */
export function keyOf(style: KeyStyle, order: number): string {
  return styles[style](order)
}

/** Half are as short and plain as in an example. */
export const keyStyles = picked<KeyStyle>(
  ...(['plain', 'plain', 'plain', 'plain', 'plain', 'plain', 'separated', 'latin'] as const),
  ...(['long', 'case', 'unicode', 'punctuated'] as const),
)

const styles = {
  plain: (order: number) => `order-${order}`,
  /** Alike in more characters than most that cut keys keep. */
  long: (order: number) =>
    `customer-1000000042-region-eu-west-1-ledger-2026-account-00000000000000000042-order-${order}`,
  /** Of five letters: 32 ways. Not the bare word, which names of constant keys are made of. */
  case: (order: number) => `${cased('order', (order - 1) % 32)}-1${later(order, 32)}`,
  unicode: (order: number) => oneOf(alikeInUnicode, order),
  punctuated: (order: number) => oneOf(alikeInPunctuation, order),
  separated: (order: number) => oneOf(alikeButForSeparators, order),
  /** Alike in latin1, where Node writes the lower byte of a letter that latin1 does not have. */
  latin: (order: number) => `caf${String.fromCodePoint(0xe9 + 0x100 * ((order - 1) % 8))}${later(order, 8)}`,
}

/** Alike once they are normalised, folded, or cut into UTF-16 units. */
const alikeInUnicode = [
  // NFC and NFD of one word.
  'caf\u00e9',
  'cafe\u0301',
  // They share their first surrogate.
  '\u{1f600}',
  '\u{1f601}',
  // NFC makes the second (OHM SIGN) the first.
  '\u03a9',
  '\u2126',
  // Upper case makes them one.
  'stra\u00dfe',
  'strasse',
]

/** What layers join keys with, and what Redis reads in names: hash tags and patterns. */
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

/** Alike once everything but letters and digits is left out, or made one character. */
const alikeButForSeparators = ['order-1', 'order_1', 'order.1', 'order/1', 'order+1', 'order,1', 'order@1', 'order~1']

function oneOf(keys: readonly string[], order: number): string {
  return `${keys[(order - 1) % keys.length]!}${later(order, keys.length)}`
}

/** When all have had their turn. */
function later(order: number, many: number): string {
  return order > many ? `-${Math.ceil(order / many)}` : ''
}

function cased(word: string, bits: number): string {
  return [...word].map((letter, at) => ((bits >> at) & 1 ? letter.toUpperCase() : letter)).join('')
}
