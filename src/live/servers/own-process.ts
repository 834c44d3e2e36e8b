/** A process of ours: whether it lives, how it is ended, and what it said last. */
import type { ChildProcess } from 'node:child_process'

/** The operating system has not said that it ended. */
export const lives = (child: ChildProcess | null): child is ChildProcess =>
  child !== null && child.exitCode === null && child.signalCode === null

/** Resolves once it has ended. */
export async function endBy(child: ChildProcess | null, signal: NodeJS.Signals): Promise<void> {
  if (!lives(child)) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill(signal)
  await gone
}

/** Of what it printed, the last line that tells why it ended; of none that does, the last. */
export function lastLine(text: string, report?: RegExp): string {
  const lines = text.trim().split('\n')
  const reported = report === undefined ? undefined : lines.findLast((line) => report.test(line))
  return (reported ?? lines.at(-1))?.trim() || 'it ended without output'
}
