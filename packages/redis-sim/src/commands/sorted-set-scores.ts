/** Ranges by score: `1`, `(1`, `-inf`. */

import { parseLooseDouble } from '../numbers/double.ts'
import { ErrorReply } from '../resp/reply.ts'
import type { Selection } from './sorted-set-ranges.ts'

export function parseScoreRange(low: string, high: string): Selection | ErrorReply {
  const [minOpen, maxOpen] = [low.startsWith('('), high.startsWith('(')]
  const min = parseLooseDouble(minOpen ? low.slice(1) : low)
  const max = parseLooseDouble(maxOpen ? high.slice(1) : high)
  if (min === undefined || max === undefined) return new ErrorReply('ERR min or max is not a float')
  return (entry) =>
    entry.ordered().filter((member) => {
      const value = entry.scores.get(member)!
      return (minOpen ? value > min : value >= min) && (maxOpen ? value < max : value <= max)
    })
}
