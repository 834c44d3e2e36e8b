/**
 * The cjson module. The settings of the global module are part of the server's Lua state, which
 * persists between scripts.
 */

import { execution } from '../execution.ts'
import { raiseArgument } from '../runtime/errors.ts'
import type { LuaTable } from '../runtime/table.ts'
import type { LuaValue } from '../runtime/values.ts'
import { type Args, checkInt, checkOption, checkString, library, several, single } from './arguments.ts'
import { type CjsonConfig, newConfig } from './cjson-config.ts'
import { decode } from './cjson-decode.ts'
import { encode } from './cjson-encode.ts'
import { jsonNull } from './cjson-null.ts'

const maxInt = 2 ** 31 - 1

function checkCount(args: Args, most: number): void {
  if (args.length > most) raiseArgument(most + 1, 'found too many arguments')
}

function checkOne(args: Args): void {
  if (args.length !== 1) raiseArgument(1, 'expected 1 argument')
}

function integerOption(args: Args, position: number, old: number, min: number, max: number): number {
  if (args[position - 1] === undefined) return old
  const value = checkInt(args, position)
  if (value < min || value > max) raiseArgument(1, `expected integer between ${min} and ${max}`)
  return value
}

function switchOption(args: Args, position: number, old: boolean): boolean {
  const value = args[position - 1]
  if (value === undefined) return old
  return typeof value === 'boolean' ? value : checkOption(args, position, '', ['off', 'on']) === 'on'
}

type Settings = () => CjsonConfig

function integerSetting(settings: Settings, name: 'encodeMaxDepth' | 'decodeMaxDepth' | 'precision', max: number) {
  return single((...args: LuaValue[]) => {
    checkCount(args, 1)
    const config = settings()
    config[name] = integerOption(args, 1, config[name], 1, max)
    return config[name]
  })
}

function switchSetting(settings: Settings, name: 'keepBuffer' | 'decodeInvalidNumbers') {
  return single((...args: LuaValue[]) => {
    checkCount(args, 1)
    const config = settings()
    config[name] = switchOption(args, 1, config[name])
    return config[name]
  })
}

function encodeInvalidNumbers(config: CjsonConfig, args: Args): LuaValue {
  const options = ['off', 'on', 'null']
  checkCount(args, 1)
  const value = args[0]
  if (typeof value === 'boolean') config.encodeInvalidNumbers = value ? 1 : 0
  else if (value !== undefined) {
    config.encodeInvalidNumbers = options.indexOf(checkOption(args, 1, '', options)) as 0 | 1 | 2
  }
  return config.encodeInvalidNumbers === 2 ? 'null' : config.encodeInvalidNumbers === 1
}

function sparseArray(config: CjsonConfig, args: Args): LuaValue[] {
  checkCount(args, 3)
  config.sparseConvert = switchOption(args, 1, config.sparseConvert)
  config.sparseRatio = integerOption(args, 2, config.sparseRatio, 0, maxInt)
  config.sparseSafe = integerOption(args, 3, config.sparseSafe, 0, maxInt)
  return [config.sparseConvert, config.sparseRatio, config.sparseSafe]
}

function cjsonModule(settings: Settings): LuaTable {
  return library({
    encode: single((...args) => {
      checkOne(args)
      return encode(args[0], settings(), 0)
    }),
    decode: single((...args) => {
      checkOne(args)
      return decode(checkString(args, 1), settings())
    }),
    encode_sparse_array: several((...args) => sparseArray(settings(), args)),
    encode_max_depth: integerSetting(settings, 'encodeMaxDepth', maxInt),
    decode_max_depth: integerSetting(settings, 'decodeMaxDepth', maxInt),
    encode_number_precision: integerSetting(settings, 'precision', 14),
    encode_keep_buffer: switchSetting(settings, 'keepBuffer'),
    encode_invalid_numbers: single((...args) => encodeInvalidNumbers(settings(), args)),
    decode_invalid_numbers: switchSetting(settings, 'decodeInvalidNumbers'),
    new: single(() => {
      const own = newConfig()
      return cjsonModule(() => own)
    }),
    null: jsonNull,
    _NAME: 'cjson',
    _VERSION: '2.1.0',
  })
}

export const cjsonLibrary = cjsonModule(() => execution.memory.cjson)
