import nock from 'nock'
import { afterAll, beforeAll } from 'vitest'

/**
 * For this test file, requests are answered by nock or fail; `allowed` hosts are reached. Test files share processes,
 * so it is undone afterwards.
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
