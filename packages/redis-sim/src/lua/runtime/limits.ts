/** Where this Lua ends and Redis's goes on: the script's answer is no longer Redis's, and its host must know. */
let tell: (limit: string) => void = () => {}

export function tellLimits(to: (limit: string) => void): void {
  tell = to
}

export const tooDeep = 'a script that recurses deeper than JavaScript allows'
export const tooLong = 'a string of Lua longer than 512 MB'

export function beyond(limit: string): void {
  tell(limit)
}

/** JavaScript's stack and its longest string end with the same class of error. */
export function beyondJavaScript(error: RangeError): void {
  tell(error.message.includes('call stack') ? tooDeep : tooLong)
}
