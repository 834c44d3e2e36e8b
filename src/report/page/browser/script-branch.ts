/**
 * The path of an execution through a Lua script: the script's lines with the executed ones marked,
 * and each Redis call below its line.
 */
import type { ScriptRun } from '../../../contract/results/run-trace.ts'
import type { ScriptText } from '../../../contract/results/timeline.ts'
import { element } from './elements.ts'
import { foldedLines, type ScriptLine } from './script-lines.ts'

export function scriptBranch(script: ScriptText, run: ScriptRun): HTMLElement {
  const ran = script.statements.filter((line) => run.ran.includes(line))
  const count = `${ran.length} of ${script.statements.length} lines with a statement ran`
  const lines = foldedLines(script, run).flatMap((one) => {
    if (!Array.isArray(one)) return lineOf(one, run)
    const name = `${one.length} lines that did not run`
    const list = element('ol', {}, ...one.flatMap((line) => lineOf(line, run)))
    return [element('li', { class: 'fold' }, element('details', {}, element('summary', {}, name), list))]
  })
  const more = run.more === 0 ? null : element('p', { class: 'none' }, `… and ${run.more} more calls`)
  return element(
    'div',
    { class: 'branch' },
    element('h5', {}, `What ${script.name} did`),
    element('p', { class: 'none' }, count),
    element('ol', { class: 'script' }, ...lines),
    more,
  )
}

function lineOf({ at, text, ran }: ScriptLine, { calls }: ScriptRun): HTMLElement[] {
  const code = element(
    'li',
    { class: ran ? 'ran' : 'idle', 'data-line': at },
    element('span', { class: 'number' }, String(at)),
    element('code', {}, text),
  )
  const answers = calls
    .filter(({ line }) => line === at)
    .map(({ command, reply }) =>
      element(
        'li',
        { class: 'call' },
        element('code', {}, command),
        element('span', { class: 'reply' }, ' → ', element('code', {}, reply)),
      ),
    )
  return [code, ...answers]
}
