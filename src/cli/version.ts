import fs from 'node:fs'
import path from 'node:path'
import { packageFolder } from './catalogue.ts'

/** The version that the package's own manifest gives. */
export const version: string = JSON.parse(fs.readFileSync(path.join(packageFolder, 'package.json'), 'utf8')).version
