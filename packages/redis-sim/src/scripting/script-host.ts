import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { denied } from '../acl/check.ts'
import { scriptRefusal } from '../cluster/redirect.ts'
import { type Blocking, type Command, flagBits, Several } from '../command.ts'
import { outOfMemory } from '../degraded-state.ts'
import { arityFits, execute, resolveCommand, unsupported } from '../dispatch.ts'
import { type CompiledScript, createLuaMemory, type LoadedFunction, type LuaHost, stepsOfByte } from '../lua/index.ts'
import { forBoth } from '../replication/propagation.ts'
import { isStale, masterDown, writeRefusal } from '../replication/refusals.ts'
import { toResp2, toResp3 } from '../resp/plain.ts'
import { ErrorReply, type Reply } from '../resp/reply.ts'
import type { RedisServer } from '../server.ts'
import { Session } from '../session.ts'
import type { Libraries } from './libraries.ts'
import { killed, runLong } from './long-script.ts'

const unknown = new ErrorReply('ERR Unknown Redis command called from script')
const wrongArity = new ErrorReply('ERR Wrong number of args calling Redis command from script')
const notAllowed = new ErrorReply('ERR This Redis command is not allowed from script')
const readOnlyScript = new ErrorReply('ERR Write commands are not allowed from read-only scripts.')

const staleScript = new ErrorReply('ERR Can not execute the command on a stale replica')

const notOnCluster = new ErrorReply("ERR Can not run script on cluster, 'no-cluster' flag is set.")

const loadTimeout = new ErrorReply('ERR FUNCTION LOAD timeout')

const notPermitted = {
  command: new ErrorReply("ERR The user executing the script can't run this command or subcommand"),
  key: new ErrorReply(
    "ERR The user executing the script can't access at least one of the keys mentioned in the command arguments",
  ),
  channel: new ErrorReply("ERR The user executing the script can't publish to the channel mentioned in the command"),
}

/** Each command of a script counts as this number of Lua steps. */
const stepsOfCall = 100
/** Number of steps that a real server on a current machine executes in a millisecond. */
const stepsPerMs = 100_000

/**
 * Runs the scripts, or the functions, of one server, in a separate session that uses the caller's
 * database.
 */
export class ScriptHost implements LuaHost {
  private readonly session: Session
  private readOnly = false
  private hasWritten = false
  /** The state of math.random and the settings of cjson, which persist between scripts. */
  readonly memory = createLuaMemory()
  private steps = 0
  /** True if the last script was stopped because it used up its steps. */
  private exhausted = false
  private allowsOom = false
  private loading = false
  private caller: Session | null = null
  private allowsCrossSlot = true

  constructor(private readonly server: RedisServer) {
    this.session = new Session(server, 0, '', 0)
    this.session.denyBlocking = true
  }

  /** `args` is the whole command; the keys begin at index 3. */
  run(
    script: CompiledScript | LoadedFunction,
    caller: Session,
    args: readonly string[],
    keyCount: number,
    readOnly: boolean,
  ): Reply | Blocking {
    if (script.flags?.includes('no-cluster') && this.server.cluster !== null) return notOnCluster
    if (script.flags === null && isStale(this.server) && !caller.obeyed) return masterDown
    this.session.database = caller.database
    this.session.resp = 2
    this.session.authenticated = true
    this.session.user = caller.user
    this.session.propagates = forBoth
    this.session.obeyed = caller.obeyed
    this.readOnly = readOnly
    this.steps = 0
    this.hasWritten = false
    this.allowsOom = script.flags?.includes('allow-oom') ?? false
    this.exhausted = false
    this.caller = caller
    this.allowsCrossSlot = script.flags?.includes('allow-cross-slot-keys') ?? true
    assert(!this.server.tracking.inScript, 'a script runs in no other script')
    assert(args.length >= 3 + keyCount, 'a script has as many keys as its caller declared')
    this.server.tracking.inScript = true
    const call = { keys: args.slice(3, 3 + keyCount), argv: args.slice(3 + keyCount), host: this }
    const { scriptWatch } = this.server.environment
    const reply =
      scriptWatch === undefined ? script.run(call) : scriptWatch.run(script, call, this.server.libraries.codeOf(script))
    this.server.tracking.inScript = false
    const tookMs = Math.floor(this.steps / stepsPerMs)
    // A transaction cannot wait, so the script ends immediately. An endless script ends as if it
    // had been killed.
    if (caller.denyBlocking || !(this.exhausted || tookMs > this.server.config.busyReplyThreshold)) return reply
    return runLong(this.server, {
      ...{ caller: caller.id, reply, hasWritten: this.hasWritten, functionName: script.functionName, command: args },
      ...{ name: script.functionName ?? script.sha, tookMs: this.exhausted ? null : tookMs },
    })
  }

  /** FUNCTION LOAD: runs the library's code once, so that it registers its functions. */
  load(code: string, replace: boolean, into: Libraries = this.server.libraries): string | ErrorReply {
    this.session.resp = 2
    this.steps = 0
    this.loading = true
    try {
      return into.load(code, replace, this)
    } finally {
      this.loading = false
    }
  }

  /**
   * Executes a command of the script. Each error reply is counted here, even if the script handles
   * the error.
   */
  call(args: readonly string[]): Reply {
    const reply = this.executed(args)
    if (reply instanceof ErrorReply) this.server.errorCounts.add(reply)
    return reply
  }

  private executed(args: readonly string[]): Reply {
    assert(this.server.tracking.inScript, 'only a script that runs calls commands')
    assert(args.length > 0, 'a script names the command that it calls')
    this.steps += stepsOfCall + bytesOf(args) * stepsOfByte
    const command = resolveCommand(args, this.server)
    if (command instanceof ErrorReply) return unknown
    const refused = this.refusal(command, args)
    if (refused !== null) {
      this.server.commandCounts.rejected(command)
      return refused
    }
    if ((command.flags & flagBits.write) !== 0) this.hasWritten = true
    if (command.execute === undefined) {
      unsupported(this.session, command, args)
      return unknown
    }
    const reply = execute(this.session, command, args)
    if (reply instanceof Several) throw new Error(`${command.fullName} is not allowed from scripts`)
    return this.session.resp === 2 ? toResp2(reply) : toResp3(reply)
  }

  private refusal(command: Command, args: readonly string[]): ErrorReply | null {
    if (!arityFits(command, args)) return wrongArity
    if ((command.flags & flagBits.noscript) !== 0) return notAllowed
    const notAllowedTo = this.deniedToCaller(command, args)
    if (notAllowedTo !== null) return notAllowedTo
    if (this.readOnly && (command.flags & (flagBits.write | flagBits.may_replicate)) !== 0) return readOnlyScript
    if (this.server.isGuarded && !this.session.obeyed) {
      if ((command.flags & flagBits.stale) === 0 && isStale(this.server)) return staleScript
      // A script that has already written may continue to write, so that it does not stop halfway.
      const writes = (command.flags & flagBits.write) !== 0
      const refused = writes && !this.hasWritten ? writeRefusal(this.server) : null
      if (refused !== null) return refused
    }
    const mayGrow = this.hasWritten || this.allowsOom || (command.flags & flagBits.denyoom) === 0
    if (this.server.degraded.outOfMemory && !mayGrow) return outOfMemory
    const { cluster } = this.server
    if (cluster === null || this.caller === null || this.session.obeyed) return null
    return scriptRefusal(cluster, this.session, this.caller, this.allowsCrossSlot, { command, args })
  }

  private deniedToCaller(command: Command, args: readonly string[]): ErrorReply | null {
    if (this.session.user.isUnrestricted || this.caller === null || this.session.obeyed) return null
    const found = this.server.acl.denied(this.session, command, args, 'lua', this.caller)
    return found === null ? null : notPermitted[found.what]
  }

  /** Sets where effects are propagated. `flags` has the bits of `forFile` and `forReplicas`. */
  setRepl(flags: number): void {
    this.session.propagates = flags
  }

  /** The server's log is not simulated. */
  log(): void {}

  setResp(version: 2 | 3): void {
    this.session.resp = version
  }

  tick(steps: number): void {
    this.steps += steps
    if (this.steps <= this.server.config.scriptStepBudget) return
    this.server.environment.unsupported('a script that runs for too long')
    this.exhausted = true
    throw this.loading ? loadTimeout : killed
  }

  limited(limit: string): void {
    this.server.environment.unsupported(limit)
  }

  sha1hex(text: string): string {
    return createHash('sha1').update(text, 'latin1').digest('hex')
  }

  get onLine(): ((line: number) => void) | undefined {
    return this.server.environment.scriptWatch?.onLine
  }

  mayCall(args: readonly string[]): boolean | null {
    const command = resolveCommand(args, this.server)
    return command instanceof ErrorReply ? null : denied(this.session.user, command, args) === null
  }
}

function bytesOf(args: readonly string[]): number {
  let bytes = 0
  for (let at = 0; at < args.length; at++) bytes += args[at]!.length
  return bytes
}
