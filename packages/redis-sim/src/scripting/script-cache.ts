import { type CompiledScript, compileScript } from '../lua/index.ts'
import { ErrorReply } from '../resp/reply.ts'

/**
 * Compiled scripts by body, for all servers of this operating-system process: a world makes a
 * server per run, and compiling costs far more than a run. A compiled script keeps nothing from one
 * execution to the next.
 */
const compiled = new Map<string, CompiledScript | ErrorReply>()
const compiledLimit = 10_000

function compileOnce(body: string): CompiledScript | ErrorReply {
  let script = compiled.get(body)
  if (script === undefined) {
    if (compiled.size === compiledLimit) compiled.clear()
    script = compileScript(body, 'count')
    compiled.set(body, script)
  }
  return script
}

/** The lines of one script that were executed. */
export interface ScriptLines {
  /** 40 hex digits. */
  readonly sha: string
  readonly body: string
  /** Lines that hold a statement, from 1. */
  readonly executable: readonly number[]
  readonly executed: readonly number[]
}

/**
 * What was executed in this thread since the last call. Counting costs a script some 10 %, and a
 * run nothing that shows.
 */
export function takeScriptLines(): ScriptLines[] {
  const taken: ScriptLines[] = []
  for (const [body, script] of compiled) {
    if (script instanceof ErrorReply || script.lineCounts === null) continue
    const { sha, executableLines, lineCounts } = script
    const executed = executableLines.filter((line) => lineCounts[line]! > 0)
    lineCounts.fill(0)
    if (executed.length > 0) taken.push({ sha, body, executable: executableLines, executed })
  }
  return taken
}

/** A script that was not executed, as far as anybody knows; null for what is no script. */
export function unexecutedLines(body: string): ScriptLines | null {
  const script = compileOnce(body)
  if (script instanceof ErrorReply) return null
  return { sha: script.sha, body, executable: script.executableLines, executed: [] }
}

/** The scripts that one server knows: what EVALSHA finds, until SCRIPT FLUSH or a restart. */
export class ScriptCache {
  private scripts: Map<string, CompiledScript> | null = null

  get size(): number {
    return this.scripts?.size ?? 0
  }

  /** By SHA-1 in lower case. */
  find(sha: string): CompiledScript | undefined {
    return this.scripts?.get(sha)
  }

  /** Compiles and remembers; a script that does not compile is answered and not remembered. */
  load(body: string): CompiledScript | ErrorReply {
    const script = compileOnce(body)
    if (!(script instanceof ErrorReply)) (this.scripts ??= new Map()).set(script.sha, script)
    return script
  }

  flush(): void {
    this.scripts = null
  }
}
