/**
 * Where this Lua ends and Redis's goes on: the script's answer is no longer Redis's, and its host
 * must know.
 */
let report: (limit: string) => void = () => {}

export function reportLimits(to: (limit: string) => void): void {
  report = to
}

export const tooDeep = 'a script that recurses deeper than JavaScript allows'
export const tooLong = 'a string of Lua longer than 512 MB'

export function beyond(limit: string): void {
  report(limit)
}

/** JavaScript's stack and its longest string end with the same class of error. */
export function beyondJavaScript(error: RangeError): void {
  report(error.message.includes('call stack') ? tooDeep : tooLong)
}
