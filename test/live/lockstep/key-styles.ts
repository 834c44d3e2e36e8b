import type { KeyStyle } from '../../../src/sim/plans/keys.ts'

/** All key styles. The type check requires new ones here. */
const all: Record<KeyStyle, true> = {
  plain: true,
  separated: true,
  latin: true,
  long: true,
  case: true,
  unicode: true,
  punctuated: true,
}

export const keyStyles = Object.keys(all) as KeyStyle[]
