/**
 * Node itself loads the sources, from JavaScript with the same lines. Vite's module runner would ask Vitest's main process for
 * each module, and make each use of an import a look into an object: three times the cost of loading, and a tenth of all else.
 */
import module from 'node:module'
import * as hooks from './hooks.mjs'

if (module.registerHooks) module.registerHooks(hooks)
else module.register('./hooks.mjs', import.meta.url)

// Vitest has them enabled. Lines are right without, and Node would read the map of every script that the simulator makes.
process.setSourceMapsEnabled(false)
