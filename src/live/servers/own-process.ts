/**
 * Helpers for child processes of the harness: whether one is alive, how to end it, and its last
 * output.
 */
import type { ChildProcess } from 'node:child_process'

/** True until the operating system reports the exit of the process. */
export const lives = (child: ChildProcess | null): child is ChildProcess =>
  child !== null && child.exitCode === null && child.signalCode === null

/** Ends the process by a signal. Resolves once it has ended. */
export async function endBy(child: ChildProcess | null, signal: NodeJS.Signals): Promise<void> {
  if (!lives(child)) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill(signal)
  await gone
}

/** The last line that matches `report`; if none does, the last line. */
export function lastLine(text: string, report?: RegExp): string {
  const lines = text.trim().split('\n')
  const reported = report === undefined ? undefined : lines.findLast((line) => report.test(line))
  return (reported ?? lines.at(-1))?.trim() || 'it ended without output'
}
