import { randomBytes } from 'node:crypto'
import type { Store } from '../runtime/ports.ts'
import { appsInMemory, connectionsInMemory, tenantsInMemory, tokensInMemory } from './memory/accounts.ts'
import { intentsInMemory, runsInMemory } from './memory/runs.ts'

/** The store of library use: plain Maps, nothing survives the process. Rows are shared, so neither side changes one in place. */
export const createMemoryStore = (_options: { now(): number }): Store => {
  const instance = randomBytes(12).toString('hex')
  return {
    instance: async () => instance,
    tenants: tenantsInMemory(),
    tokens: tokensInMemory(),
    apps: appsInMemory(),
    connections: connectionsInMemory(),
    runs: runsInMemory(),
    intents: intentsInMemory(),
    flush: async () => {},
    check: async () => {},
    close: async () => {},
  }
}
