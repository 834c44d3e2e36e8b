/**
 * How texts call scripts without a name, by their labels: `the script at pay.ts:34` stands for
 * `EVALSHA 1f2e3d4c`.
 */
export type ScriptNames = Readonly<Record<string, string>>

/** A text in which those scripts have their names. */
export const withScriptNames = (text: string, names: ScriptNames = {}): string =>
  Object.entries(names).reduce((named, [label, name]) => named.replaceAll(label, name), text)
