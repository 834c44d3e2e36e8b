import { canonical, readReply } from 'test-servers'

/**
 * Known and accepted differences from Redis 7.0.15. Each has a command, the shape of its arguments,
 * the two replies, and a reason. `pnpm fidelity` fails for a difference that is not listed.
 */
export interface AcceptedDifference {
  readonly command: string
  /** Description for the report. */
  readonly shape: string
  readonly reason: string
  readonly matches: (args: readonly string[], real: string, simulated: string) => boolean
}

export const accepted: readonly AcceptedDifference[] = [
  {
    command: 'object',
    shape: 'OBJECT REFCOUNT key, in a transaction that set the key',
    reason: "real Redis counts the queued command's own reference to the value",
    matches: (args, real, simulated) =>
      args.length === 3 && /^refcount$/i.test(args[1]!) && real === ':2\r\n' && simulated === ':1\r\n',
  },
  {
    command: 'eval',
    shape: 'EVAL of a script that prints NaN',
    reason: 'JavaScript has one NaN; the processor tells nan from -nan by how it was computed',
    matches: (_args, real, simulated) => real.includes('nan') && unsignedNaN(real) === unsignedNaN(simulated),
  },
]

function unsignedNaN(reply: string): string | null {
  const node = readReply(reply, 0)
  return node === undefined ? null : canonical(node).replaceAll('-nan', 'nan')
}

export function acceptedDifference(
  args: readonly string[],
  real: string,
  simulated: string,
): AcceptedDifference | undefined {
  const name = args[0]?.toLowerCase()
  return accepted.find((difference) => difference.command === name && difference.matches(args, real, simulated))
}
