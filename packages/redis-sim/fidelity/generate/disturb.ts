/** Commands made wrong. */
import type { Random } from 'test-servers'
import { fields } from './vocabulary.ts'

/**
 * An argument dropped, added or doubled, or the name in lower case. The name itself stays: SYNC is
 * a word too.
 */
export function disturb(random: Random, args: readonly string[]): string[] {
  // SPOP is drawn so that it takes all or nothing; anything else would be chance.
  if (args[0] === 'SPOP') return [...args]
  const at = random.below(args.length)
  switch (random.below(4)) {
    case 0:
      return args.length > 1 ? args.filter((_, index) => index === 0 || index !== at) : [...args]
    case 1:
      return [...args.slice(0, at + 1), random.pick(fields), ...args.slice(at + 1)]
    case 2:
      return [...args, random.pick(args)]
    default:
      return [random.chance(50) ? args[0]!.toLowerCase() : args[0]!, ...args.slice(1)]
  }
}
