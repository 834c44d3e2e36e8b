/** The text by which notices are compared: the given fields, without missing ones. */
export const noteText = (...fields: readonly (string | undefined)[]): string =>
  fields.filter((field) => field !== undefined).join(' ')
