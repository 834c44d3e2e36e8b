export { commandName, compareReplies, type Outcome } from './compare.ts'
export { quote } from './quote.ts'
