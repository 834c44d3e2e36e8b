/**
 * Names in texts for scripts that have none themselves, by label: `the script at pay.ts:34`
 * replaces `EVALSHA 1f2e3d4c`.
 */
export type ScriptNames = Readonly<Record<string, string>>

/** Replaces the labels of those scripts by their names. */
export const withScriptNames = (text: string, names: ScriptNames = {}): string =>
  Object.entries(names).reduce((named, [label, name]) => named.replaceAll(label, name), text)
