import fc from 'fast-check'

/**
 * Draws one of the values. A value that is listed several times is proportionally more likely;
 * fast-check's bias does not apply. Shrinks towards the first value.
 */
export function picked<const T>(...values: readonly T[]): fc.Arbitrary<T> {
  return fc.noBias(fc.nat({ max: values.length - 1 })).map((at) => values[at]!)
}

/**
 * Draws `some` once in `many` draws on average, and otherwise undefined. Shrinks towards undefined.
 */
export function oneIn<T>(many: number, some: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc
    .tuple(fc.noBias(fc.nat({ max: many - 1 })), some)
    .map(([at, value]) => (at === many - 1 ? value : undefined))
}
