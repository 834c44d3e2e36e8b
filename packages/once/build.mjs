// Compiles the reference layer (src/impl) into this package, with its Lua scripts.
import fs from 'node:fs'
import path from 'node:path'
import { compileTypes, keepReached } from '../../packaging/declarations.mjs'

const once = import.meta.dirname
const root = path.join(once, '../..')
const dist = path.join(once, 'dist')

for (const made of ['dist', 'lua', 'observability']) fs.rmSync(path.join(once, made), { recursive: true, force: true })
compileTypes(['src/impl/once.ts', 'src/impl/opentelemetry.ts'], dist, { sourceMap: true, inlineSources: true })
keepReached(dist, ['impl/once.d.ts', 'impl/opentelemetry.d.ts'])
for (const copied of ['lua', 'observability'])
  fs.cpSync(path.join(root, copied), path.join(once, copied), { recursive: true })
fs.copyFileSync(path.join(root, 'LICENSE'), path.join(once, 'LICENSE'))
