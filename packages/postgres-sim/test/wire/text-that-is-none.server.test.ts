/**
 * Bytes that cannot be stored as text: zero bytes, invalid UTF-8, and halves of surrogate pairs in
 * jsonb.
 */
import { ask, query } from '../frontend-bytes.ts'
import { sameOnBothServers } from './turns.ts'

const tables = [query('DROP TABLE IF EXISTS a'), query('CREATE TABLE a (id int PRIMARY KEY, s text, j jsonb)')]

sameOnBothServers({
  'zero bytes': [
    ...tables,
    ask('SELECT $1::text', ['a\0b']),
    ask('SELECT $1::varchar', ['\0']),
    ask('SELECT $1::jsonb', ['"\\u0000"']),
    ask('SELECT $1::json', ['"\\u0000"']),
    query(`SELECT '"\\u0000"'::jsonb`),
    query(`SELECT '{"a\\u0000": 1}'::jsonb`),
    query(`SELECT '"\\\\u0000"'::jsonb`),
    query(`SELECT '"\\u0000"'::json`),
    ask('SELECT $1::bytea', ['a\0b']),
    ask('SELECT $1::int', ['1\0']),
    ask('INSERT INTO a (id, s) VALUES (9, $1)', ['x\0']),
    ask('SELECT $1::text', ['a\0b'], { formats: [1] }),
    ask('SELECT $1::jsonb', ['\x01"a\0b"'], { formats: [1] }),
    query("SELECT E'\\u0000'"),
    query("SELECT E'a\\000b'"),
    query("SELECT E'\\xff'"),
    query("SELECT U&'\\0000'"),
  ],
  'invalid UTF-8': [
    ...tables,
    ask('SELECT $1::text', ['\xff']),
    ask('SELECT $1::text', ['a\xc3']),
    ask('SELECT $1::text', ['\xc0\x80']),
    ask('SELECT $1::text', ['\xed\xa0\x80']),
    ask('SELECT $1::text', ['\xf4\x90\x80\x80']),
    ask('SELECT $1::text', ['\xe2\x82\xac']),
    ask('SELECT $1::text', ['\xff'], { formats: [1] }),
    ask('SELECT $1::jsonb', ['"\xff"']),
    ask('SELECT $1::jsonb', ['\x01"\xff"'], { formats: [1] }),
    ask('SELECT $1::bytea', ['\xff'], { formats: [1] }),
    ask('SELECT $1::text, $2::int', ['ok', '\xe2\x28\xa1']),
  ],
  'halves of surrogate pairs': [
    query(`SELECT '"\\ud800"'::jsonb`),
    query(`SELECT '"\\udc00"'::jsonb`),
    query(`SELECT '"\\ud800x"'::jsonb`),
    query(`SELECT '"\\ud800\\ud800"'::jsonb`),
    query(`SELECT '"\\ud83d\\ude00"'::jsonb`),
    query(`SELECT '"\\ud800"'::json`),
    query(`SELECT '"\\udc00"'::json`),
    ask('SELECT $1::jsonb', ['{"a": "\\udc00"}']),
    query(`SELECT '"\\ud800\\u0041"'::jsonb`),
    query(`SELECT '["\\ud800", 1]'::jsonb`),
    query(`SELECT '{"a":"\\u00"}'::jsonb`),
    query(`SELECT '"\\ud800\\n"'::jsonb`),
    query(`SELECT '"\\ud8"'::jsonb`),
  ],
})
