import type { Answer, Command } from './command.ts'
import { ErrorReply, type Reply } from './resp/reply.ts'

interface Counts {
  calls: number
  /** Number of commands that were refused before execution. */
  rejected: number
  /** Number of commands that were executed and answered with an error. */
  failed: number
}

/**
 * Counts per command for INFO commandstats. Durations are 0: no time passes while a command runs.
 */
export class CommandCounts {
  private readonly counts = new Map<Command, Counts>()

  executed(command: Command, answer: Answer): void {
    const counts = this.of(command)
    counts.calls++
    if (typeof answer === 'object') counts.failed += failures(answer, /^(eval|fcall)/.test(command.fullName))
  }

  rejected(command: Command): void {
    this.of(command).rejected++
  }

  reset(): void {
    this.counts.clear()
  }

  lines(): (readonly [string, string])[] {
    return [...this.counts].map(([{ fullName }, { calls, rejected, failed }]) => [
      `cmdstat_${fullName}`,
      `calls=${calls},usec=0,usec_per_call=0.00,rejected_calls=${rejected},failed_calls=${failed}`,
    ])
  }

  /** Full names of the commands that were executed, with their numbers of calls. */
  called(): (readonly [string, number])[] {
    return [...this.counts].flatMap(([{ fullName }, { calls }]) => (calls > 0 ? [[fullName, calls] as const] : []))
  }

  private of(command: Command): Counts {
    let counts = this.counts.get(command)
    if (counts === undefined) {
      counts = { calls: 0, rejected: 0, failed: 0 }
      this.counts.set(command, counts)
    }
    return counts
  }
}

/**
 * Number of failures that one answer adds to the count of a command. For the reply of a script, all
 * errors of the script itself count as one. Each error of a command that the script ran, which was
 * already counted for that command, counts again.
 */
function failures(answer: Answer, ofScript: boolean): number {
  if (answer instanceof ErrorReply) return 1
  if (!ofScript || !Array.isArray(answer)) return 0
  const errors = errorsIn(answer)
  return errors.filter(({ counted }) => counted).length + (errors.every(({ counted }) => counted) ? 0 : 1)
}

/** All errors in a reply, at any depth. Iterative: the nesting may exceed the call stack. */
function errorsIn(reply: readonly Reply[]): ErrorReply[] {
  const errors: ErrorReply[] = []
  const lists: (readonly Reply[])[] = [reply]
  for (let list = lists.pop(); list !== undefined; list = lists.pop())
    for (const item of list)
      if (item instanceof ErrorReply) errors.push(item)
      else if (Array.isArray(item)) lists.push(item)
  return errors
}
