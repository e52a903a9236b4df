/** An integration with what a recipe is about; the rest of it is the same in every recipe. */
import { defineIntegration, readRow, secretText, textOf, path, z } from '#kit'
import type { ConnectionType, Integration, IntegrationDefinition, WireProfile } from '#kit'

export const tokenConnection: ConnectionType = {
  id: 'token',
  title: 'Access token',
  purpose: 'A token from the settings of the account.',
  secrets: z.strictObject({ token: secretText('Access token', 'The token, as the settings page shows it.') }),
  test: { method: 'GET', path: path`/me` },
  identify(reply) {
    const account = readRow(reply, 'an account')
    return { accountId: account.id, accountName: textOf(account, 'name') }
  },
}

type Recipe = Partial<Omit<IntegrationDefinition, 'wire'>> & Pick<Integration, 'id'> & { wire: Partial<WireProfile> }

export const recipe = ({ wire, ...parts }: Recipe): Integration =>
  defineIntegration({
    title: 'Recipe',
    summary: 'A recipe of the documents.',
    version: '0.0.1',
    maturity: 'beta',
    connections: [tokenConnection],
    steps: [],
    apiCall: { methods: ['GET'], under: '/', deny: [] },
    ...parts,
    wire: {
      profile: 'recipe',
      baseUrl: 'https://api.example',
      auth: { token: { place: 'header', fields: { Authorization: 'Bearer {token}' } } },
      reserved: [],
      pace: { limits: [], concurrency: 4 },
      timeouts: { connectMs: 5_000, headersMs: 15_000, bodyMs: 10_000, totalMs: 30_000, deadlineMs: 60_000 },
      maxReplyBytes: 1_000_000,
      errors: [],
      assumed: {},
      ...wire,
    },
  })
