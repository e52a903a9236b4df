import { expect, it } from 'vitest'
import { createTokenCache } from '../../shared/runtime/admin/token-cache.ts'
import type { Token } from '../../shared/runtime/ports/index.ts'

const token: Token = {
  tenant: 'default',
  id: 'tok_1',
  name: 'One',
  hash: 'h1',
  last4: 'abcd',
  scopes: ['run'],
  steps: null,
  connections: null,
  createdAt: 0,
  expiresAt: null,
  revokedAt: null,
  origin: null,
}

it('a token is read once, and again after it was changed', async () => {
  let row = token
  let reads = 0
  const { byHash, forget } = createTokenCache(async () => {
    reads += 1
    return row
  })
  expect([await byHash('h1'), await byHash('h1'), reads]).toEqual([token, token, 1])
  row = { ...token, revokedAt: 1 }
  forget('default', 'tok_1')
  expect((await byHash('h1'))?.revokedAt).toBe(1)
  // One that is not in force is not kept: it may be put in force again.
  row = token
  expect((await byHash('h1'))?.revokedAt).toBe(null)
})

it('a token that was revoked while it was being read is not kept', async () => {
  const answer = Promise.withResolvers<Token | undefined>()
  const answers = [answer.promise, Promise.resolve({ ...token, revokedAt: 1 })]
  const { byHash, forget } = createTokenCache(() => answers.shift()!)
  const first = byHash('h1')
  forget('default', 'tok_1')
  answer.resolve(token)
  await first
  expect((await byHash('h1'))?.revokedAt).toBe(1)
})
