/** Redis's glob patterns: `*`, `?`, `[a-c]`, `[^a]`, `\x`. Source: stringmatchlen of Redis 7.0. Bytes, not characters. */
export function matchesGlob(pattern: string, text: string): boolean {
  return match(pattern, 0, text, 0, { skip: false })
}

/** `skip`: a star further right already failed on every suffix, so that an earlier star need not try again. */
function match(pattern: string, p: number, text: string, t: number, state: { skip: boolean }): boolean {
  while (p < pattern.length && t < text.length) {
    const c = pattern[p]
    if (c === '*') {
      while (pattern[p + 1] === '*') p++
      if (p + 1 === pattern.length) return true
      for (; t < text.length; t++) {
        if (match(pattern, p + 1, text, t, state)) return true
        if (state.skip) return false
      }
      state.skip = true
      return false
    }
    if (c === '[') {
      const [end, hit] = matchClass(pattern, p + 1, text.charCodeAt(t))
      if (!hit) return false
      p = end
    } else if (c !== '?') {
      if (c === '\\' && p + 1 < pattern.length) p++
      if (pattern[p] !== text[t]) return false
    }
    p++
    t++
    if (t >= text.length) while (pattern[p] === '*') p++
  }
  return p >= pattern.length && t >= text.length
}

/** From the character after `[`: where the class ends (at `]`, or at the pattern's last character), and the verdict. */
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
