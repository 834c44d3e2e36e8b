/**
 * Names, by label, for scripts that have no name themselves. Texts contain `the script at
 * pay.ts:34` instead of `EVALSHA 1f2e3d4c`.
 */
export type ScriptNames = Readonly<Record<string, string>>

/** Replaces the labels of scripts in `names` by their names. */
export const withScriptNames = (text: string, names: ScriptNames = {}): string =>
  Object.entries(names).reduce((named, [label, name]) => named.replaceAll(label, name), text)
