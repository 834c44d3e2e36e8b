/** Joins the fields of a notice that are compared, without missing ones. */
export const noteText = (...fields: readonly (string | undefined)[]): string =>
  fields.filter((field) => field !== undefined).join(' ')
