/** Compiles a Lua chunk to a JavaScript function. */
import { execution, tick } from '../execution.ts'
import type { ChunkInfo } from '../runtime/errors.ts'
import type { LuaTable } from '../runtime/table.ts'
import type { LuaFunction } from '../runtime/values.ts'
import type { FunctionBody } from '../syntax/ast.ts'
import { parse } from '../syntax/parser.ts'
import { Constants } from './constants.ts'
import type { LineWatch } from './line-watch.ts'
import { needsTwins } from './recursion.ts'
import { Sites } from './sites.ts'
import { type ChunkEmitter, FunctionEmitter } from './statements.ts'
import { support } from './support.ts'

export interface Chunk {
  readonly main: LuaFunction
  readonly executableLines: readonly number[]
  readonly lineCounts: Uint32Array | null
}

/**
 * `name` appears in error messages; `sourceName` is the `source` field of errors. `environment`
 * holds the globals; null selects the globals of scripts. Throws `LuaSyntaxError`.
 */
export function compileChunk(
  source: string,
  name: string,
  sourceName: string,
  lines: LineWatch | null,
  environment: LuaTable | null = null,
): Chunk {
  const body: FunctionBody = parse(source, name)
  const constants = new Constants(environment)
  const emitter: ChunkEmitter = {
    sites: new Sites(),
    constants,
    lines,
    twins: needsTwins(body, constants, source.includes('coroutine')),
    executableLines: new Set(),
  }
  emitter.sites.index({ line: 0 })
  const text = FunctionEmitter.functionText(body, emitter)
  const lineCounts = lines === 'count' ? new Uint32Array(source.split('\n').length + 2) : null
  const info: ChunkInfo = { name, source: sourceName, sites: emitter.sites.list }
  const names = constants.list.map((_, index) => `$k${index}`)
  const script = `'use strict';
const {${Object.keys(support).join(', ')}} = $support;
const [${names.join(', ')}] = $constants;
let $n = 1000;
return ${text}`
  // The emitters use these parameter names.
  const make = new Function('$support', '$constants', '$i', '$c', '$g', 'tick', script)
  const main = make(support, emitter.constants.list, info, lineCounts ?? lines, execution, tick) as LuaFunction
  return { main, executableLines: [...emitter.executableLines].sort((a, b) => a - b), lineCounts }
}
