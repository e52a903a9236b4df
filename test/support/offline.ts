import nock from 'nock'
import { afterAll, beforeAll } from 'vitest'

/**
 * In this test file, requests are answered by nock or fail, except to `allowed` hosts. Undone afterwards, because test
 * files share processes.
 */
export const stayOffline = (allowed?: RegExp): void => {
  beforeAll(() => {
    if (!nock.isActive()) nock.activate()
    nock.disableNetConnect()
    if (allowed) nock.enableNetConnect(allowed)
  })
  afterAll(() => {
    nock.cleanAll()
    nock.enableNetConnect()
    nock.restore()
  })
}
