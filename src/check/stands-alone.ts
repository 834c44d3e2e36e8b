/**
 * Is `text` made of `part`, as `lock:k1:owner` is made of `k1`? The part must not continue as a word on either side,
 * so that `k1` is not found in `k10`, nor `a` in `stats`.
 */
export function standsAlone(part: string, text: string): boolean {
  const isWord = (character: string | undefined) => character !== undefined && /[A-Za-z0-9]/.test(character)
  if (part === '') return false
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1))
    if (!isWord(text[at - 1]) && !isWord(text[at + part.length])) return true
  return false
}
