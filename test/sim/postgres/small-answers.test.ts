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
  'places that are none': {
    setup: ['CREATE TABLE placed (k text)', "INSERT INTO placed VALUES ('a'), ('b')"],
    answers: {
      'SELECT k FROM placed ORDER BY -1': '42P10 ORDER BY position -1 is not in select list',
      'SELECT k FROM placed ORDER BY 0': '42P10 ORDER BY position 0 is not in select list',
      'SELECT k FROM placed ORDER BY 2': '42P10 ORDER BY position 2 is not in select list',
      'SELECT k FROM placed GROUP BY -1': '42P10 GROUP BY position -1 is not in select list',
      "SELECT k FROM placed ORDER BY 'x'": '42601 non-integer constant in ORDER BY',
      "SELECT 'q' FROM placed ORDER BY 1": 'SELECT 2: q, q',
      "SELECT 1 UNION SELECT '2' ORDER BY 1": 'SELECT 2: 1, 2',
    },
  },
})
