/** Virtual microseconds as a person reads them: `12.4 ms`. */
export const msText = (us: number): string => `${(us / 1000).toFixed(1)} ms`
