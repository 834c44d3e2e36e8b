/**
 * A long text as its pieces, each once, and the order in which they stand. Deflate looks no further
 * back than 32 kB, and finds nothing that a page says again later. No piece has a NUL: pages show
 * it as an escape.
 */

/** Where lists, rows and sections begin; and around words that are as long as tokens. */
const borders =
  /(?=<(?:li|tr|td|section|dl|div|ul|p|h4|summary|details)\b)|(?<![\w-])(?=[\w-]{60})|(?<=[\w-]{60})(?![\w-])/

/**
 * The pieces; behind an empty one, for each place 0 for the next piece of them, or the number of
 * the piece, from 1.
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
