const markLength = 40

/** Receives a data set in pieces, up to its end mark. */
export class Transfer {
  private mark: string | null = null
  private received = ''

  /**
   * Adds received bytes. Returns undefined while the data set is incomplete; then the data set and
   * the bytes after it; `broken` if the primary does not send a data set.
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

  /** Number of bytes received. */
  get bytes(): number {
    return this.mark === null ? 0 : this.received.length
  }

  /** Reads the line `$EOF:<mark>`. Empty lines before that line are keep-alives. */
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
