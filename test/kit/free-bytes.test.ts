import { expect, it } from 'vitest'
import { freeBytes } from '../../shared/kit/free-bytes.ts'

it('gives back a buffer that the bytes fill, and leaves one that others may hold', () => {
  const whole = new Uint8Array(1000)
  freeBytes(whole)
  expect(whole.byteLength).toBe(0)
  const part = new Uint8Array(new ArrayBuffer(1000), 0, 999)
  part[0] = 7
  freeBytes(part)
  expect(part[0]).toBe(7)
  expect(part.byteLength).toBe(999)
})
