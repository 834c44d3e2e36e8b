/** A line of the user's own source. */
export interface SourcePosition {
  /**
   * From the folder of the project that the adapter belongs to (its nearest `package.json`), with
   * `/` between names.
   */
  readonly file: string
  /** From 1. */
  readonly line: number
}

/** `src/pay.ts:12`, as editors and terminals open it. */
export const positionText = ({ file, line }: SourcePosition): string => `${file}:${line}`
