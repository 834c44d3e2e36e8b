/**
 * Clients queue commands and write them later, in a turn that knows nothing of who asked. So that a
 * recorded run can tell whose line a command came from, known clients say two things of each one:
 * when it was made, which is in the stack of who asked, and when its bytes are made, which is just
 * before they are written. While nobody listens, each costs one look at a variable.
 */

/** Told by clients. A command is an object of the client's, the same both times. */
export interface SendingNotes {
  made(command: object): void
  /** In the turn in which its bytes are written, and in their order. */
  written(command: object): void
  /**
   * A process connects to itself, as a client beside a server does. The answer runs what the server
   * then does; null changes nothing.
   */
  connects(): (<T>(accept: () => T) => T) | null
}

/** What each client's source has at the beginning of a function, by its file. */
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

/** The variable that clients' sources have it in, and its value there. */
export const sendingVariable = { onceproof_sending: `globalThis[Symbol.for("${name}")]` }

/**
 * The source of a client with those calls in it, on the lines that are there; null for other
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

/** The listener from now on; null ends listening. */
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
