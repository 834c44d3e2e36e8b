/** `cjson.null`: a null pointer. */
import { LightUserdata } from '../runtime/values.ts'

export const jsonNull = new LightUserdata('(nil)')
