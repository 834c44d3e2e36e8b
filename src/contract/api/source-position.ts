/** A line of the user's own source. */
export interface SourcePosition {
  /**
   * The path relative to the project folder of the adapter (its nearest `package.json`), with `/`
   * as separator.
   */
  readonly file: string
  /** Counted from 1. */
  readonly line: number
}

/** `src/pay.ts:12`, a form that editors and terminals can open. */
export const positionText = ({ file, line }: SourcePosition): string => `${file}:${line}`
