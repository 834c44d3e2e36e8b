import type { CompiledScript } from '../../lua/host.ts'
import { ErrorReply } from '../../lua/reply.ts'

/** Stands in until the Lua engine lands. */
export function compileScript(_body: string): CompiledScript | ErrorReply {
  return new ErrorReply('ERR scripting is not simulated yet')
}
export function sha1hex(_text: string): string {
  return ''
}
