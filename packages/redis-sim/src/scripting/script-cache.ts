import { type CompiledScript, compileScript } from '../lua/index.ts'
import { ErrorReply } from '../resp/reply.ts'

/**
 * Compiled scripts by body. All servers of this operating-system process share them, because each
 * run creates servers, and compiling is much slower than a run. A compiled script has no state
 * between executions.
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

/** Line coverage of one script. */
export interface ScriptLines {
  /** 40 hex digits. */
  readonly sha: string
  readonly body: string
  /** Lines on which a statement begins, starting at 1. */
  readonly executable: readonly number[]
  readonly executed: readonly number[]
}

/**
 * Returns the line coverage in this thread since the last call. Counting slows down scripts by
 * about 10 %, which is not noticeable in a run.
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

/** The lines of a script of which none was executed; null if the script does not compile. */
export function unexecutedLines(body: string): ScriptLines | null {
  const script = compileOnce(body)
  if (script instanceof ErrorReply) return null
  return { sha: script.sha, body, executable: script.executableLines, executed: [] }
}

/** The scripts known to one server, for EVALSHA, until SCRIPT FLUSH or a restart. */
export class ScriptCache {
  private scripts: Map<string, CompiledScript> | null = null

  get size(): number {
    return this.scripts?.size ?? 0
  }

  /** Finds a script by its SHA-1 in lower case. */
  find(sha: string): CompiledScript | undefined {
    return this.scripts?.get(sha)
  }

  /** Compiles and stores a script. Returns the error, without storing, if it does not compile. */
  load(body: string): CompiledScript | ErrorReply {
    const script = compileOnce(body)
    if (!(script instanceof ErrorReply)) (this.scripts ??= new Map()).set(script.sha, script)
    return script
  }

  flush(): void {
    this.scripts = null
  }
}
