import { leavingOf, type ReplayOutcome } from '../campaign/replay/replay.ts'
import type { HistoryEvent } from '../contract/api/history.ts'
import { canonicalJson } from '../contract/api/json.ts'
import { storyWithPage } from '../contract/results/shipped-page.ts'
import { msText } from '../contract/results/time-text.ts'
import { visible } from '../contract/results/visible.ts'
import { acceptedLines } from '../report/accepted-lines.ts'
import type { Output } from './output.ts'

export interface ReplayTexts {
  /** The run number and the seed, or the drawn run from which this one was made. */
  readonly origin: string
  /** The command to run next if the run left its path. */
  readonly next: string
}

/** Prints the story, the verdict and the logs of processes; with `trace`, all events. */
export function printReplay(
  { pair, history, followed }: ReplayOutcome,
  trace: boolean,
  { origin, next }: ReplayTexts,
  output: Output,
): void {
  const { implementation, scenario, sink, verdict, violations, reason } = pair
  output.line(`${implementation} under ${scenario}, ${sink} sink: ${origin}`)
  for (const event of history.events) {
    if (trace) traceLines(event).forEach(output.line)
    else if (event.type === 'log') logLines(event).forEach(output.line)
  }
  for (const violation of violations) {
    const { invariant, kind, sentence, why } = violation
    output.line('')
    for (const line of storyWithPage(violation)) output.line(`  ${line}`)
    output.line(`violated: ${invariant} (${kind}): ${sentence}`)
    if (why !== undefined && why !== sentence) output.line(`why: ${why}`)
  }
  acceptedLines([pair]).forEach(output.line)
  if (verdict !== 'violated')
    output.line(verdict === 'pass' ? 'pass: every invariant holds in this run' : `${verdict}: ${visible(reason ?? '')}`)
  const { of, leftAt } = followed
  output.line(leftAt === null ? `followed: all ${of} steps` : `diverged: ${leavingOf(followed)}`)
  if (leftAt !== null) output.line(`next: ${next}`)
}

/** Puts time and process before each line, so that a log cannot imitate other output. */
function logLines({ atUs, process, stream, text }: Extract<HistoryEvent, { type: 'log' }>): string[] {
  const head = `${msText(atUs)}  ${process}  ${stream === 'stderr' ? 'stderr: ' : ''}`
  return text
    .trimEnd()
    .split(/\r?\n/)
    .map((line) => `${head}${visible(line)}`)
}

function traceLines(event: HistoryEvent): string[] {
  if (event.type === 'log') return logLines(event)
  const { seq: _, atUs, type, ...rest } = event
  return [`${msText(atUs)}  ${type}  ${visible(canonicalJson(rest))}`]
}
