/** Marks the lines of a script that an execution reached. */
import type { ScriptRun } from '../../../contract/results/run-trace.ts'
import type { ScriptText } from '../../../contract/results/timeline.ts'

/** This many or more consecutive lines that did not run are folded. */
const foldedFrom = 4

/** Lines that contain no statement. */
const between = /^\s*(?:--|else\b|elseif\b|end\b|until\b|$)/

export type ScriptLine = { readonly at: number; readonly text: string; readonly ran: boolean }

/**
 * The lines in order; each sequence of lines that did not run is a list. Continuation lines of a
 * statement ran if the statement did.
 */
export function foldedLines({ lines, statements }: ScriptText, { ran }: ScriptRun): (ScriptLine | ScriptLine[])[] {
  const [begins, did] = [new Set(statements), new Set(ran)]
  const folded: (ScriptLine | ScriptLine[])[] = []
  let goesOn = false
  let idle: ScriptLine[] = []
  const close = () => {
    folded.push(...(idle.length < foldedFrom ? idle : [idle]))
    idle = []
  }
  for (const [index, text] of lines.entries()) {
    const at = index + 1
    if (begins.has(at) || did.has(at)) goesOn = did.has(at)
    const line = { at, text, ran: did.has(at) || (goesOn && !begins.has(at) && !between.test(text)) }
    if (!line.ran) idle.push(line)
    else {
      close()
      folded.push(line)
    }
  }
  close()
  return folded
}
