import { createHash } from 'node:crypto'
import { type CompiledScript, createLuaMemory, type LuaHost } from '../../lua/index.ts'
import { ErrorReply, type Reply } from '../../lua/reply.ts'
import { Blocking, flagBits, Several } from '../command.ts'
import { arityFits, execute, resolveCommand, unsupported } from '../dispatch.ts'
import { toResp2, toResp3 } from '../resp/plain.ts'
import type { RedisServer } from '../server.ts'
import { Session } from '../session.ts'
import { outOfMemory } from '../trouble.ts'

const unknown = new ErrorReply('ERR Unknown Redis command called from script')
const wrongArity = new ErrorReply('ERR Wrong number of args calling Redis command from script')
const notAllowed = new ErrorReply('ERR This Redis command is not allowed from script')
const readOnlyScript = new ErrorReply('ERR Write commands are not allowed from read-only scripts.')

const killed = new ErrorReply('ERR Script killed by user with SCRIPT KILL...')

/** A command takes about as long as so many steps of Lua. */
const stepsOfCall = 100

/** What scripts of one server run on: a session of their own, which follows the caller's database. */
export class ScriptHost implements LuaHost {
  private readonly session: Session
  private readOnly = false
  /** A script that has written may go on writing: it must not end halfway. */
  private hasWritten = false
  /** The state of math.random and the settings of cjson, which outlive a script. */
  readonly memory = createLuaMemory()
  private steps = 0
  /** The last script was stopped for its number of steps. */
  private exhausted = false
  private allowsOom = false

  constructor(private readonly server: RedisServer) {
    this.session = new Session(server, 0, '', 0)
    this.session.denyBlocking = true
  }

  run(
    script: CompiledScript,
    caller: Session,
    keys: readonly string[],
    argv: readonly string[],
    readOnly: boolean,
  ): Reply | Blocking {
    this.session.database = caller.database
    this.session.resp = 2
    this.session.authenticated = true
    this.readOnly = readOnly
    this.steps = 0
    this.hasWritten = false
    this.allowsOom = script.flags?.includes('allow-oom') ?? false
    this.exhausted = false
    const reply = script.run({ keys, argv, host: this })
    return this.exhausted && !caller.denyBlocking ? this.runsForEver(caller, reply) : reply
  }

  /**
   * A script out of steps is taken for one that never ends: its caller waits, and everybody else is told that the
   * server is busy, until SCRIPT KILL. Inside a transaction, where nothing can wait, it ends at once as if killed.
   */
  private runsForEver(caller: Session, reply: Reply): Blocking {
    this.server.endlessScript = { caller: caller.id, reply, hasWritten: this.hasWritten }
    this.server.trouble.busy = true
    return new Blocking(0, () => reply)
  }

  call(args: readonly string[]): Reply {
    this.steps += stepsOfCall
    const command = resolveCommand(args)
    if (command instanceof ErrorReply) return unknown
    if (!arityFits(command, args)) return wrongArity
    if ((command.flags & flagBits.noscript) !== 0) return notAllowed
    if (this.readOnly && (command.flags & (flagBits.write | flagBits.may_replicate)) !== 0) return readOnlyScript
    if (
      this.server.trouble.outOfMemory &&
      !this.hasWritten &&
      !this.allowsOom &&
      (command.flags & flagBits.denyoom) !== 0
    )
      return outOfMemory
    if ((command.flags & flagBits.write) !== 0) this.hasWritten = true
    if (command.execute === undefined) {
      unsupported(this.session, command, args)
      return unknown
    }
    const reply = execute(this.session, command, args)
    if (reply instanceof Several) throw new Error(`${command.fullName} is not allowed from scripts`)
    return this.session.resp === 2 ? toResp2(reply) : toResp3(reply)
  }

  /** There is neither a replica nor a file that effects could be kept from. */
  setRepl(): void {}

  /** The server's log is not kept. */
  log(): void {}

  setResp(version: 2 | 3): void {
    this.session.resp = version
  }

  tick(steps: number): void {
    this.steps += steps
    if (this.steps <= this.server.config.scriptStepBudget) return
    this.server.environment.unsupported('a script that runs for too long')
    this.exhausted = true
    throw killed
  }

  sha1hex(text: string): string {
    return createHash('sha1').update(text, 'latin1').digest('hex')
  }

  knowsCommand(args: readonly string[]): boolean {
    const command = resolveCommand(args)
    return !(command instanceof ErrorReply) && arityFits(command, args)
  }
}
