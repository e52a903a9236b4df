import { expect, it } from 'vitest'
import { newRunId } from '../../shared/runtime/steps/run-id.ts'

it('ids of runs sort by when they were made, also within one millisecond', () => {
  const ids = Array.from({ length: 4000 }, newRunId)
  expect([...ids].sort()).toEqual(ids)
  const many = Array.from({ length: 50_000 }, newRunId)
  expect(new Set([...ids, ...many]).size).toBe(54_000)
  for (const id of ids.slice(0, 100))
    expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
})
