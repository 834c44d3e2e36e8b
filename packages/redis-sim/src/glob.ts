/**
 * Redis's glob patterns: `*`, `?`, `[a-c]`, `[^a]`, `\x`. They match bytes, not characters. Source:
 * stringmatchlen of Redis 7.0. Only the last star is backtracked, so matching takes at most pattern
 * length × text length steps and does not recurse.
 */
export function matchesGlob(pattern: string, text: string): boolean {
  let p = 0
  let t = 0
  let afterStar = -1
  let starAt = 0
  for (;;) {
    if (p < pattern.length && t < text.length) {
      if (pattern[p] === '*') {
        while (pattern[p + 1] === '*') p++
        if (p + 1 === pattern.length) return true
        afterStar = ++p
        starAt = t
        continue
      }
      const next = matchOne(pattern, p, text.charCodeAt(t))
      if (next !== -1) {
        p = next
        if (++t === text.length) while (pattern[p] === '*') p++
        continue
      }
    } else if (p >= pattern.length && t >= text.length) return true
    if (afterStar === -1 || ++starAt >= text.length) return false
    p = afterStar
    t = starAt
  }
}

/**
 * Matches one character. Returns the index of the next pattern element, or -1 if the character does
 * not match.
 */
function matchOne(pattern: string, p: number, char: number): number {
  const c = pattern[p]
  if (c === '?') return p + 1
  if (c === '[') {
    const [end, hit] = matchClass(pattern, p + 1, char)
    return hit ? end + 1 : -1
  }
  const at = c === '\\' && p + 1 < pattern.length ? p + 1 : p
  return pattern.charCodeAt(at) === char ? at + 1 : -1
}

/**
 * Matches a character class. `p` is the index after its `[`. Returns the index where the class ends
 * (at `]`, or at the last character of the pattern), and true if the character matches.
 */
function matchClass(pattern: string, p: number, char: number): [number, boolean] {
  const negated = pattern[p] === '^'
  if (negated) p++
  let hit = false
  for (; ; p++) {
    if (p >= pattern.length) {
      p--
      break
    }
    if (pattern[p] === '\\' && pattern.length - p >= 2) {
      p++
      if (pattern.charCodeAt(p) === char) hit = true
    } else if (pattern[p] === ']') {
      break
    } else if (pattern.length - p >= 3 && pattern[p + 1] === '-') {
      const low = Math.min(pattern.charCodeAt(p), pattern.charCodeAt(p + 2))
      const high = Math.max(pattern.charCodeAt(p), pattern.charCodeAt(p + 2))
      p += 2
      if (char >= low && char <= high) hit = true
    } else if (pattern.charCodeAt(p) === char) {
      hit = true
    }
  }
  return [p, negated ? !hit : hit]
}
