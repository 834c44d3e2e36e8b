import { ErrorReply } from './resp/reply.ts'

/** Error texts of Redis 7.0 that several commands share. */
export const wrongType = new ErrorReply('WRONGTYPE Operation against a key holding the wrong kind of value')
export const syntaxError = new ErrorReply('ERR syntax error')
export const notInteger = new ErrorReply('ERR value is not an integer or out of range')
export const notFloat = new ErrorReply('ERR value is not a valid float')
export const outOfRange = new ErrorReply('ERR value is out of range')
export const mustBePositive = new ErrorReply('ERR value is out of range, must be positive')
export const wouldOverflow = new ErrorReply('ERR increment or decrement would overflow')
export const wouldBeNaN = new ErrorReply('ERR increment would produce NaN or Infinity')
export const noSuchKey = new ErrorReply('ERR no such key')
export const sameObject = new ErrorReply('ERR source and destination objects are the same')
export const databaseOutOfRange = new ErrorReply('ERR DB index is out of range')
export const tooLong = new ErrorReply('ERR string exceeds maximum allowed size (proto-max-bulk-len)')
export const noScript = new ErrorReply('NOSCRIPT No matching script. Please use EVAL.')
export const noAuth = new ErrorReply('NOAUTH Authentication required.')
export const wrongPassword = new ErrorReply('WRONGPASS invalid username-password pair or user is disabled.')
export const notInTransaction = new ErrorReply('ERR Command not allowed inside a transaction')

export function notForSubscribers(fullName: string): ErrorReply {
  return new ErrorReply(
    `ERR Can't execute '${fullName}': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context`,
  )
}

/** `fullName` is the command's name in lower case, `client|setname` for a subcommand. */
export function wrongArity(fullName: string): ErrorReply {
  return new ErrorReply(`ERR wrong number of arguments for '${fullName}' command`)
}

export function invalidExpire(commandName: string): ErrorReply {
  return new ErrorReply(`ERR invalid expire time in '${commandName}' command`)
}

/** Source: commandCheckExistence of Redis 7.0, including its cuts at 128 bytes. */
export function unknownCommand(args: readonly string[]): ErrorReply {
  let shown = ''
  for (let at = 1; at < args.length && shown.length < 128; at++) {
    shown += `'${cString(args[at]!).slice(0, 128 - shown.length)}' `
  }
  return new ErrorReply(`ERR unknown command '${cString(args[0]!).slice(0, 128)}', with args beginning with: ${shown}`)
}

export function unknownSubcommand(args: readonly string[]): ErrorReply {
  return new ErrorReply(
    `ERR unknown subcommand '${cString(args[1]!).slice(0, 128)}'. Try ${upperCase(cString(args[0]!))} HELP.`,
  )
}

/** The error for a known subcommand with a wrong number or form of arguments. */
export function subcommandSyntax(args: readonly string[]): ErrorReply {
  return new ErrorReply(
    `ERR unknown subcommand or wrong number of arguments for '${cString(args[1]!).slice(0, 128)}'. Try ${upperCase(cString(args[0]!))} HELP.`,
  )
}

/** The part that C prints with `%s`: the bytes before the first zero. */
export function cString(text: string): string {
  const end = text.indexOf('\0')
  return end === -1 ? text : text.slice(0, end)
}

/** Converts ASCII letters only, like C's `toupper` in the C locale. */
export function upperCase(text: string): string {
  return text.replace(/[a-z]+/g, (letters) => letters.toUpperCase())
}
