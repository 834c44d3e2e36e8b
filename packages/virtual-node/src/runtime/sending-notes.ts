/**
 * Clients queue commands and write them later, in a turn without their caller in the stack. So that
 * a recorded run can show the line that a command came from, known clients report each command
 * twice: when it is made, with the caller in the stack, and when its bytes are made, just before
 * they are written. Without a listener, each report costs one read of a variable.
 */

/** Called by clients. A command is an object of the client, the same one in both calls. */
export interface SendingNotes {
  made(command: object): void
  /** Called in the turn in which the command's bytes are written, and in the order of the bytes. */
  written(command: object): void
  /**
   * A process connects to itself, like a client next to its server. The returned function runs the
   * server's code; null changes nothing.
   */
  connects(): (<T>(accept: () => T) => T) | null
}

/** The first line of each client's function, by its file. */
const clients: readonly { readonly file: RegExp; readonly begins: RegExp; readonly reported: string }[] = [
  {
    file: /\/io(?:redis|valkey)\/built\/[Cc]ommand\.js$/,
    begins: /^ +constructor\(name, args\b.*\{$/m,
    reported: 'made?.(this)',
  },
  {
    file: /\/io(?:redis|valkey)\/built\/[Cc]ommand\.js$/,
    begins: /^ +toWritable\(\w*\) \{$/m,
    reported: 'written?.(this)',
  },
  {
    file: /\/@redis\/client\/dist\/.*\/commands-queue\.js$/,
    begins: /^ +addCommand\(args\b.*\{$/m,
    reported: 'made?.(args)',
  },
  {
    file: /\/@redis\/client\/dist\/.*\/encoder\.js$/,
    begins: /^function encodeCommand\(args\) \{$/m,
    reported: 'written?.(args)',
  },
]

const name = 'onceproof.sending'

/** The variable in clients' sources, and its value in them. */
export const sendingVariable = { onceproof_sending: `globalThis[Symbol.for("${name}")]` }

/**
 * The source of a client with calls of the listener, and without additional lines; null for other
 * sources.
 */
export function withSendingNotes(file: string, source: string): string | null {
  const posix = file.replaceAll('\\', '/')
  const own = posix.includes('/node_modules/') ? clients.filter((client) => client.file.test(posix)) : []
  if (own.length === 0) return null
  return own.reduce((text, { begins, reported }) => text.replace(begins, `$& onceproof_sending?.${reported};`), source)
}

const sending: { made: SendingNotes['made'] | null; written: SendingNotes['written'] | null } = {
  made: null,
  written: null,
}
let listener: SendingNotes | null = null

/** Sets the listener; null ends listening. */
export function listenToSending(notes: SendingNotes | null): void {
  listener = notes
  sending.made = notes === null ? null : (command) => notes.made(command)
  sending.written = notes === null ? null : (command) => notes.written(command)
}

/** See `SendingNotes.connects`. */
export function noteConnect(): ReturnType<SendingNotes['connects']> {
  return listener?.connects() ?? null
}

export function installSendingNotes(): void {
  Object.defineProperty(globalThis, Symbol.for(name), { value: sending })
}
