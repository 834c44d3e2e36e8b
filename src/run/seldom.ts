import fc from 'fast-check'

/**
 * One of the values, with a probability in proportion to how often it is listed, regardless of
 * fast-check's bias. Shrinks towards the first.
 */
export function picked<const T>(...values: readonly T[]): fc.Arbitrary<T> {
  return fc.noBias(fc.nat({ max: values.length - 1 })).map((at) => values[at]!)
}

/** Undefined, except once in `many` draws. Shrinks towards undefined. */
export function oneIn<T>(many: number, some: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc
    .tuple(fc.noBias(fc.nat({ max: many - 1 })), some)
    .map(([at, value]) => (at === many - 1 ? value : undefined))
}
