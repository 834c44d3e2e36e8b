import { VerbatimReply } from './resp/reply.ts'

export type InfoLine = readonly [field: string, value: string | number]

export interface InfoSection {
  readonly title: string
  readonly lines: readonly InfoLine[]
}

/**
 * An INFO reply, as a snapshot of its fields. The text is built when it is first read. Sentinels
 * query every server often, and only read the fields.
 */
export class InfoReply extends VerbatimReply {
  #text: string | null

  constructor(
    readonly sections: readonly InfoSection[],
    text: string | null = null,
  ) {
    super('txt', '')
    this.#text = text
  }

  /** Parses the text that a server sent. */
  static ofText(text: string): InfoReply {
    return new InfoReply([{ title: '', lines: linesOf(text) }], text)
  }

  override get text(): string {
    return (this.#text ??= textOf(this.sections))
  }
}

function textOf(sections: readonly InfoSection[]): string {
  let text = ''
  for (const { title, lines } of sections) {
    text += `${text === '' ? '' : '\r\n'}# ${title}\r\n`
    for (const [field, value] of lines) text += `${field}:${value}\r\n`
  }
  return text
}

function linesOf(text: string): InfoLine[] {
  return text.split('\r\n').flatMap((line) => {
    const colon = line.indexOf(':')
    return colon === -1 ? [] : [[line.slice(0, colon), line.slice(colon + 1)] as const]
  })
}
