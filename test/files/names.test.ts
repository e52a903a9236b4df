import { expect, test } from 'vitest'
import { plainName } from '../../shared/runtime/files/names.ts'
import { workOf } from '../support/work.ts'

test('a name from a provider is shortened to what ends it, at whole characters', () => {
  expect(plainName(`${'a'.repeat(300)}.pdf`)).toBe(`${'a'.repeat(196)}.pdf`)
  expect(plainName(`${'é'.repeat(300)}.pdf`)).toBe(`${'é'.repeat(98)}.pdf`)
  expect(plainName(`${'漢'.repeat(300)}.pdf`)).toBe(`${'漢'.repeat(65)}.pdf`)
  expect(plainName(`${'😀'.repeat(300)}.pdf`)).toBe(`${'😀'.repeat(49)}.pdf`)
})

test('a name of any length takes little work', async () => {
  const { allMs } = await workOf(async () => plainName('é'.repeat(1_000_000)))
  expect(allMs).toBeLessThan(2_000)
})
