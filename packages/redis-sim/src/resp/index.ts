export { encodeReply } from './encode.ts'
export { encodeCommand } from './encode-command.ts'
export {
  BigNumberReply,
  BooleanReply,
  DoubleReply,
  ErrorReply,
  MapReply,
  NullArrayReply,
  nullArray,
  OK,
  PushReply,
  QUEUED,
  type Reply,
  SetReply,
  StatusReply,
  VerbatimReply,
} from './reply.ts'
export { RequestParser } from './request-parser.ts'
