/** Makes commands invalid. */
import type { Random } from 'test-servers'
import { fields } from './vocabulary.ts'

/**
 * Drops, adds or duplicates an argument, or changes the name to lower case. The name is never
 * dropped, because the first argument would become the name, and it may be the name of a command
 * such as SYNC.
 */
export function disturb(random: Random, args: readonly string[]): string[] {
  // SPOP is not changed. The generated SPOP removes all members or none; with another count, the
  // result would be random.
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
