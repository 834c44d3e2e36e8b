import type { WatchedScript } from 'redis-sim'
import type { ScriptRun, TracedScript } from '../../contract/results/run-trace.ts'
import { nameOfScript } from '../../run/command-labels.ts'
import { textOf } from './text-of.ts'
import { commandText, replyText } from './trace-text.ts'

/**
 * The maximum number of recorded calls of one execution, because a script that loops makes
 * thousands.
 */
const most = 40

/** The scripts of a run trace, each listed once, and the calls of each execution. */
export class TracedScripts {
  readonly all: TracedScript[] = []
  readonly #places = new Map<string, number>()

  add({ functionName, body, statements, ran, calls }: WatchedScript): ScriptRun {
    const about = `${functionName ?? ''} ${body}`
    let script = this.#places.get(about)
    if (script === undefined) {
      const named = functionName === null ? nameOfScript(body) : functionName
      const kind = functionName === null ? 'the script' : 'the function'
      const name = named === null ? kind : `${kind} ${named}`
      script = this.all.push({ name, body: textOf(body), statements }) - 1
      this.#places.set(about, script)
    }
    const reported = calls.slice(0, most).map(({ line, args, reply }) => {
      return { line, command: commandText(args), reply: replyText(reply) }
    })
    return { script, ran, calls: reported, more: calls.length - reported.length }
  }
}
