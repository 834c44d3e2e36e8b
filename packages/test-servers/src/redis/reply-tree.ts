/** Splits replies out of a byte stream, and parses those that cannot be compared byte by byte. */
export interface ReplyNode {
  /** The type byte: `+ - : $ * _ , # = ( % ~ >`. */
  readonly sign: string
  /** The text of a simple value or a bulk; null for a null bulk or array. */
  readonly text: string | null
  readonly items: readonly ReplyNode[]
  /** The offset after the reply. */
  readonly end: number
}

/** The reply that begins at `from`; undefined if it is incomplete. */
export function readReply(bytes: string, from: number): ReplyNode | undefined {
  const lineEnd = bytes.indexOf('\r\n', from)
  if (lineEnd === -1) return undefined
  const sign = bytes[from]!
  const line = bytes.slice(from + 1, lineEnd)
  const after = lineEnd + 2
  if (sign === '$' || sign === '=') {
    if (line === '-1') return { sign, text: null, items: [], end: after }
    const end = after + Number(line)
    return bytes.length < end + 2 ? undefined : { sign, text: bytes.slice(after, end), items: [], end: end + 2 }
  }
  if ('*%~>'.includes(sign)) {
    if (line === '-1') return { sign, text: null, items: [], end: after }
    return readItems(bytes, sign, Number(line) * (sign === '%' ? 2 : 1), after)
  }
  if ('+-:_,#('.includes(sign)) return { sign, text: line, items: [], end: after }
  throw new Error(`no reply starts with ${JSON.stringify(bytes.slice(from, from + 40))}`)
}

function readItems(bytes: string, sign: string, count: number, from: number): ReplyNode | undefined {
  const items: ReplyNode[] = []
  let end = from
  while (items.length < count) {
    const item = readReply(bytes, end)
    if (item === undefined) return undefined
    items.push(item)
    end = item.end
  }
  return { sign, text: '', items, end }
}

/** The reply as text without offsets, so that equal replies give equal text. */
export function canonical(node: ReplyNode): string {
  return JSON.stringify([node.sign, node.text, node.items.map(canonical)])
}
