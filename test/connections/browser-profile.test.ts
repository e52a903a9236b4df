import { afterEach, beforeEach, expect, it } from 'vitest'
import { secretText, z } from '#kit'
import type { ConnectionType, Integration, WireProfile } from '#kit'
import contactData from '../../integrations/contact-data/manifest.ts'
import { createPack } from '../../shared/pack.ts'
import type { Pack } from '../../shared/pack.ts'
import { startProvider } from '../support/provider.ts'
import { caller } from '../support/world.ts'
import { connected, leaveFor, newBrowser } from '../support/oauth-world.ts'

/** With the profile that a link names, the browser, the code and the token go to that profile's provider alone. */
const names = ['first', 'second'] as const
type Name = (typeof names)[number]

const oauth: ConnectionType = {
  id: 'oauth',
  title: 'Log in',
  purpose: 'The account that you log in to.',
  scheme: 'oauth2-code',
  secrets: z.strictObject({ token: secretText('Token', 'Access token of this account; filled in on connecting.') }),
}

let providers: Record<Name, Awaited<ReturnType<typeof startProvider>>>
let requests: Record<Name, string[]>
let pack: Pack

const profileAt = (name: Name): WireProfile => ({
  ...contactData.wire,
  profile: name,
  baseUrl: providers[name].origin,
  auth: {
    'api-key': { place: 'header', fields: { 'x-key': '{apiKey}' } },
    oauth: { place: 'header', fields: { authorization: 'Bearer {token}' } },
  },
  oauth: {
    version: '2.0',
    v2: {
      authorizeUrl: `${providers[name].origin}/authorize`,
      tokenUrl: `${providers[name].origin}/token`,
      scopes: [],
      tokenBody: 'form',
    },
  },
  assumed: {},
})

beforeEach(async () => {
  requests = { first: [], second: [] }
  const start = (name: Name) =>
    startProvider(({ url }, response) => {
      requests[name].push(url!.replace(/\?.*/, ''))
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ access_token: `token-of-${name}`, token_type: 'bearer' }))
    })
  providers = { first: await start('first'), second: await start('second') }
  const integration: Integration = {
    ...contactData,
    connections: [...contactData.connections, oauth],
    wire: profileAt('first'),
    profiles: { second: () => profileAt('second') },
  }
  pack = await createPack({
    integrations: [integration],
    publicUrl: 'http://127.0.0.1:8750',
    egress: { ownOrigins: names.map((name) => providers[name].origin) },
  })
  await pack.apps.put(caller, 'contact-data', {
    key: 'app-key-0123456789',
    clientId: 'client',
    clientSecret: 'secret-0123456789',
  })
})
afterEach(async () => {
  await pack.close()
  for (const name of names) await providers[name].close()
})

it.each([
  [undefined, 'first', 'second'],
  ['second', 'second', 'first'],
] as const)('with the profile %s the browser and the code go to the %s provider', async (profile, chosen, other) => {
  const browser = newBrowser()
  const { state } = await pack.connections.authorize(caller, { integration: 'contact-data', type: 'oauth', profile })
  const address = new URL(await leaveFor(pack, state, browser))
  expect(address.origin).toBe(providers[chosen].origin)
  const returned = new URL(address.searchParams.get('redirect_uri')!)
  returned.searchParams.set('code', 'a-code')
  returned.searchParams.set('state', address.searchParams.get('state')!)
  const connection = connected(await pack.connect.finish('contact-data', browser, returned))
  expect(connection.profile).toBe(profile ?? null)
  expect(requests[chosen]).toContain('/token')
  expect(requests[other]).toEqual([])
})
