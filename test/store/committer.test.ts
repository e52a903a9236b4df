import { expect, test } from 'vitest'
import type { Statement } from '../../shared/store/commit.ts'
import { createPostgresCommitter } from '../../shared/store/postgres/committer.ts'
import type { Connections } from '../../shared/store/postgres/connection.ts'
import type { Query } from '../../shared/store/postgres/text.ts'

/** A database that answers each query with its first value; a query with the value `refused` fails its transaction. */
const openCommitter = () => {
  const transactions: string[][] = []
  const transact = async (queries: Query[]) => {
    const texts = queries.filter(({ text }) => /^(insert|select check)/.test(text))
    transactions.push(texts.map(({ text, values }) => `${text.split(' ')[0]} ${values.join(' ')}`))
    if (texts.some(({ values }) => values.includes('refused'))) throw new Error('refused')
    return queries.map(({ values }) => ({ rows: [{ value: values[0] ?? null }], changes: 1 }))
  }
  const connections = { use: async (work: (connection: object) => unknown) => work({ transact }) }
  const { db } = createPostgresCommitter({ connections: connections as unknown as Connections, log: () => {} })
  const insert = (value: string): Statement => ({
    sql: 'insert into rows (value, tenant) values (?, ?)',
    params: [value, 't'],
  })
  const check = (value: string): Statement => ({
    sql: 'select check_value(?) from checks where tenant = ?',
    params: [value, 't'],
    isCheck: true,
  })
  const write = async (...statements: Statement[]) => (await db.write(statements)).map(({ rows }) => rows[0]!['value'])
  return { write, insert, check, transactions }
}

test('the same check is made once in a transaction, and everybody who asked gets its answer', async () => {
  const { write, insert, check, transactions } = openCommitter()
  const done = await Promise.all([
    write(insert('a'), check('con')),
    write(insert('b'), insert('c'), check('con')),
    write(insert('d'), check('another')),
    write(insert('e'), check('con')),
    write(insert('e')),
    write(insert('e')),
  ])
  expect(transactions).toEqual([
    ['insert a t', 'select con t', 'insert b t', 'insert c t', 'insert d t', 'select another t', 'insert e t'].concat([
      'insert e t',
      'insert e t',
    ]),
  ])
  expect(done).toEqual([['a', 'con'], ['b', 'c', 'con'], ['d', 'another'], ['e', 'con'], ['e'], ['e']])
  expect(await write(insert('f'), check('con'))).toEqual(['f', 'con'])
  expect(transactions[1]).toEqual(['insert f t', 'select con t'])
})

test('after a failure each is checked for itself', async () => {
  const { write, insert, check, transactions } = openCommitter()
  const done = await Promise.allSettled([
    write(insert('a'), check('con')),
    write(insert('b'), check('refused')),
    write(insert('c'), check('con')),
  ])
  expect(done.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(transactions.slice(1)).toEqual([
    ['insert a t', 'select con t'],
    ['insert b t', 'select refused t'],
    ['insert c t', 'select con t'],
  ])
})
