import { compileScript } from '../../src/lua/index.ts'
import { encodeReply } from '../../src/resp/encode.ts'
import { ErrorReply } from '../../src/resp/reply.ts'
import { FewCommands } from './few-commands.ts'

/** Compiles and runs a script. Returns the reply as RESP2 bytes. */
export function run(
  body: string,
  keys: readonly string[] = [],
  argv: readonly string[] = [],
  host = new FewCommands(),
) {
  const script = compileScript(body)
  return encodeReply(script instanceof ErrorReply ? script : script.run({ keys, argv, host }), 2)
}

/** Runs a script that fails. Returns the text of the error without the name of the script. */
export function errorOf(body: string): string {
  const reply = run(body)
  if (!reply.startsWith('-')) throw new Error(`no error: ${reply}`)
  return reply.slice(1, -2).replace(/ script: [0-9a-f]{40}, on /, ' @ ')
}
