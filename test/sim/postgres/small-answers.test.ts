import { sameAnswers } from './same-answers.ts'

sameAnswers({
  'errors and values at the edge': {
    answers: {
      'DROP INDEX nope': '42704 index "nope" does not exist',
      'DROP TABLE nope': '42P01 table "nope" does not exist',
      'SELECT round(2.5::float8), round(3.5::float8), round(-2.5::float8), round(-0.5::float8), round(2.4::float8)':
        'SELECT 1: 2|4|-2|-0|2',
      "SELECT '1e400'::float8": '22003 "1e400" is out of range for type double precision',
      "SELECT '\\x01'::bytea || '\\x02'": 'SELECT 1: \\x0102',
    },
  },
})
