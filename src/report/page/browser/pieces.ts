/**
 * Splits a long text into unique pieces and their order. Deflate finds repetitions only within 32
 * kB, so it misses most repetitions of a page. No piece contains a NUL, because pages escape it.
 */

/**
 * The borders between pieces: before lists, rows and sections, and around words that are as long as
 * tokens.
 */
const borders =
  /(?=<(?:li|tr|td|section|dl|div|ul|p|h4|summary|details)\b)|(?<![\w-])(?=[\w-]{60})|(?<=[\w-]{60})(?![\w-])/

/**
 * The text as its distinct pieces, an empty piece, and the order. The order has a number for each
 * position: 0 for the next new piece, or the number of an earlier piece, counted from 1.
 */
export function inPieces(text: string): string {
  const places = new Map<string, number>()
  const order = text.split(borders).map((piece) => {
    const place = places.get(piece) ?? 0
    if (place === 0) places.set(piece, places.size + 1)
    return place
  })
  return [...places.keys(), '', order.join()].join('\0')
}

export function ofPieces(packed: string): string {
  const pieces = packed.split('\0')
  const order = pieces.pop()!.split(',').map(Number)
  let next = 0
  return order.map((place) => pieces[place === 0 ? next++ : place - 1]).join('')
}
