import { defineStep, path, secretText, z } from '#kit'
import type { ConnectionType } from '#kit'
import { recipe } from './recipe.ts'

const robot: ConnectionType = {
  id: 'robot',
  scheme: 'oauth2-client',
  title: 'Client credentials',
  purpose: 'An app of the account, which acts without a person.',
  secrets: z.strictObject({
    clientId: secretText('Client id', 'The id of the app.'),
    clientSecret: secretText('Client secret', 'The secret of the app.'),
  }),
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
  id: 'client-credentials',
  connections: [robot],
  steps: [readAccount],
  wire: {
    auth: { robot: { place: 'header', fields: { Authorization: 'Bearer {token}' } } },
    oauth: {
      client: {
        tokenUrl: 'https://api.example/oauth/token',
        scopes: ['orders.read'],
        params: { audience: 'orders' },
        clientAuth: 'basic',
      },
    },
  },
})
