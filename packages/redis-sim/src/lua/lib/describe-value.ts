/** The text that `tostring` returns for a value without `__tostring`. */
import { numberToString } from '../runtime/number-format.ts'
import { addressOf, LightUserdata, type LuaValue, typeName } from '../runtime/values.ts'

export function describeValue(value: LuaValue): string {
  switch (typeof value) {
    case 'string':
      return value
    case 'number':
      return numberToString(value)
    case 'boolean':
      return String(value)
    case 'undefined':
      return 'nil'
    default:
      if (value instanceof LightUserdata) return `userdata: ${value.text}`
      return `${typeName(value)}: 0x${addressOf(value).toString(16)}`
  }
}
