export const megabytes = (bytes: number) => bytes / 2 ** 20
