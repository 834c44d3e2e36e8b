/** Shortens the JSON of a payload or a result for a sentence. */
export function shortened(json: string): string {
  return json.length > longest ? `${json.slice(0, longest - 1)}…` : json
}

const longest = 300
