import { describe, expect, it } from 'vitest'
import type { ApiOperation, Json } from '#kit'
import { checkCall } from '../../shared/runtime/catalogue/check-call.ts'
import { tableOf } from '../../shared/runtime/catalogue/operation-table.ts'

const policy = { methods: ['GET', 'POST'] as const, under: '/', deny: [] }
const operations: ApiOperation[] = [
  {
    method: 'POST',
    path: '/many',
    title: 'Make many',
    body: 'list',
    parameters: [{ name: 'size', in: 'body', type: 'integer' }],
  },
  {
    method: 'POST',
    path: '/one',
    title: 'Make one',
    parameters: [{ name: 'description', in: 'body', type: 'string' }],
  },
]
const errorsOf = (path: string, body: Json) =>
  checkCall(tableOf(operations), { ...policy, methods: [...policy.methods] }, { method: 'POST', path, body }).errors

describe('what a look at a call finds wrong', () => {
  it('is told of the first mistakes only, however many a large body has', () => {
    const items = Array.from({ length: 30_000 }, () => ({ size: 'large' }))
    const near = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, at) => [`descriptio${String.fromCodePoint(0x4e00 + at)}`, 'x']),
    )
    for (const errors of [errorsOf('/many', items), errorsOf('/one', near)]) {
      expect(errors.length).toBeGreaterThan(0)
      expect(errors.length).toBeLessThanOrEqual(20)
    }
  })
})
