import path from 'node:path'
import { siteOf } from '../config.ts'

export default siteOf(path.resolve(import.meta.dirname, '../../..'))
