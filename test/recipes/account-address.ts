import { defineStep, path, secretText, z } from '#kit'
import type { ConnectionType } from '#kit'
import { recipe } from './recipe.ts'

const ownSite: ConnectionType = {
  id: 'token',
  title: 'Address and token',
  purpose: 'The address of your site and a token from its settings.',
  secrets: z.strictObject({
    site: z.string().meta({ title: 'Address', description: 'Such as https://orchard.desk.example.' }),
    token: secretText('Access token', 'The token, as the settings page shows it.'),
  }),
  baseUrl: { from: 'site' },
  test: { method: 'GET', path: path`/me` },
}

const readAccount = defineStep({
  id: 'read-account',
  title: 'Read Account',
  purpose: 'Reads the account.',
  effect: 'read',
  input: () => z.strictObject({}),
  output: () => z.looseObject({ id: z.string() }),
  run: (ctx) => ctx.send({ method: 'GET', path: path`/me` }),
})

export default recipe({
  id: 'account-address',
  connections: [ownSite],
  steps: [readAccount],
  wire: { baseUrl: null, baseUrlPattern: 'https://*.desk.example' },
})
