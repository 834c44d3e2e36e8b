// Before packages/once is packed: the reference layer, compiled file by file, with its Lua scripts.
import fs from 'node:fs'
import path from 'node:path'
import { compileTypes, keepReached } from './declarations.mjs'

const root = path.join(import.meta.dirname, '..')
const once = path.join(root, 'packages/once')

fs.rmSync(path.join(once, 'dist'), { recursive: true, force: true })
fs.rmSync(path.join(once, 'lua'), { recursive: true, force: true })
compileTypes(['src/impl/once.ts'], path.join(once, 'dist'), { sourceMap: true, inlineSources: true })
keepReached(path.join(once, 'dist'), ['impl/once.d.ts'])
fs.cpSync(path.join(root, 'lua'), path.join(once, 'lua'), { recursive: true })
fs.copyFileSync(path.join(root, 'LICENSE'), path.join(once, 'LICENSE'))
