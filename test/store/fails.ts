import { expect } from 'vitest'
import { isFailure } from '#kit'
import type { FailureCode } from '#kit'

/** The message of the Failure that this must end in. */
export const failsWith = async (work: Promise<unknown>, code: FailureCode): Promise<string> => {
  const thrown = await work.then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(isFailure(thrown), `expected Failure ${code}, got ${String(thrown)}`).toBe(true)
  expect((thrown as { code: string }).code).toBe(code)
  return (thrown as Error).message
}
