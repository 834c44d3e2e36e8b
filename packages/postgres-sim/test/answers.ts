/**
 * Statements with the answers that both the simulated PostgreSQL and a real PostgreSQL 15 must
 * give.
 */
export interface Asked {
  /** Statements to execute first. Their answers are not compared. */
  readonly setup?: readonly string[]
  /** The answer to each statement, such as `SELECT 1: a|b` or `22003 value out of range`. */
  readonly answers: Readonly<Record<string, string>>
}

const noOperator = (operands: string) => `42883 operator does not exist: ${operands}`
const taken = (column: string) => `23505 duplicate key value violates unique constraint "a_${column}_key"`

export const topics: Readonly<Record<string, Asked>> = {
  'names that exist nowhere': {
    answers: {
      'SELECT nosuch(1)': '42883 function nosuch(integer) does not exist',
      'SELECT array_nosuch(1)': '42883 function array_nosuch(integer) does not exist',
      'SELECT public.now()': '42883 function public.now() does not exist',
      "SELECT 'a'::nosuch": '42704 type "nosuch" does not exist',
      'SHOW nosuch': '42704 unrecognized configuration parameter "nosuch"',
      'SET nosuch = 1': '42704 unrecognized configuration parameter "nosuch"',
      "SELECT substring('foobar' from 2 for 3)": 'SELECT 1: oob',
    },
  },
  'operators that do not exist': {
    answers: {
      "SELECT '1'::json = '1'": noOperator('json = unknown'),
      "SELECT ARRAY[1] @> ARRAY['a']": noOperator('integer[] @> text[]'),
      "SELECT 'a'::text @> 'b'::text": noOperator('text @> text'),
      'SELECT true + 1': noOperator('boolean + integer'),
      'SELECT now() * 2': noOperator('timestamp with time zone * integer'),
      "SELECT - 'a'::text": noOperator('- text'),
      "SELECT date '2024-01-01' + 1::bigint": noOperator('date + bigint'),
      "SELECT 1 & 'a'::text": noOperator('integer & text'),
      "SELECT '2024-01-01'::timestamptz + '2024-01-01'::timestamptz": noOperator(
        'timestamp with time zone + timestamp with time zone',
      ),
    },
  },
  'unique keys': {
    setup: [
      'CREATE TABLE a (j jsonb UNIQUE, f float8 UNIQUE, n numeric UNIQUE, i interval UNIQUE, z timestamptz UNIQUE, c char(4) UNIQUE, g float8[] UNIQUE)',
      `INSERT INTO a VALUES ('{"a": 1, "b": [2.50, {"c": 0}]}', 0, 1.0, '24:00:00', '2024-01-01 10:00+00', 'a', '{0,NaN}')`,
      "INSERT INTO a (j, f, i) VALUES ('1', 'NaN', '1 mon')",
    ],
    answers: {
      [`INSERT INTO a (j) VALUES ('{"b": [2.5, {"c": 0.00}], "a": 1.00}')`]: taken('j'),
      [`INSERT INTO a (j) VALUES ('{"b": [2.5, {"c": "0.00"}], "a": 1.00}')`]: 'INSERT 0 1',
      "INSERT INTO a (j) VALUES ('1.0')": taken('j'),
      "INSERT INTO a (f) VALUES ('-0')": taken('f'),
      "INSERT INTO a (f) VALUES ('NaN')": taken('f'),
      'INSERT INTO a (n) VALUES (1.00)': taken('n'),
      "INSERT INTO a (i) VALUES ('1 day')": taken('i'),
      "INSERT INTO a (i) VALUES ('30 days') ON CONFLICT (i) DO NOTHING": 'INSERT 0 0',
      "INSERT INTO a (z) VALUES ('2024-01-01 12:00+02')": taken('z'),
      "INSERT INTO a (c) VALUES ('a  ')": taken('c'),
      "INSERT INTO a (g) VALUES ('{-0,NaN}')": taken('g'),
      "SELECT i FROM a WHERE i = '1 day'": 'SELECT 1: 24:00:00',
      "SELECT j FROM a WHERE j = '1.00'": 'SELECT 1: 1',
    },
  },
  'groups and distinct rows': {
    answers: {
      "SELECT count(DISTINCT j) FROM (VALUES ('1'::jsonb), ('1.0'), ('2')) AS v(j)": 'SELECT 1: 2',
      "SELECT count(DISTINCT i) FROM (VALUES (interval '24:00'), ('1 day'), ('30 days'), ('1 mon')) AS v(i)":
        'SELECT 1: 2',
      "SELECT DISTINCT j FROM (VALUES ('1'::jsonb), ('1.0'), ('2')) AS v(j) ORDER BY j": 'SELECT 2: 1, 2',
      "SELECT f, count(*) FROM (VALUES ('-0'::float8), ('0')) AS v(f) GROUP BY f": 'SELECT 1: -0|2',
      "SELECT i, count(*) FROM (VALUES (interval '24:00'), ('1 day')) AS v(i) GROUP BY i": 'SELECT 1: 24:00:00|2',
      'SELECT DISTINCT n FROM (VALUES (1.0), (1.00)) AS v(n)': 'SELECT 1: 1.0',
      "SELECT '1'::jsonb UNION SELECT '1.0'::jsonb": 'SELECT 1: 1',
      'SELECT 1.0 INTERSECT SELECT 1.00': 'SELECT 1: 1.0',
      "SELECT interval '24:00' EXCEPT SELECT interval '1 day'": 'SELECT 0',
      'SELECT min(n), max(n) FROM (VALUES (1.0), (1.00)) AS v(n)': 'SELECT 1: 1.00|1.00',
      "SELECT interval '3000000 years 1 us' = interval '3000000 years', interval '3000000 years 1 us' > interval '3000000 years'":
        'SELECT 1: f|t',
    },
  },
  'values at a limit, and errors beyond it': {
    answers: {
      'DROP INDEX nope': '42704 index "nope" does not exist',
      'DROP TABLE nope': '42P01 table "nope" does not exist',
      'SELECT round(2.5::float8), round(3.5::float8), round(-2.5::float8), round(-0.5::float8), round(2.4::float8)':
        'SELECT 1: 2|4|-2|-0|2',
      "SELECT '1e400'::float8": '22003 "1e400" is out of range for type double precision',
      "SELECT '\\x01'::bytea || '\\x02'": 'SELECT 1: \\x0102',
    },
  },
  'positions out of range': {
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
  'keys of advisory locks': {
    answers: {
      "SELECT ('x' || md5('order-1'))::bit(64)::bigint": 'SELECT 1: 7962229630616640349',
      "SELECT ('x' || md5('order-1'))::bit(32)::int": 'SELECT 1: 1853851049',
      "SELECT ('x' || md5('order-1'))::bit(32)::bigint": 'SELECT 1: 1853851049',
      "SELECT ('x' || md5('order-1'))::bit(96)::bigint": '22003 bigint out of range',
      "SELECT ('x' || md5('order-1'))::bit(33)::int": '22003 integer out of range',
      "SELECT ('x' || substr(md5('order-1'), 1, 16))::bit(64)::bigint": 'SELECT 1: 7962229630616640349',
      "SELECT ('x' || encode(sha224(('app' || '.pgboss.pgboss')::bytea), 'hex'))::bit(64)::bigint":
        'SELECT 1: -9218828629118414586',
      "SELECT sha224('abc'::bytea), sha256(''::bytea), sha256(repeat('a', 119)::bytea), sha224(repeat('a', 64)::bytea)":
        'SELECT 1: \\x23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7|\\xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855|\\x31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb|\\xa88cd5cde6d6fe9136a4e58b49167461ea95d388ca2bdb7afdc3cbf4',
      'SELECT hashint4(1), hashint4(-7), hashint8(1), hashint8(-7), hashint8(4294967297), hashint8(-4294967297), hashint8(9223372036854775807)':
        'SELECT 1: -1905060026|-82204417|-1905060026|-82204417|-272711505|-1242090879|-1524351049',
      "SELECT hashtext('order-1'), hashtext('')::bigint, hashtextextended('order-1', 0), hashtextextended('order-1', 42), hashtextextended('a long key with several words', -1)":
        'SELECT 1: -1797687605|-1477818771|4600028448891172555|8404555222065287134|-7407300257114078635',
      "SELECT ('x' || lpad(to_hex(hashtext('k')), 8, '0'))::bit(32)::int, ('x' || translate('00000000-0000-0000-0000-00000000000a', '-', ''))::bit(64)::bigint":
        'SELECT 1: -153401555|0',
      "SELECT pg_try_advisory_lock(('x' || md5('a'))::bit(64)::bigint), pg_try_advisory_lock(-9223372036854775808), pg_advisory_unlock(-9223372036854775808)":
        'SELECT 1: t|t|t',
      "SELECT 'x' || md5('a') || B'1'": 'SELECT 1: x0cc175b9c0f1b6a831c399e2697726611',
    },
  },
  'bit strings': {
    answers: {
      "SELECT B'101', X'1F', B'', X'', b'1'::text, B'101'::varbit": 'SELECT 1: 101|00011111|||1|101',
      "SELECT '101'::bit(5), '10101'::bit(3), '10101'::bit varying(3), 'x5'::bit(4), '1'::bit":
        'SELECT 1: 10100|101|101|0101|1',
      "SELECT '12'::bit(2)": '22P02 "2" is not a valid binary digit',
      "SELECT 'xg'::bit(4)": '22P02 "g" is not a valid hexadecimal digit',
      'SELECT 5::bit(3), 5::bit(2), 5::bit(40), (-1)::bit(40), (-5)::bit(8), 5::bit, 5::bigint::bit(70), (-2)::bigint::bit(70)':
        'SELECT 1: 101|01|0000000000000000000000000000000000000101|1111111111111111111111111111111111111111|11111011|1|0000000000000000000000000000000000000000000000000000000000000000000101|1111111111111111111111111111111111111111111111111111111111111111111110',
      'SELECT 5::smallint::bit(3)': '42846 cannot cast type smallint to bit',
      'SELECT 5::varbit': '42846 cannot cast type integer to bit varying',
      "SELECT B'101'::smallint": '42846 cannot cast type bit to smallint',
      "SELECT B'101'::int, B'11111111111111111111111111111111'::int, B'1'::bigint, B''::int": 'SELECT 1: 5|-1|1|0',
      "SELECT B'101' = B'0101', B'1' < B'10', B'01' < B'011', B'1'::varbit = B'1', B'1' = '1', '10'::bit(2) <> '11'":
        'SELECT 1: f|t|t|t|t|t',
      "SELECT B'110' & B'011', B'110' | B'011', B'110' # B'011', ~B'110', B'110' << 1, B'110' >> 1, B'110' << 5, B'110' << -1":
        'SELECT 1: 010|111|101|001|100|011|000|011',
      "SELECT B'110' & B'01'": '22026 cannot AND bit strings of different sizes',
      "SELECT B'110' || B'01', 'a' || B'01'::text": 'SELECT 1: 11001|a01',
      "SELECT 'a'::text || B'01'": 'SELECT 1: a01',
      "SELECT '1' || B'01'": 'SELECT 1: 101',
      "SELECT 'a' || B'01'": '22P02 "a" is not a valid binary digit',
      "SELECT length(B'101'), octet_length(B'101010101'), substring(B'10110' FROM 2 for 3), substring(B'10110' FROM 4), length(B'101'::varbit)":
        'SELECT 1: 3|2|011|10|3',
      "SELECT get_byte('\\x0aff'::bytea, 2)": '2202E index 2 out of valid range, 0..1',
      "SELECT '1'::bit(0)": '22023 length for type bit must be at least 1',
      'CREATE TABLE b (k bit(3) PRIMARY KEY, v bit varying(4))': 'CREATE TABLE',
      "INSERT INTO b VALUES ('101', '1')": 'INSERT 0 1',
      "INSERT INTO b VALUES (B'1010', '1')": '22026 bit string length 4 does not match type bit(3)',
      "INSERT INTO b VALUES (B'10', '1')": '22026 bit string length 2 does not match type bit(3)',
      "INSERT INTO b VALUES ('111', '11111')": '22001 bit string too long for type bit varying(4)',
      "INSERT INTO b VALUES (B'110', B'1111') RETURNING *": 'INSERT 0 1: 110|1111',
      "INSERT INTO b VALUES (5, '1')": '42804 column "k" is of type bit but expression is of type integer',
      "INSERT INTO b VALUES (5::bit(3), '1')": '23505 duplicate key value violates unique constraint "b_pkey"',
      'SELECT * FROM b ORDER BY k desc': 'SELECT 2: 110|1111, 101|1',
      'SELECT count(*), v FROM b GROUP BY v ORDER BY v': 'SELECT 2: 1|1, 1|1111',
      "UPDATE b SET v = v || B'1' RETURNING v": '22001 bit string too long for type bit varying(4)',
      "SELECT case when true then B'1' else B'10'::varbit end, coalesce(null, B'1')": 'SELECT 1: 1|1',
      'SELECT max(k) FROM b': '42883 function max(bit) does not exist',
      "SELECT B'1' + 1": '42883 operator does not exist: bit + integer',
      "SELECT '101'::bit(3)::varchar, cast(B'10' as text), B'10'::jsonb": '42846 cannot cast type bit to jsonb',
      "SELECT min(B'1')": '42883 function min(bit) does not exist',
    },
  },
  'bits of integers': {
    answers: {
      'SELECT 5 & 3, 5 | 2, 5 # 1, ~5, 1 << 4, 256 >> 4, -1 >> 1, 1 << 33, 1::bigint << 33, 1::bigint << 65, 1::smallint << 15, -8::bigint >> 1':
        'SELECT 1: 1|7|4|-6|16|16|-1|2|8589934592|2|-32768|-4',
      'SELECT 1::bigint << 2::bigint': '42883 operator does not exist: bigint << bigint',
      "SELECT 5::smallint & 3, 5::bigint & 3, 5 & '3', '5' | 2, ~5::bigint, ~5::smallint": 'SELECT 1: 1|1|1|7|-6|-6',
      'SELECT 1 & 1.5': '42883 operator does not exist: integer & numeric',
      "SELECT to_hex(255), to_hex(-1), to_hex(255::bigint), to_hex((-1)::bigint), get_byte('\\x0aff'::bytea, 1), ascii('a'), ascii(''), ascii('é'), translate('abcd', 'bd', 'x')":
        'SELECT 1: ff|ffffffff|ff|ffffffffffffffff|255|97|0|233|axc',
      'SELECT -2147483649, 2147483648, -9223372036854775808, 9223372036854775807, -9223372036854775809':
        'SELECT 1: -2147483649|2147483648|-9223372036854775808|9223372036854775807|-9223372036854775809',
    },
  },
}
