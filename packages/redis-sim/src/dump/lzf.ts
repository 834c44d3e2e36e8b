/**
 * LZF, the compression of longer strings. The compressor finds the same matches as liblzf in
 * Redis's configuration, so the bytes are identical.
 */
import { BadBytes } from './bytes.ts'

const longestLiteral = 32
const farthest = 8192
const longestMatch = 264
const slots = 65536

/** Returns null if the result would exceed `mostBytes`. */
export function compress(text: string, mostBytes: number): string | null {
  const input = Buffer.from(text, 'latin1')
  const end = input.length
  // A byte for the length of the next run of literals is always reserved, here and below.
  const output: number[] = [0]
  const last = new Uint32Array(slots)
  const slotAt = (at: number) => {
    const hash = ((input[at]! << 16) | (input[at + 1]! << 8) | input[at + 2]!) >>> 0
    return ((hash >>> 8) - hash * 5) & (slots - 1)
  }
  let literals = 0
  let at = 0
  const copyLiteral = () => {
    output.push(input[at++]!)
    if (++literals === longestLiteral) endRun()
  }
  const endRun = () => {
    output[output.length - literals - 1] = literals - 1
    literals = 0
    output.push(0)
  }
  while (at < end - 2) {
    const slot = slotAt(at)
    const from = last[slot]!
    last[slot] = at
    const back = at - from - 1
    if (from === 0 || back >= farthest || !sameThree(input, from, at)) {
      if (output.length >= mostBytes) return null
      copyLiteral()
      continue
    }
    const most = Math.min(end - at - 2, longestMatch)
    if (output.length + 4 >= mostBytes && output.length - (literals === 0 ? 1 : 0) + 4 >= mostBytes) return null
    if (literals === 0) output.pop()
    else output[output.length - literals - 1] = literals - 1
    let length = 3
    while (length < most && input[from + length] === input[at + length]) length++
    // liblzf checks the maximum length in every comparison only if the maximum is at most sixteen.
    if (most > 16) length = matchOfSixteen(input, from, at, most)
    const code = length - 2
    if (code < 7) output.push((back >> 8) + (code << 5))
    else output.push((back >> 8) + (7 << 5), code - 7)
    output.push(back & 0xff, 0)
    literals = 0
    at += length
    if (at >= end - 2) break
    for (const near of [at - 2, at - 1]) last[slotAt(near)] = near
  }
  if (output.length + 3 > mostBytes) return null
  while (at < end) copyLiteral()
  if (literals === 0) output.pop()
  else output[output.length - literals - 1] = literals - 1
  return Buffer.from(output).toString('latin1')
}

function sameThree(input: Buffer, a: number, b: number): boolean {
  return input[a] === input[b] && input[a + 1] === input[b + 1] && input[a + 2] === input[b + 2]
}

/**
 * The length of a match that may be longer than sixteen bytes. The first sixteen comparisons do not
 * check the maximum length, as in liblzf.
 */
function matchOfSixteen(input: Buffer, from: number, at: number, most: number): number {
  let length = 2
  for (let more = 0; more < 16; more++) {
    length++
    if (input[from + length] !== input[at + length]) return length
  }
  do length++
  while (length < most && input[from + length] === input[at + length])
  return length
}

/** Throws `BadBytes` if the result does not have this length. */
export function decompress(text: string, length: number): string {
  const output = Buffer.alloc(length)
  let written = 0
  let at = 0
  const byte = () => {
    if (at >= text.length) throw new BadBytes('compressed bytes end too early')
    return text.charCodeAt(at++)
  }
  const put = (value: number) => {
    if (written >= length) throw new BadBytes('compressed bytes exceed their declared length')
    output[written++] = value
  }
  while (at < text.length) {
    const head = byte()
    if (head < 32) {
      for (let left = head + 1; left > 0; left--) put(byte())
      continue
    }
    let count = head >> 5
    if (count === 7) count += byte()
    let from = written - ((head & 0x1f) << 8) - byte() - 1
    if (from < 0) throw new BadBytes('compressed bytes refer to missing data')
    for (let left = count + 2; left > 0; left--) put(output[from++]!)
  }
  if (written !== length) throw new BadBytes('compressed bytes fall short of their declared length')
  return output.toString('latin1')
}
