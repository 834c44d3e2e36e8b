/** Fills the global environment. Imported for this side effect before anything is compiled. */
import { execution, tick } from './execution.ts'
import { installGlobals } from './globals.ts'
import { baseFunctions } from './lib/base.ts'
import { bitLibrary } from './lib/bit.ts'
import { cjsonLibrary } from './lib/cjson.ts'
import { cmsgpackLibrary } from './lib/cmsgpack.ts'
import { coroutineLibrary } from './lib/coroutine.ts'
import { loadFunctions } from './lib/load.ts'
import { mathLibrary } from './lib/math.ts'
import { protectedCallFunctions } from './lib/protected-call.ts'
import { redisLibrary } from './lib/redis.ts'
import { redisErrorHandler } from './lib/redis-error-handler.ts'
import { stringLibrary } from './lib/string.ts'
import { structLibrary } from './lib/struct.ts'
import { tableLibrary } from './lib/table.ts'
import { chargeTo } from './runtime/effort.ts'
import { reportLimits } from './runtime/limits.ts'

installGlobals({
  ...baseFunctions,
  ...loadFunctions,
  ...protectedCallFunctions,
  bit: bitLibrary,
  cjson: cjsonLibrary,
  cmsgpack: cmsgpackLibrary,
  coroutine: coroutineLibrary,
  math: mathLibrary,
  redis: redisLibrary,
  string: stringLibrary,
  struct: structLibrary,
  table: tableLibrary,
  __redis__err__handler: redisErrorHandler,
})

/** After this call, table operations are charged to the running script. */
chargeTo(tick)
reportLimits((limit) => execution.host.limited?.(limit))
