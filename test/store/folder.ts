import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A folder that is gone after the test. */
export const testFolder = async (): Promise<string> => {
  const folder = await makeFolder()
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

export const makeFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'toolyard-store-'))
