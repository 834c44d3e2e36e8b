/** Settings of one cjson module. */
export interface CjsonConfig {
  sparseConvert: boolean
  sparseRatio: number
  sparseSafe: number
  encodeMaxDepth: number
  decodeMaxDepth: number
  /**
   * Encoding of NaN and infinities: 0 raises an error; 1 writes them as C does; 2 writes `null`.
   */
  encodeInvalidNumbers: 0 | 1 | 2
  decodeInvalidNumbers: boolean
  precision: number
  keepBuffer: boolean
}

export function newConfig(): CjsonConfig {
  return {
    sparseConvert: false,
    sparseRatio: 2,
    sparseSafe: 10,
    encodeMaxDepth: 1000,
    decodeMaxDepth: 1000,
    encodeInvalidNumbers: 0,
    decodeInvalidNumbers: true,
    precision: 14,
    keepBuffer: true,
  }
}
