import { expect, test } from 'vitest'
import { fail } from '#kit'
import { isConnectionFailure, isContention } from '../../shared/store/postgres/connection.ts'

const withCode = (code: string | undefined) =>
  fail('unavailable', 'The database cannot be used.', { cause: Object.assign(new Error('broken'), { code }) })

test('a socket that broke is a lost connection, whatever its code looks like: nothing is written a second time', () => {
  for (const code of ['EPIPE', 'ECONNRESET', 'ETIMEDOUT', undefined, '57P01', '57P02', '08006'])
    expect([code, isConnectionFailure(withCode(code))]).toEqual([code, true])
  for (const code of ['23505', '53100', '25006', '40001', 'XX000', 'F0000', 'TY001'])
    expect([code, isConnectionFailure(withCode(code))]).toEqual([code, false])
  expect(['40001', '40P01', 'EPIPE'].map((code) => isContention(withCode(code)))).toEqual([true, true, false])
})
