import { secretText, z } from '#kit'
import type { ConnectionType } from '#kit'

// There is no test request: every documented endpoint costs credits, and testing a connection must be free.
export const apiKey: ConnectionType = {
  id: 'api-key',
  scheme: 'secrets',
  title: 'API key',
  purpose:
    'The key of your own account at the data provider; lookups are charged to it. The provider has a free plan with limited credits.',
  recommended: true,
  secrets: z.strictObject({
    apiKey: secretText('API key', 'Key from the provider account. Treat it like a password.'),
  }),
  help: 'Open the settings of the provider account, go to API and integrations, copy the key and paste it here.',
}
