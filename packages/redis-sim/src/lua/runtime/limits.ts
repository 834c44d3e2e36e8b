/**
 * Reports to the host that a script hit a limit that Redis's Lua does not have. The script's result
 * may then differ from Redis.
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

/** JavaScript throws the same error class for stack overflows and for strings that are too long. */
export function beyondJavaScript(error: RangeError): void {
  report(error.message.includes('call stack') ? tooDeep : tooLong)
}
