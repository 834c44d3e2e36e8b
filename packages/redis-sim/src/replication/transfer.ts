const markLength = 40

/** A data set that arrives in pieces, until its mark has come. */
export class Transfer {
  private mark: string | null = null
  private received = ''

  /**
   * The bytes behind the data set, once it is whole; undefined while it is not. `broken`: no data
   * set comes.
   */
  take(bytes: string): { readonly payload: string; readonly rest: string } | 'broken' | undefined {
    this.received += bytes
    if (this.mark === null) {
      const problem = this.readPreamble()
      if (problem !== null) return problem
    }
    const end = this.received.indexOf(this.mark!)
    if (end === -1) return undefined
    return { payload: this.received.slice(0, end), rest: this.received.slice(end + markLength) }
  }

  /** How much of it has come. */
  get bytes(): number {
    return this.mark === null ? 0 : this.received.length
  }

  /** `$EOF:<mark>`; empty lines before it show that the primary lives. */
  private readPreamble(): 'broken' | undefined | null {
    for (;;) {
      const end = this.received.indexOf('\n')
      if (end === -1) return undefined
      const line = this.received.slice(0, end).replace(/\r$/, '')
      this.received = this.received.slice(end + 1)
      if (line === '') continue
      if (!line.startsWith('$EOF:')) return 'broken'
      this.mark = line.slice('$EOF:'.length)
      return null
    }
  }
}
