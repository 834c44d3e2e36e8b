/**
 * Hand-written scripts for the comparison with real Redis. Apart from keys, a script leaves no
 * state for later scripts.
 */
import { conversionScripts } from './scripts/conversions.ts'
import { errorScripts } from './scripts/errors.ts'
import { jsonAndPackingScripts } from './scripts/json-and-packing.ts'
import { languageScripts } from './scripts/language.ts'
import { recursionScripts } from './scripts/recursion.ts'
import { stringScripts } from './scripts/strings.ts'
import { tableAndMathScripts } from './scripts/tables-and-math.ts'
import type { FidelityScript } from './scripts/topic.ts'

export type { FidelityScript }

export const handWrittenScripts: readonly FidelityScript[] = [
  ...languageScripts,
  ...errorScripts,
  ...recursionScripts,
  ...stringScripts,
  ...tableAndMathScripts,
  ...conversionScripts,
  ...jsonAndPackingScripts,
]
