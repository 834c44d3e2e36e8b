// Before the package is packed: JavaScript with its maps into dist/packed, declarations into dist/types.
import fs from 'node:fs'
import path from 'node:path'
import { compilePacked } from '../bin/compiled.mjs'
import { compileTypes, keepReached } from './declarations.mjs'

const root = path.join(import.meta.dirname, '..')
const { exports } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'))
const types = path.join(root, 'dist/types')

/** `./dist/types/impl/once.d.ts`: the declarations of `src/impl/once.ts`. */
const declared = Object.values(exports).flatMap((entry) =>
  entry.types ? [path.relative('dist/types', entry.types)] : [],
)

await compilePacked(root)
fs.rmSync(types, { recursive: true, force: true })
compileTypes(
  declared.map((file) => path.join('src', file.replace(/\.d\.ts$/, '.ts'))),
  types,
  { emitDeclarationOnly: true, declarationMap: true },
)
keepReached(types, declared)
