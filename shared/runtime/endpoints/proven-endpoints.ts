import { createHash } from 'node:crypto'
import { describeDefect } from '#kit'
import type { OpenConnection } from '../connections/open-connection.ts'
import { lastFour } from '../connections/secrets.ts'
import type { Clock, Log, Store } from '../ports/index.ts'
import type { EndpointKey, ProvenEndpoints } from '../gate/pass.ts'
import type { Pass } from '../gate/pass.ts'

const bulkEnd = '.bulk'
export const bulkKey = (name: string): EndpointKey => `${name}${bulkEnd}`
export const endpointIn = (key: EndpointKey): string => (key.endsWith(bulkEnd) ? key.slice(0, -bulkEnd.length) : key)

/**
 * The settings that determine where a request goes and what it contains. Prices are left out: they may change without
 * casting doubt on the address.
 */
const requestParts = ({ loaded: { loaded }, opened: { account, renewal } }: Pass, key: EndpointKey) => {
  const { wire } = loaded
  const name = endpointIn(key)
  const { method, path, baseUrl, place, fields, envelope, constants, record, bulk } = wire.endpoints![name]!
  const form = key === name ? [method, path, place, fields, envelope, constants, record] : [fields, constants, bulk]
  // A renewed token is the same credential.
  const secret = renewal ? undefined : lastFour(account.secrets)
  return [wire.profile, form, baseUrl ?? account.baseUrl ?? wire.baseUrl, wire.auth[account.type], secret]
}

const fingerprintOf = (session: Pass, key: EndpointKey) =>
  createHash('sha256')
    .update(JSON.stringify(requestParts(session, key)))
    .digest('base64url')
    .slice(0, 22)

export const createProvenEndpoints = ({
  store,
  clock,
  log,
}: {
  store: Pick<Store, 'matches'>
  clock: Clock
  log: Log
}): ProvenEndpoints => {
  /** Proven endpoints by connection. A changed connection is opened anew, and then looked up again. */
  const keysByConnection = new WeakMap<OpenConnection, Set<EndpointKey>>()
  const knownOf = ({ opened }: Pass) => {
    let keys = keysByConnection.get(opened)
    if (!keys) keysByConnection.set(opened, (keys = new Set()))
    return keys
  }

  return {
    async has(session, key) {
      const keys = knownOf(session)
      if (keys.has(key)) return true
      const { tenant, id } = session.opened.connection
      const match = await store.matches.get(tenant, id, key)
      if (match?.fingerprint !== fingerprintOf(session, key)) return false
      keys.add(key)
      return true
    },
    note(session, key) {
      // A match proves nothing about a credential that has been replaced meanwhile.
      if (!session.opened.live) return
      session.used.proven = true
      const keys = knownOf(session)
      if (keys.has(key)) return
      keys.add(key)
      const { tenant, id } = session.opened.connection
      store.matches
        .put({ tenant, connection: id, endpoint: key, fingerprint: fingerprintOf(session, key), at: clock.now() })
        .catch((error: unknown) =>
          log('error', 'match.not_recorded', { connection: id, endpoint: key, ...describeDefect(error) }),
        )
    },
  }
}
